// The largest chunk of Tree AllReduce.
// Source: NCCL 2.19.4, 2.21.5 and 2.28.9 enqueue.cc.
#pragma once

#include <cstdint>

#include "collectives/partition.hpp"

namespace caliper {

/// In bytes of data, for `bytes` over `channels` channels: all of them (families A, B), or those of one
/// channel alone (C). Chunks are halved until a tree of some depth is filled:
///   simple  512 KiB; in family A halved to 256, 128, 64, 32 KiB where there are few chunks for the depth
///   ll      32 KiB
///   ll128   576,000 B, halved where there are few chunks for the steps between nodes; in family C whole
///           warps of 1,920 B
std::uint64_t tree_chunk(const PartitionInput& input, std::uint64_t bytes, std::uint64_t channels);

}  // namespace caliper
