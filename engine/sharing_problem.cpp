#include "engine/sharing_problem.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kNoGate = std::numeric_limits<std::uint32_t>::max();

/// Finds links that can never be full, one after the other: a pruned link is implied by what is left, so it
/// may not serve as a gate itself, and what was implied by a link that is pruned later is still implied by
/// the links that imply that one.
class Pruning {
 public:
  explicit Pruning(const SharingProblem& problem)
      : p_(problem),
        can_fill_(problem.capacity.size(), 1),
        crossing_first_(problem.capacity.size() + 1, 0),
        through_(problem.capacity.size(), 0) {
    for (const std::uint32_t link : p_.path_links) ++crossing_first_[link + 1];
    for (std::size_t link = 0; link < can_fill_.size(); ++link)
      crossing_first_[link + 1] += crossing_first_[link];
    crossings_.resize(p_.path_links.size());
    std::vector<std::uint32_t> next(crossing_first_.begin(), crossing_first_.end() - 1);
    for (std::uint32_t slot = 0; slot < p_.slots(); ++slot)
      for (std::uint32_t hop = p_.path_first[slot]; hop < p_.path_first[slot + 1]; ++hop)
        crossings_[next[p_.path_links[hop]]++] = {slot, hop};
  }

  std::vector<char> run() {
    for (std::uint32_t link = 0; link < can_fill_.size(); ++link)
      if (largest_load(link) <= p_.capacity[link]) can_fill_[link] = 0;
    return std::move(can_fill_);
  }

 private:
  struct Crossing {
    std::uint32_t slot, hop;
  };

  /// The narrowest other link of the path, the nearest of equals: it limits what the slot can bring to the
  /// link at `hop`.
  std::uint32_t gate_of(Crossing at) const {
    std::uint32_t gate = kNoGate, distance = kNoGate;
    for (std::uint32_t h = p_.path_first[at.slot]; h < p_.path_first[at.slot + 1]; ++h) {
      const std::uint32_t link = p_.path_links[h];
      if (h == at.hop || !can_fill_[link]) continue;
      const std::uint32_t away = h > at.hop ? h - at.hop : at.hop - h;
      if (gate == kNoGate || std::pair(p_.capacity[link], away) < std::pair(p_.capacity[gate], distance)) {
        gate = link;
        distance = away;
      }
    }
    return gate;
  }

  /// The most that can ever enter a link.
  double largest_load(std::uint32_t link) {
    double load = 0;
    gates_.clear();
    for (std::uint32_t c = crossing_first_[link]; c < crossing_first_[link + 1]; ++c) {
      const std::uint32_t gate = gate_of(crossings_[c]);
      const double cap = p_.largest_cap[crossings_[c].slot];
      if (gate == kNoGate) {
        load += cap;
        continue;
      }
      if (through_[gate] == 0) gates_.push_back(gate);
      through_[gate] += cap;
    }
    for (const std::uint32_t gate : gates_) {
      load += std::min(through_[gate], p_.capacity[gate]);
      through_[gate] = 0;
    }
    return load;
  }

  const SharingProblem& p_;
  std::vector<char> can_fill_;
  std::vector<std::uint32_t> crossing_first_;  // [links + 1]
  std::vector<Crossing> crossings_;            // by link
  std::vector<double> through_;                // caps by gate, of the link at hand
  std::vector<std::uint32_t> gates_;
};

}  // namespace

std::vector<char> links_that_can_fill(const SharingProblem& problem) {
  for (const std::uint32_t users : problem.path_users) CALIPER_CHECK(users == 1);
  return Pruning(problem).run();
}

void keep_links(SharingProblem& problem, const std::vector<char>& keep) {
  std::uint32_t kept = 0, hop = 0;
  for (std::uint32_t slot = 0; slot < problem.slots(); ++slot) {
    const std::uint32_t end = problem.path_first[slot + 1];
    for (; hop < end; ++hop) {
      if (!keep[problem.path_links[hop]]) continue;
      problem.path_links[kept] = problem.path_links[hop];
      problem.path_users[kept++] = problem.path_users[hop];
    }
    problem.path_first[slot + 1] = kept;
  }
  problem.path_links.resize(kept);
  problem.path_users.resize(kept);
}

}  // namespace caliper
