#include "collectives/ring_order.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace caliper {
namespace {

constexpr std::string_view kEveryRankOnce = "a ring lists every rank once";

std::string channel_name(std::size_t channel) { return fmt::format("channel {}", channel); }

Problems check_crossing(const Execution& execution, const NodeCrossing& crossing, std::uint32_t from,
                        std::uint32_t to, const std::string& where) {
  if (crossing.from_rank != from || crossing.to_rank != to)
    return {{where,
             fmt::format("the ring leaves its node from rank {} to rank {}, but the crossing in its place "
                         "goes from {} to {}",
                         from, to, crossing.from_rank, crossing.to_rank),
             "crossings stand in ring order"}};
  const std::uint32_t sender = execution.gpu_of_rank[from].node;
  const std::uint32_t receiver = execution.gpu_of_rank[to].node;
  Problems problems;
  if (crossing.proxy_gpu.node != sender || crossing.out.node != sender)
    problems.push_back({where, fmt::format("rank {} sends through a GPU or NIC of another node", from), ""});
  if (crossing.in.node != receiver)
    problems.push_back({where, fmt::format("rank {} receives through a NIC of another node", to), ""});
  return problems;
}

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

/// A GPU reaches the network through the NIC that is local to it.
Problems check_nics(const NodeSpec& node, const Execution& execution, const NodeCrossing& crossing,
                    const std::string& where) {
  if (crossing.proxy_gpu.gpu >= node.gpus)
    return {{where,
             fmt::format("rank {} sends through gpu {}, a node has {}", crossing.from_rank,
                         crossing.proxy_gpu.gpu, node.gpus),
             ""}};
  if (node.nics == 0)
    return {
        {where, fmt::format("rank {} sends to another node, nodes have no NICs", crossing.from_rank), ""}};
  const std::uint32_t out = node.nic_of_gpu[crossing.proxy_gpu.gpu];
  const std::uint32_t in = node.nic_of_gpu[execution.gpu_of_rank[crossing.to_rank].gpu];
  Problems problems;
  if (crossing.out.nic != out)
    problems.push_back({where,
                        fmt::format("rank {} sends by NIC {} through gpu {}, whose NIC is {}",
                                    crossing.from_rank, crossing.out.nic, crossing.proxy_gpu.gpu, out),
                        ""});
  if (crossing.in.nic != in)
    problems.push_back({where,
                        fmt::format("rank {} receives by NIC {}, the NIC of its GPU is {}", crossing.to_rank,
                                    crossing.in.nic, in),
                        ""});
  return problems;
}

/// GPUs of a node talk over NVLinks.
Problems check_nvlinks(const NodeSpec& node, const Execution& execution, const ChannelRing& ring,
                       const std::string& where) {
  const auto joined = [&](GpuAddress a, GpuAddress b) {
    return a == b || node.nvlinks_between(a.gpu, b.gpu) > 0;
  };
  for (std::size_t k = 0; k < ring.order.size(); ++k) {
    const std::uint32_t from = ring.order[k], to = ring.order[(k + 1) % ring.order.size()];
    const GpuAddress a = execution.gpu_of_rank[from], b = execution.gpu_of_rank[to];
    if (a.node == b.node && !joined(a, b))
      return {{where,
               fmt::format("rank {} sends to rank {}, their GPUs {} and {} have no NVLink", from, to, a.gpu,
                           b.gpu),
               "a ring over PCIe is not modelled"}};
  }
  for (const NodeCrossing& crossing : ring.crossings)
    if (const GpuAddress from = execution.gpu_of_rank[crossing.from_rank];
        crossing.proxy_gpu.gpu < node.gpus && !joined(from, crossing.proxy_gpu))
      return {{where,
               fmt::format("rank {} sends through gpu {}, which has no NVLink to its own", crossing.from_rank,
                           crossing.proxy_gpu.gpu),
               ""}};
  return {};
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
  Problems problems;
  if (execution.ranks() == 0) problems.push_back({"ranks", "an execution without ranks", ""});
  if (execution.channels() == 0) problems.push_back({"channels", "an execution without channels", ""});
  std::vector<std::pair<GpuAddress, std::uint32_t>> owners;
  for (std::uint32_t rank = 0; rank < execution.ranks(); ++rank)
    owners.emplace_back(execution.gpu_of_rank[rank], rank);
  std::ranges::sort(owners);
  const auto twice = std::ranges::adjacent_find(owners, {}, [](const auto& owner) { return owner.first; });
  if (twice != owners.end())
    problems.push_back(
        {"ranks", fmt::format("ranks {} and {} are on the same GPU", twice->second, (twice + 1)->second),
         "one rank a GPU"});
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

Problems check_execution(const Machine& machine, const Execution& execution) {
  Problems problems = check_rings(execution);
  const NodeSpec& node = machine.spec().node;
  for (std::uint32_t rank = 0; rank < execution.ranks(); ++rank) {
    const GpuAddress gpu = execution.gpu_of_rank[rank];
    if (gpu.node >= machine.nodes() || gpu.gpu >= node.gpus)
      problems.push_back({fmt::format("rank {}", rank),
                          fmt::format("node {} gpu {} is not in the machine", gpu.node, gpu.gpu),
                          fmt::format("{} nodes of {} GPUs", machine.nodes(), node.gpus)});
  }
  if (!problems.empty()) return problems;
  for (std::size_t channel = 0; channel < execution.rings.size(); ++channel) {
    append(problems, check_nvlinks(node, execution, execution.rings[channel], channel_name(channel)));
    for (const NodeCrossing& crossing : execution.rings[channel].crossings)
      append(problems, check_nics(node, execution, crossing, channel_name(channel)));
  }
  return problems;
}

}  // namespace caliper
