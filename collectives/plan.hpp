// The plan: what NCCL executes for one size. An execution says who talks to whom, a plan adds how much and in
// which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/execution.hpp"
#include "collectives/partition.hpp"
#include "collectives/primitives.hpp"
#include "collectives/slices.hpp"

namespace caliper {

/// A value whose size does not depend on the bytes.
struct Plan {
  const Execution* execution;  ///< outlives the plan
  std::uint64_t bytes;         ///< asked for: of the full buffer, as nccl-tests prints it
  std::uint64_t
      count;  ///< elements of a rank: bytes / element, for AllGather and ReduceScatter / (element * ranks)
  PrimitiveSequence sequence;  ///< of rings; without runs where there is a single rank
  ChunkTable table;            ///< without channels where count is 0 or there is a single rank
  std::uint32_t slices_per_chunk;
  std::uint32_t window;  ///< slices of a connection that may wait to be released

  std::uint32_t channels() const { return static_cast<std::uint32_t>(table.channels.size()); }
  /// Identity of what is done at this size, beside who does it; 64 hex digits.
  std::string hash() const;
  /// Bytes of the full buffer that take part.
  std::uint64_t buffer_bytes() const;
  /// Of data; a link carries wire_bytes of each.
  Slices slices(std::uint64_t chunk_bytes) const {
    return slices_of(chunk_bytes, execution->element_bytes, slices_per_chunk);
  }
};

/// A remainder of `bytes` that is no whole element (of every rank) is dropped, as NCCL's own interface has
/// counts only. bytes <= kMaxMessageBytes; the execution has passed check_channels.
Plan make_plan(const Execution& execution, std::uint64_t bytes);
Plan make_plan(const Execution&& execution, std::uint64_t bytes) = delete;

/// Data sent over all connections of all channels, counted slice by slice. A program counts wire bytes.
std::uint64_t bytes_sent(const Plan& plan);
/// Operations of the lowered program, written out.
std::uint64_t operation_count(const Plan& plan);
/// Its workers: blocks and proxies.
std::uint64_t worker_count(const Plan& plan);
/// Slices that it posts, hand-overs to proxies included.
std::uint64_t slice_count(const Plan& plan);

/// A line of the chunk table for people: neighbouring channels that are cut alike.
struct ChunkRow {
  std::uint32_t first_channel, last_channel;
  std::uint64_t loops;             ///< of each channel
  std::uint64_t chunk_bytes;       ///< of chunk 0
  std::uint32_t full_chunks;       ///< of this size in a loop
  std::uint64_t last_chunk_bytes;  ///< of the one behind them; 0: empty or none
  std::uint32_t empty_chunks;      ///< behind that
  Slices slices;                   ///< of chunk 0
};
std::vector<ChunkRow> chunk_rows(const Plan& plan);

}  // namespace caliper
