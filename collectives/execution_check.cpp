#include "collectives/execution_check.hpp"

#include <fmt/format.h>

#include "collectives/crossings.hpp"
#include "collectives/ring_order.hpp"
#include "collectives/tree_order.hpp"

namespace caliper {
namespace {

/// The first pair of ranks that have to talk and cannot.
Problems check_ring_hops(const NodeSpec& node, const Execution& execution, const ChannelRing& ring,
                         const std::string& where) {
  Problems problems;
  for (std::size_t k = 0; k < ring.order.size() && problems.empty(); ++k)
    problems = check_nvlink(node, execution, ring.order[k], ring.order[(k + 1) % ring.order.size()], where);
  for (const NodeCrossing& crossing : ring.crossings)
    append(problems, check_nics(node, execution, crossing, where));
  return problems;
}

Problems check_tree_hops(const NodeSpec& node, const Execution& execution, const ChannelTree& tree,
                         const std::string& where) {
  Problems problems;
  for (std::uint32_t rank = 0; rank < execution.ranks() && problems.empty(); ++rank)
    if (tree.up[rank] != kNoRank) problems = check_nvlink(node, execution, rank, tree.up[rank], where);
  for (const TreeCrossing& crossing : tree.crossings)
    for (const NodeCrossing* way : {&crossing.up, &crossing.down})
      append(problems, check_nics(node, execution, *way, where));
  return problems;
}

}  // namespace

Problems check_channels(const Execution& execution) {
  if (execution.algorithm == Algorithm::ring) return check_rings(execution);
  if (execution.collective != Collective::all_reduce)
    return {{"algorithm", fmt::format("{} by trees", name_of(execution.collective)),
             "NCCL has trees for all_reduce only"}};
  return check_trees(execution);
}

Problems check_execution(const Machine& machine, const Execution& execution) {
  Problems problems = check_channels(execution);
  const NodeSpec& node = machine.spec().node;
  for (std::uint32_t rank = 0; rank < execution.ranks(); ++rank) {
    const GpuAddress gpu = execution.gpu_of_rank[rank];
    if (gpu.node >= machine.nodes() || gpu.gpu >= node.gpus)
      problems.push_back({fmt::format("rank {}", rank),
                          fmt::format("node {} gpu {} is not in the machine", gpu.node, gpu.gpu),
                          fmt::format("{} nodes of {} GPUs", machine.nodes(), node.gpus)});
  }
  if (!problems.empty()) return problems;
  for (std::size_t channel = 0; channel < execution.channels(); ++channel) {
    const std::string where = channel_name(channel);
    append(problems, execution.algorithm == Algorithm::ring
                         ? check_ring_hops(node, execution, execution.rings[channel], where)
                         : check_tree_hops(node, execution, execution.trees[channel], where));
  }
  return problems;
}

}  // namespace caliper
