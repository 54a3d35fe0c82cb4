#include "collectives/slices.hpp"

#include <algorithm>

namespace caliper {

std::array<std::uint64_t, kSlicesPerChunk> slices_of(std::uint64_t chunk_bytes, std::uint32_t element_bytes) {
  constexpr std::uint64_t kSmallestBytes = kMaxSliceBytes / 32;
  const std::uint64_t elements = chunk_bytes / element_bytes;
  const std::uint64_t half = (elements + 31) / 32 * 16;
  const std::uint64_t slice = std::max(half, kSmallestBytes / element_bytes);
  const std::uint64_t first = std::min(slice, elements) * element_bytes;
  return {first, chunk_bytes - first};
}

}  // namespace caliper
