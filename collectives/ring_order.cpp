#include "collectives/ring_order.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "collectives/crossings.hpp"

namespace caliper {
namespace {

constexpr std::string_view kEveryRankOnce = "a ring lists every rank once";

Problems check_crossings(const Execution& execution, const ChannelRing& ring, const std::string& where) {
  Problems problems;
  std::size_t next = 0;
  const std::size_t n = ring.order.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t from = ring.order[k];
    const std::uint32_t to = ring.order[(k + 1) % n];
    if (execution.gpu_of_rank[from].node == execution.gpu_of_rank[to].node) continue;
    if (next == ring.crossings.size())
      return {{where,
               fmt::format("no crossing between rank {} and rank {}, which are on different nodes", from, to),
               ""}};
    append(problems, check_crossing(execution, ring.crossings[next++], from, to, where));
  }
  if (next < ring.crossings.size())
    problems.push_back(
        {where,
         fmt::format("{} crossings, but the ring changes the node {} times", ring.crossings.size(), next),
         ""});
  return problems;
}

}  // namespace

Problems check_ring(std::span<const std::uint32_t> order, std::uint32_t ranks, std::string_view where) {
  Problems problems;
  std::vector<bool> seen(ranks, false);
  for (const std::uint32_t rank : order) {
    if (rank >= ranks)
      problems.push_back({std::string(where), fmt::format("rank {} in a ring of {} ranks", rank, ranks),
                          "ranks count from 0"});
    else if (seen[rank])
      problems.push_back({std::string(where), fmt::format("rank {} is in the ring twice", rank),
                          std::string(kEveryRankOnce)});
    else
      seen[rank] = true;
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (!seen[rank]) {
      const auto missing = std::count(seen.begin(), seen.end(), false);
      const std::string others = missing > 1 ? fmt::format(" (and {} more)", missing - 1) : "";
      problems.push_back({std::string(where), fmt::format("rank {} is missing from the ring{}", rank, others),
                          std::string(kEveryRankOnce)});
      break;
    }
  return problems;
}

Result<std::vector<std::uint32_t>> ring_from_successors(std::span<const std::uint32_t> successor,
                                                        std::string_view where) {
  const auto ranks = static_cast<std::uint32_t>(successor.size());
  std::vector<std::uint32_t> order;
  if (ranks == 0) return Error{std::string(where), "a ring without ranks", ""};
  for (std::uint32_t rank = 0; order.size() < ranks; rank = successor[rank]) {
    if (rank >= ranks)
      return Error{
          std::string(where),
          fmt::format("rank {} is followed by rank {}, there are {} ranks", order.back(), rank, ranks),
          "ranks count from 0"};
    if (rank == 0 && !order.empty())
      return Error{std::string(where),
                   fmt::format("the ring closes after {} of {} ranks", order.size(), ranks),
                   std::string(kEveryRankOnce)};
    order.push_back(rank);
  }
  if (successor[order.back()] != 0)
    return Error{std::string(where),
                 fmt::format("the ring does not close: rank {} is followed by rank {}, not 0", order.back(),
                             successor[order.back()]),
                 std::string(kEveryRankOnce)};
  return order;
}

std::vector<std::uint32_t> starting_with_rank_zero(std::vector<std::uint32_t> order) {
  const auto zero = std::ranges::find(order, 0u);
  CALIPER_CHECK(zero != order.end());
  std::ranges::rotate(order, zero);
  return order;
}

Problems check_rings(const Execution& execution) {
  Problems problems = check_ranks(execution);
  for (std::size_t channel = 0; channel < execution.rings.size(); ++channel) {
    const ChannelRing& ring = execution.rings[channel];
    const std::string where = channel_name(channel);
    Problems here = check_ring(ring.order, execution.ranks(), where);
    if (here.empty() && ring.order.front() != 0)
      here.push_back(
          {where, fmt::format("the ring starts with rank {}", ring.order.front()), "rank 0 stands first"});
    if (here.empty()) here = check_crossings(execution, ring, where);
    append(problems, std::move(here));
  }
  return problems;
}

}  // namespace caliper
