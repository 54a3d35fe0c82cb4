#include "captures/ring_assembly.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "collectives/ring_order.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Successors that are certain, and those that connections allow. Takes room for what is said, not for all
/// ranks: a line may claim a million of them.
class Successors {
 public:
  explicit Successors(std::uint32_t ranks) : ranks_(ranks) {}

  /// False where it contradicts what is certain already.
  bool set(std::uint32_t rank, std::uint32_t next) {
    const auto after = after_.emplace(rank, next).first;
    const auto before = before_.emplace(next, rank).first;
    return after->second == next && before->second == rank;
  }
  void allow(std::uint32_t rank, std::uint32_t next) { allowed_[rank].insert(next); }
  bool complete() const { return after_.size() == ranks_; }
  std::uint32_t after(std::uint32_t rank) const {
    const auto found = after_.find(rank);
    return found == after_.end() ? kNone : found->second;
  }
  /// [ranks], where complete
  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> next;
    for (const auto& [rank, after] : after_) next.push_back(after);
    return next;
  }

  /// Whatever follows from every rank having one successor and one predecessor. False: a contradiction, or
  /// ranks of which nothing is said.
  bool eliminate() {
    std::erase_if(allowed_, [&](const auto& of_rank) { return after_.contains(of_rank.first); });
    if (after_.size() + allowed_.size() < ranks_) return false;
    while (!allowed_.empty()) {
      const std::size_t open = allowed_.size();
      if (!take_only_successors() || !take_only_predecessors()) return false;
      if (allowed_.size() == open) break;
    }
    return true;
  }

 private:
  bool take_only_successors() {
    for (auto at = allowed_.begin(); at != allowed_.end();) {
      auto& [rank, next] = *at;
      std::erase_if(next, [&](std::uint32_t to) { return before_.contains(to); });
      if (next.empty()) return false;
      if (next.size() > 1) {
        ++at;
        continue;
      }
      if (!set(rank, *next.begin())) return false;
      at = allowed_.erase(at);
    }
    return true;
  }

  bool take_only_predecessors() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> ways_in;
    for (const auto& [rank, next] : allowed_)
      for (const std::uint32_t to : next)
        if (!before_.contains(to)) ways_in[to].push_back(rank);
    for (const auto& [to, from] : ways_in) {
      if (from.size() > 1) continue;
      if (!set(from.front(), to)) return false;  // the only way into two ranks
      allowed_.erase(from.front());
    }
    return true;
  }

  std::uint32_t ranks_;
  std::map<std::uint32_t, std::uint32_t> after_, before_;
  std::map<std::uint32_t, std::set<std::uint32_t>> allowed_;
};

class Assembly {
 public:
  Assembly(std::uint32_t channel, std::uint32_t ranks, const RingEvidence& evidence,
           const ExecutionRecord& files)
      : ranks_(ranks), evidence_(evidence), files_(files), certain_(ranks) {
    ring_.channel = channel;
  }

  Result<CapturedRing> assemble() {
    check_ranks();
    if (problems_.empty()) take_lists();
    if (problems_.empty()) take_neighbours();
    if (problems_.empty()) close_certain();
    if (problems_.empty() && ring_.order.empty()) try_connections();
    if (problems_.empty() && ring_.order.empty()) check_short_lists();
    if (!problems_.empty()) return std::move(problems_);
    return std::move(ring_);
  }

 private:
  std::string name() const { return fmt::format("channel {:02}", ring_.channel); }
  void report(LineRef at, std::string what, std::string hint) {
    problems_.push_back({files_.where(at), name() + ": " + std::move(what), std::move(hint)});
  }

  void check_ranks() {
    for (const RingEvidence::List& list : evidence_.lists) {
      std::set<std::uint32_t> seen;
      for (const std::uint32_t rank : list.order)
        if (rank >= ranks_)
          return report(list.at, fmt::format("rank {} in a ring of {} ranks", rank, ranks_),
                        "lines of different communicators, or a damaged line");
        else if (!seen.insert(rank).second)
          return report(list.at, fmt::format("rank {} stands twice in the ring", rank),
                        "a ring lists every rank once");
    }
    for (const RingEvidence::Neighbours& line : evidence_.neighbours)
      if (std::max({line.before, line.rank, line.after}) >= ranks_)
        return report(line.at,
                      fmt::format("rank {} in a ring of {} ranks",
                                  std::max({line.before, line.rank, line.after}), ranks_),
                      "lines of different communicators, or a damaged line");
  }

  void set(LineRef at, std::uint32_t rank, std::uint32_t next) {
    if (!problems_.empty()) return;
    if (certain_.set(rank, next)) {
      said_.emplace(rank, at);
      return;
    }
    const std::uint32_t other = certain_.after(rank);
    const auto said = said_.find(rank);
    report(at,
           other != kNone && other != next
               ? fmt::format("rank {} is followed by rank {} here and by rank {} at {}", rank, next, other,
                             said == said_.end() ? "another line" : files_.where(said->second))
               : fmt::format("rank {} follows rank {} here and another rank elsewhere", next, rank),
           "lines that contradict each other belong to different communicators or runs");
  }

  void take_lists() {
    for (const RingEvidence::List& list : evidence_.lists) {
      for (std::size_t i = 0; i + 1 < list.order.size(); ++i) set(list.at, list.order[i], list.order[i + 1]);
      if (list.order.size() == ranks_) set(list.at, list.order.back(), list.order.front());
    }
  }

  void take_neighbours() {
    for (const RingEvidence::Neighbours& line : evidence_.neighbours) {
      set(line.at, line.rank, line.after);
      set(line.at, line.before, line.rank);
    }
  }

  bool take_order(const std::vector<std::uint32_t>& after, RingRule rule) {
    auto order = ring_from_successors(after, name());
    if (!order) return false;
    ring_.order = std::move(*order);
    ring_.rule = rule;
    if (rule == RingRule::neighbours) ring_.at = evidence_.neighbours.front().at;
    for (const RingEvidence::List& list : evidence_.lists)
      if (rule == RingRule::listed && list.order.size() == ranks_ && !ring_.at) ring_.at = list.at;
    return true;
  }

  bool is_listed() const {
    return std::any_of(evidence_.lists.begin(), evidence_.lists.end(),
                       [&](const RingEvidence::List& list) { return list.order.size() == ranks_; });
  }

  void close_certain() {
    if (!certain_.complete()) return;
    if (take_order(certain_.all(), is_listed() ? RingRule::listed : RingRule::neighbours)) return;
    const LineRef at =
        evidence_.neighbours.empty() ? evidence_.lists.front().at : evidence_.neighbours.front().at;
    const auto order = ring_from_successors(certain_.all(), name());
    report(
        at,
        fmt::format("the ring does not close over all {} ranks: {}", ranks_, order.problems().front().what),
        "every rank is left for one other, until rank 0 is reached again");
  }

  /// Connections are of the ring and of the tree; each rank opens that of the ring first. That order counts
  /// only where it agrees with all that is certain without it.
  void try_connections() {
    Successors deduced = certain_;
    std::map<std::uint32_t, std::uint32_t> first;
    for (const RingEvidence::Opened& opened : evidence_.opened) {
      if (opened.from >= ranks_ || opened.to >= ranks_) return;
      deduced.allow(opened.from, opened.to);
      if (opened.by_sender) first.emplace(opened.from, opened.to);
    }
    if (!deduced.eliminate()) return;
    if (deduced.complete()) {
      take_order(deduced.all(), RingRule::connections);
      return;
    }
    Successors in_order = certain_;
    for (const auto& [rank, next] : first)
      if (!in_order.set(rank, next) || (deduced.after(rank) != kNone && deduced.after(rank) != next)) return;
    if (in_order.complete()) take_order(in_order.all(), RingRule::sequence);
  }

  /// Nothing else says how a list goes on that ends too early.
  void check_short_lists() {
    for (const RingEvidence::List& list : evidence_.lists) {
      if (list.may_be_cut) continue;
      std::vector<std::uint32_t> missing;
      for (std::uint32_t rank = 0; rank < ranks_ && missing.size() < 8; ++rank)
        if (std::find(list.order.begin(), list.order.end(), rank) == list.order.end())
          missing.push_back(rank);
      report(
          list.at,
          fmt::format("the ring lists {} of {} ranks; missing: {}{}", list.order.size(), ranks_,
                      fmt::join(missing, ", "), ranks_ - list.order.size() > missing.size() ? ", ..." : ""),
          "a ring lists every rank once; the line may be damaged");
      return;
    }
  }

  std::uint32_t ranks_;
  const RingEvidence& evidence_;
  const ExecutionRecord& files_;
  Successors certain_;
  std::map<std::uint32_t, LineRef> said_;
  CapturedRing ring_;
  Problems problems_;
};

}  // namespace

Result<CapturedRing> assemble_ring(std::uint32_t channel, std::uint32_t ranks, const RingEvidence& evidence,
                                   const ExecutionRecord& files) {
  return Assembly(channel, ranks, evidence, files).assemble();
}

}  // namespace caliper
