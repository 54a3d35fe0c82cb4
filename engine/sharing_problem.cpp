#include "engine/sharing_problem.hpp"

#include <algorithm>
#include <cstdlib>
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
  Pruning(std::span<const double> capacity, std::span<const std::uint32_t> path_first,
          std::span<const std::uint32_t> path_links, std::span<const PathLoad> loads)
      : capacity_(capacity),
        path_first_(path_first),
        path_links_(path_links),
        loads_(loads),
        can_fill_(capacity.size(), 1),
        crossing_first_(capacity.size() + 1, 0),
        through_(capacity.size(), 0) {
    for (const PathLoad& load : loads_)
      for (const std::uint32_t link : links_of(load.path)) ++crossing_first_[link + 1];
    for (std::size_t link = 0; link < can_fill_.size(); ++link)
      crossing_first_[link + 1] += crossing_first_[link];
    crossings_.resize(crossing_first_.back());
    std::vector<std::uint32_t> next(crossing_first_.begin(), crossing_first_.end() - 1);
    for (std::uint32_t load = 0; load < loads_.size(); ++load)
      for (const std::uint32_t link : links_of(loads_[load].path)) crossings_[next[link]++] = load;
  }

  std::vector<char> run() {
    for (std::uint32_t link = 0; link < can_fill_.size(); ++link)
      if (largest_load(link) <= capacity_[link]) can_fill_[link] = 0;
    return std::move(can_fill_);
  }

 private:
  std::span<const std::uint32_t> links_of(std::uint32_t path) const {
    return path_links_.subspan(path_first_[path], path_first_[path + 1] - path_first_[path]);
  }

  /// The narrowest other link of the path, the nearest of equals: it limits what the path can bring to the
  /// link.
  std::uint32_t gate_of(std::span<const std::uint32_t> path, std::uint32_t link) const {
    const std::ptrdiff_t at = std::ranges::find(path, link) - path.begin();
    std::uint32_t gate = kNoGate;
    std::ptrdiff_t distance = 0;
    for (std::ptrdiff_t hop = 0; hop < std::ssize(path); ++hop) {
      const std::uint32_t other = path[static_cast<std::size_t>(hop)];
      if (hop == at || !can_fill_[other]) continue;
      const std::ptrdiff_t away = std::abs(hop - at);
      if (gate == kNoGate || std::pair(capacity_[other], away) < std::pair(capacity_[gate], distance)) {
        gate = other;
        distance = away;
      }
    }
    return gate;
  }

  /// The most that can ever enter a link.
  double largest_load(std::uint32_t link) {
    double sum = 0;
    gates_.clear();
    for (std::uint32_t c = crossing_first_[link]; c < crossing_first_[link + 1]; ++c) {
      const PathLoad& load = loads_[crossings_[c]];
      const std::uint32_t gate = gate_of(links_of(load.path), link);
      const double most = load.transfers * load.largest_cap;
      if (gate == kNoGate) {
        sum += most;
        continue;
      }
      if (through_[gate] == 0) gates_.push_back(gate);
      through_[gate] += most;
    }
    for (const std::uint32_t gate : gates_) {
      sum += std::min(through_[gate], capacity_[gate]);
      through_[gate] = 0;
    }
    return sum;
  }

  const std::span<const double> capacity_;
  const std::span<const std::uint32_t> path_first_, path_links_;
  const std::span<const PathLoad> loads_;
  std::vector<char> can_fill_;
  std::vector<std::uint32_t> crossing_first_, crossings_;  // loads by link
  std::vector<double> through_;                            // caps by gate, of the link at hand
  std::vector<std::uint32_t> gates_;
};

}  // namespace

std::vector<char> links_that_can_fill(std::span<const double> capacity,
                                      std::span<const std::uint32_t> path_first,
                                      std::span<const std::uint32_t> path_links,
                                      std::span<const PathLoad> loads) {
  return Pruning(capacity, path_first, path_links, loads).run();
}

std::vector<char> links_that_can_fill(const SharingProblem& problem) {
  for (const std::uint32_t users : problem.path_users) CALIPER_CHECK(users == 1);
  std::vector<PathLoad> loads(problem.slots());
  for (std::uint32_t slot = 0; slot < problem.slots(); ++slot)
    loads[slot] = {slot, 1, problem.largest_cap[slot]};
  return links_that_can_fill(problem.capacity, problem.path_first, problem.path_links, loads);
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
