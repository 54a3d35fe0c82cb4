#include "captures/communicators.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "captures/endpoints.hpp"

namespace caliper {
namespace {

/// Whether a fact says something of a plan, so that losing it matters.
bool is_of_a_plan(const LogFact& fact) {
  return std::holds_alternative<RingListLine>(fact) || std::holds_alternative<NeighbourLine>(fact) ||
         std::holds_alternative<TreesLine>(fact) || std::holds_alternative<ConnectionLine>(fact) ||
         std::holds_alternative<TuningLine>(fact) || std::holds_alternative<CallLine>(fact);
}

bool belongs_to_a_communicator(const LogFact& fact) {
  return is_of_a_plan(fact) || std::holds_alternative<ChannelCountLine>(fact) ||
         std::holds_alternative<ThresholdsLine>(fact);
}

/// The rank that prints a fact, where it says so.
std::optional<std::uint32_t> rank_of(const LogFact& fact) {
  if (const auto* connection = std::get_if<ConnectionLine>(&fact)) return printing_rank(*connection);
  if (const auto* ring = std::get_if<NeighbourLine>(&fact)) return ring->rank;
  if (const auto* trees = std::get_if<TreesLine>(&fact)) return trees->trees.front().rank;
  return std::nullopt;
}

/// Where a thread states communicators: positions among all facts, with the endpoint.
struct Statement {
  std::size_t position;
  std::uint32_t endpoint;
  CommunicatorLine::Kind kind;
};

class Sorter {
 public:
  Sorter(const LogFacts& facts, const Endpoints& endpoints, const std::vector<std::string>& files)
      : facts_(facts), endpoints_(endpoints), files_(files) {}

  Result<SortedLines> sort() {
    Problems problems = check_order();
    if (!problems.empty()) return problems;
    sorted_.communicators.resize(std::max<std::size_t>(endpoints_.communicators, 1));
    for (std::size_t i = 0; i < endpoints_.all.size(); ++i) {
      CommunicatorLines& own = sorted_.communicators[endpoints_.communicator_of[i]];
      own.id = own.id.empty() ? endpoints_.all[i].id : own.id;
      own.ranks = endpoints_.all[i].ranks;
      own.endpoints.push_back(endpoints_.all[i]);
      endpoints_of_[{endpoints_.all[i].host, endpoints_.all[i].process}].push_back(i);
    }
    for (CommunicatorLines& own : sorted_.communicators)
      std::sort(own.endpoints.begin(), own.endpoints.end(),
                [](const Endpoint& a, const Endpoint& b) { return a.rank < b.rank; });
    for (std::size_t i = 0; i < facts_.facts.size(); ++i) assign(i);
    if (endpoints_.all.empty()) state_size_by_calls();
    std::erase_if(sorted_.communicators,
                  [](const CommunicatorLines& own) { return own.endpoints.empty() && own.facts.empty(); });
    return std::move(sorted_);
  }

 private:
  /// Within a thread the statements of one communicator stand together.
  Problems check_order() {
    for (std::size_t i = 0; i < facts_.facts.size(); ++i)
      if (endpoints_.endpoint_of_fact[i] != Endpoints::kNone)
        statements_[*facts_.facts[i].source].push_back(
            {i, endpoints_.endpoint_of_fact[i], std::get<CommunicatorLine>(facts_.facts[i].fact).kind});
    Problems problems;
    for (auto& [thread, own] : statements_) {
      std::erase_if(own, [](const Statement& s) { return s.kind == CommunicatorLine::Kind::end; });
      std::set<std::uint32_t> left;
      for (std::size_t i = 1; i < own.size(); ++i) {
        if (own[i].endpoint == own[i - 1].endpoint) continue;
        left.insert(own[i - 1].endpoint);
        if (!left.contains(own[i].endpoint)) continue;
        const LineRef at = facts_.facts[own[i].position].at;
        problems.push_back(
            {fmt::format("{}:{}", files_[at.file], at.line),
             fmt::format("thread {}:{}:{} makes several communicators, and their lines are not in order",
                         thread.host, thread.process, thread.thread),
             "lines of a thread have to stay in the order in which it printed them"});
        break;
      }
    }
    return problems;
  }

  void assign(std::size_t position) {
    const SourcedFact& fact = facts_.facts[position];
    if (!belongs_to_a_communicator(fact.fact)) return;
    if (const auto communicator = communicator_of(position)) {
      sorted_.communicators[*communicator].facts.push_back(&fact);
    } else if (endpoints_.communicators <= 1) {
      sorted_.communicators.front().facts.push_back(&fact);
      if (endpoints_.communicators == 1) ++sorted_.communicators.front().presumed;
    } else if (is_of_a_plan(fact.fact)) {
      ++sorted_.unassigned;
    }
  }

  std::optional<std::uint32_t> communicator_of(std::size_t position) const {
    const SourcedFact& fact = facts_.facts[position];
    if (!fact.source) return std::nullopt;
    const auto own = statements_.find(*fact.source);
    const auto* call = std::get_if<CallLine>(&fact.fact);
    if (!call && own != statements_.end() && !own->second.empty())
      return endpoints_.communicator_of[nearest(own->second, position)];
    std::set<std::uint32_t> candidates;
    const auto rank = rank_of(fact.fact);
    const auto of_process = endpoints_of_.find({fact.source->host, fact.source->process});
    if (of_process == endpoints_of_.end()) return std::nullopt;
    for (const std::size_t i : of_process->second) {
      const Endpoint& endpoint = endpoints_.all[i];
      if (rank && *rank != endpoint.rank) continue;
      if (call && (call->pointer != endpoint.pointer || call->ranks != endpoint.ranks)) continue;
      candidates.insert(endpoints_.communicator_of[i]);
    }
    if (candidates.size() != 1) return std::nullopt;
    return *candidates.begin();
  }

  /// From START (or the lines that follow it) on, or before COMPLETE where the version prints no START.
  static std::uint32_t nearest(const std::vector<Statement>& own, std::size_t position) {
    const auto next = std::upper_bound(own.begin(), own.end(), position,
                                       [](std::size_t at, const Statement& s) { return at < s.position; });
    if (next == own.begin()) return next->endpoint;
    const Statement& before = *(next - 1);
    const bool open = before.kind != CommunicatorLine::Kind::complete;
    if (open || next == own.end() || next->kind == CommunicatorLine::Kind::start) return before.endpoint;
    return next->endpoint;
  }

  /// Calls state the size of their communicator.
  void state_size_by_calls() {
    CommunicatorLines& own = sorted_.communicators.front();
    std::set<std::uint32_t> sizes;
    for (const SourcedFact* fact : own.facts)
      if (const auto* call = std::get_if<CallLine>(&fact->fact)) sizes.insert(call->ranks);
    if (sizes.size() == 1) own.ranks = *sizes.begin();
  }

  const LogFacts& facts_;
  const Endpoints& endpoints_;
  const std::vector<std::string>& files_;
  std::map<LogSource, std::vector<Statement>> statements_;                                  ///< by thread
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::size_t>> endpoints_of_;  ///< a process
  SortedLines sorted_;
};

}  // namespace

Result<SortedLines> sort_lines(const LogFacts& facts, const std::vector<std::string>& files) {
  const auto endpoints = find_endpoints(facts, files);
  if (!endpoints) return endpoints.problems();
  return Sorter(facts, *endpoints, files).sort();
}

}  // namespace caliper
