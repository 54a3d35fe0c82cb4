// How rings pass through a node that is one of several: in which order over its GPUs, in and out by which
// NIC. Source: NCCL 2.28.9 graph/search.cc and graph/connect.cc; see NicLayout for what the three layouts
// stand for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "collectives/execution.hpp"

namespace caliper {

/// GPUs are counted among those that the communicator uses in a node; a NIC is named by the GPU that it is
/// local to.
struct NodePass {
  std::vector<std::uint32_t> order;
  std::uint32_t in;   ///< its NIC is where the ring comes in; local to order.front()
  std::uint32_t out;  ///< its NIC is where it leaves; this GPU's memory and proxy send (with pxn it may not
                      ///< be order.back())
  bool operator==(const NodePass&) const = default;
};

/// The distinct rings, one for each of `gpus` >= 1 GPUs, as they pass an even node. Four GPUs: as NCCL's
/// search finds them; other counts by the same pattern.
///   pxn     ring c starts at GPU c, ring 0 upwards, the others downwards; in and out by the NIC of GPU c
///   pairs   rings 2i and 2i+1 use the same two NICs, one way each; needs 1 GPU or an even number of them
///   oracle  ring c is c, c+1, ...; in by the NIC of its first GPU, out by that of its last
Result<std::vector<NodePass>> node_passes(NicLayout layout, std::uint32_t gpus);

/// The ring whose pass ring `ring` of `rings` takes on a node: on odd nodes `pairs` swaps the two of a pair,
/// so that messages stay on one rail. From NCCL 2.22 on.
std::uint32_t pass_on_node(NicLayout layout, std::uint32_t ring, std::uint32_t rings, std::uint32_t node);

}  // namespace caliper
