// The pieces in which a chunk travels, and what each protocol makes of them on a wire.
// Source: NCCL 2.28.9 device/prims_simple.h, prims_ll.h, prims_ll128.h, include/device.h.
#pragma once

#include <array>
#include <cstdint>

#include "collectives/execution.hpp"

namespace caliper {

/// Slices of a chunk of Ring/Simple; all others have one.
inline constexpr std::uint32_t kMostSlicesPerChunk = 2;
/// Bytes of data; those beyond the slices of a chunk are 0.
using Slices = std::array<std::uint64_t, kMostSlicesPerChunk>;

/// A connection is a FIFO of 8 steps. A slice takes 2 of them with Ring/Simple, else 1.
struct Connection {
  std::uint32_t slices_per_chunk;  ///< each is posted, also when it is empty
  std::uint32_t window;            ///< slices that it holds
  std::uint64_t slot_bytes;        ///< data of a slice at most
};
///   Ring/Simple        2 slices of at most 1 MiB, window 4
///   Tree/Simple        1 of 512 KiB, window 8
///   LL, LL128          1 of 32 KiB or 576,000 B, window 8
Connection connection_of(Algorithm algorithm, Protocol protocol);

/// Bytes of the slices. Of two, the first is half the chunk rounded up to 16 elements, but at least 32 KiB
/// (or all there is), so that a chunk of up to 32 KiB goes as one slice and an empty one.
Slices slices_of(std::uint64_t chunk_bytes, std::uint32_t element_bytes,
                 std::uint32_t slices_per_chunk = kMostSlicesPerChunk);

/// What a slice occupies of a buffer and of every link that it crosses.
///   simple  its bytes
///   ll      lines of 8 B of data and 8 B of flags
///   ll128   lines of 120 B of data and a flag of 8 B, 16 lines at a time: a warp stores all of its lines,
///   also
///           where the slice ends before them, and the network message has the same length
std::uint64_t wire_bytes(Protocol protocol, std::uint64_t slice_bytes);

}  // namespace caliper
