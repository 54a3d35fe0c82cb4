// How NCCL cuts a buffer over channels, loops and chunks, exactly, in 64-bit integers.
// Source: NCCL 2.19.4 device/{all_reduce,all_gather,reduce_scatter}.h (family A), 2.21.5 enqueue.cc
// (B), 2.28.9 enqueue.cc (C, "continuous byte distribution"); chunks of trees in tree_chunk.hpp.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "collectives/execution.hpp"

namespace caliper {

/// Largest message and communicator that plans are made for; all sums of bytes then fit 64 bits.
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 44;
inline constexpr std::uint32_t kMaxRanks = 1u << 18;
/// NCCL's own limit.
inline constexpr std::uint32_t kMaxChannels = 64;

/// What an operation gets of a communicator's channels.
struct ChannelUse {
  std::uint32_t channels;  ///< in family C a budget: its partition may use fewer
  std::uint32_t threads;   ///< of a block, with the warp that synchronises
};

struct Communicator {
  std::uint32_t ranks;
  std::uint32_t channels;
};

/// A channel fewer while a thread has less to do than it is worth, then fewer threads:
///   simple  64 B a thread, 512 threads: 32 KiB a channel
///   ll      8 B, with rings times the ranks; 512 threads: 4 KiB times the ranks a channel
///   ll128   8 B, 640 threads: 5 KiB a channel
/// @param bytes  of the full buffer: for AllGather and ReduceScatter over all ranks
ChannelUse channel_use(std::uint64_t bytes, Communicator communicator, Algorithm algorithm = Algorithm::ring,
                       Protocol protocol = Protocol::simple);

/// Equal loops of one channel that follow one another. In a loop AllReduce works on one chunk for each rank,
/// chunk j being the bytes [j * spacing, min(j * spacing + chunk, extent)) of the loop; AllGather and
/// ReduceScatter work on a single chunk of every rank's block, Tree on a single chunk. All in bytes.
struct LoopRun {
  std::uint64_t loops;   ///< >= 1
  std::uint64_t offset;  ///< of the first loop, in the buffer (AllReduce) or in each block
  std::uint64_t stride;  ///< from a loop to the next
  std::uint64_t chunk;   ///< of a full chunk
  std::uint64_t extent;  ///< of a loop; 0: a loop of empty chunks, which NCCL runs all the same
  /// From a chunk to the next. More than a chunk: those of other channels lie between.
  std::uint64_t spacing = chunk;

  std::uint64_t chunk_bytes(std::uint64_t j) const {
    const std::uint64_t begin = j * spacing;
    return begin >= extent ? 0 : std::min(chunk, extent - begin);
  }
  auto operator<=>(const LoopRun&) const = default;
};

/// The whole partition. Its size depends on the channels alone, not on the bytes.
struct ChunkTable {
  std::uint32_t chunks_per_loop = 0;           ///< ranks for AllReduce by rings, else 1
  std::vector<std::vector<LoopRun>> channels;  ///< [channels used], from channel 0
  bool operator==(const ChunkTable&) const = default;
};

struct PartitionInput {
  Collective collective;
  PartitionFamily family;
  std::uint32_t ranks;          ///< >= 2
  std::uint32_t element_bytes;  ///< 1, 2, 4 or 8
  std::uint32_t channels;       ///< of the communicator
  std::uint64_t count;  ///< elements: of the buffer (AllReduce), of a rank's block (AllGather, ReduceScatter)
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::uint32_t nodes = 1;  ///< of the communicator; matters to the chunks of trees
};

/// No channels where count is 0. Cost: O(channels).
ChunkTable make_chunk_table(const PartitionInput& input);

}  // namespace caliper
