// How many channels NCCL gives a communicator: its ring search, as arithmetic.
// Source: NCCL 2.28.9 graph/search.cc, graph/connect.cc, graph/topo.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"
#include "collectives/node_rings.hpp"
#include "topology/system_spec.hpp"

namespace caliper {

struct ChannelCount {
  std::uint32_t channels;
  std::uint32_t
      doubled;  ///< of these the first, made by doubling what the search found; the others repeat them
  std::string derivation;  ///< the arithmetic in one line
};

/// Channels inside a node, with the rings that they take in turn.
struct NodeChannels {
  ChannelCount count;
  RingSet rings;
};

/// `gpus`: those of one node that have ranks, ascending, at least one. The search goes through NCCL's
/// speeds from the fastest that a pair can carry, takes the rings that fit and stops once nothing is left or
/// the speed is half of the best; most rings * speed wins. Rings of 25 GB/s or more are duplicated (from
/// Hopper on only up to 4 rings or from 50 GB/s on), at most 16; after the search all channels are doubled.
///   4 x A100, 4 links of 20: 80 a pair, 6 rings of 40 -> 12 of 20 -> 24 channels.
///   8 x V100, hybrid cube mesh: 6 rings of 20 -> 12 channels.
/// Where all pairs have as many NVLinks, only sets of rings that load all pairs equally are counted
/// (node_rings), elsewhere those of ring_search. Problems: a compute capability whose speeds are not known
/// here, GPUs that no ring of NVLinks joins.
Result<NodeChannels> channels_in_node(const NodeSpec& node, std::span<const std::uint32_t> gpus);
/// The rings alone, at a speed that each NVLink carries once: where the number of channels is known from
/// elsewhere. Problems: GPUs that no ring of NVLinks joins.
Result<RingSet> rings_in_node(const NodeSpec& node, std::span<const std::uint32_t> gpus);

/// Between nodes, `gpus` GPUs a node, each with a NIC of its own: one ring for each NIC at the fastest speed
/// that NIC and PCIe carry; duplicated and doubled by the same rules. Hopper doubles once more from 45 GB/s
/// on, up to 16 channels.
///   4 NICs of 25 on PCIe 4.0 (24): 4 rings of 24 -> 8 channels.
Result<ChannelCount> channels_between_nodes(const NodeSpec& node, std::uint32_t gpus);

}  // namespace caliper
