// Trees by NCCL's rules, from the rings of the same communicator.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/execution.hpp"

namespace caliper {

/// GPUs of one node that have ranks, ascending.
struct NodeRanks {
  std::uint32_t node;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> gpu_and_rank;
};

/// Replaces the rings of an execution by as many trees. In a node the ranks of a channel are a chain in the
/// order in which its ring passes even nodes; the first of them, the head, sends to other nodes and receives
/// from them, by its own NIC. The heads of all nodes, in the order of the nodes, are a binary tree: tree 0
/// for the first half of the channels that NCCL's doubling made, tree 1 for the second; channels that repeat
/// others repeat their trees.
///
/// NCCL before Hopper first looks for trees whose second child hangs on a second GPU near the same NIC; where
/// each GPU has a NIC of its own there is none near, and from Hopper on NCCL takes the simpler tree itself.
void rings_to_trees(Execution& execution, const NodeSpec& spec, const std::vector<NodeRanks>& nodes,
                    NicLayout layout);

}  // namespace caliper
