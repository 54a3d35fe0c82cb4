#include "collectives/slices.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kSteps = 8;
constexpr std::uint64_t kSimpleStepBytes = 512u << 10;
constexpr std::uint64_t kLlStepBytes = 32u << 10;   // data
constexpr std::uint64_t kLl128StepBytes = 576'000;  // data

constexpr std::uint64_t line_count(std::uint64_t bytes, std::uint64_t of_line) {
  return (bytes + of_line - 1) / of_line;
}

}  // namespace

Connection connection_of(Algorithm algorithm, Protocol protocol) {
  switch (protocol) {
    case Protocol::simple:
      if (algorithm == Algorithm::ring) return {2, kSteps / 2, 2 * kSimpleStepBytes};
      return {1, kSteps, kSimpleStepBytes};
    case Protocol::ll:
      return {1, kSteps, kLlStepBytes};
    case Protocol::ll128:
      return {1, kSteps, kLl128StepBytes};
  }
  CALIPER_CHECK(false);
}

Slices slices_of(std::uint64_t chunk_bytes, std::uint32_t element_bytes, std::uint32_t slices_per_chunk) {
  constexpr std::uint64_t kSmallestBytes = 2 * kSimpleStepBytes / 32;
  if (slices_per_chunk == 1) return {chunk_bytes, 0};
  const std::uint64_t elements = chunk_bytes / element_bytes;
  const std::uint64_t half = (elements + 31) / 32 * 16;
  const std::uint64_t slice = std::max(half, kSmallestBytes / element_bytes);
  const std::uint64_t first = std::min(slice, elements) * element_bytes;
  return {first, chunk_bytes - first};
}

std::uint64_t wire_bytes(Protocol protocol, std::uint64_t slice_bytes) {
  switch (protocol) {
    case Protocol::simple:
      return slice_bytes;
    case Protocol::ll:
      return line_count(slice_bytes, 8) * 16;
    case Protocol::ll128:
      return line_count(slice_bytes, 16 * 120) * 16 * 128;
  }
  CALIPER_CHECK(false);
}

}  // namespace caliper
