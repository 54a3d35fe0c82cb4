// The pieces in which a chunk travels.
#pragma once

#include <array>
#include <cstdint>

namespace caliper {

/// Slices of a chunk of Ring/Simple AllReduce, AllGather, ReduceScatter; each is posted, also when it is
/// empty.
inline constexpr std::uint32_t kSlicesPerChunk = 2;
/// Slices that a connection holds: 8 steps of 512 KiB, 2 steps a slice.
inline constexpr std::uint32_t kWindowSlices = 4;
inline constexpr std::uint64_t kMaxSliceBytes = 1u << 20;

/// Bytes of the two slices. The first is half the chunk rounded up to 16 elements, but at least 32 KiB (or
/// all there is), so that a chunk of up to 32 KiB goes as one slice and an empty one. Source: NCCL 2.28.9
/// device/prims_simple.h.
std::array<std::uint64_t, kSlicesPerChunk> slices_of(std::uint64_t chunk_bytes, std::uint32_t element_bytes);

}  // namespace caliper
