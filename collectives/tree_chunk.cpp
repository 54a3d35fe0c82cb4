#include "collectives/tree_chunk.hpp"

#include <bit>

#include "base/check.hpp"
#include "base/units.hpp"
#include "collectives/slices.hpp"

namespace caliper {
namespace {

std::uint32_t log2_of(std::uint32_t nodes) { return static_cast<std::uint32_t>(std::bit_width(nodes)) - 1; }

std::uint64_t simple_chunk(const PartitionInput& in, std::uint64_t bytes, std::uint64_t channels) {
  std::uint64_t chunk = connection_of(in.algorithm, in.protocol).slot_bytes;
  if (in.family != PartitionFamily::a) return chunk;
  const std::uint64_t depth = in.ranks / in.nodes - 1 + log2_of(in.nodes);
  const auto halve = [&](std::uint64_t fewest, std::uint64_t smallest) {
    while (bytes / (channels * chunk) < fewest && chunk > smallest) chunk /= 2;
  };
  halve(depth * 8, 128 * kKiB);
  halve(depth * 4, 64 * kKiB);
  halve(depth, 32 * kKiB);
  return chunk;
}

std::uint64_t ll128_chunk(const PartitionInput& in, std::uint64_t bytes, std::uint64_t channels) {
  const bool on_wire = in.family == PartitionFamily::a;  // counts lines, the others data
  std::uint64_t chunk = connection_of(in.algorithm, in.protocol).slot_bytes;
  if (on_wire) chunk = chunk / 15 * 16;
  // As NCCL has it: a float of ranks a node, and 0.1 of it in double.
  const float ranks_a_node = static_cast<float>(in.ranks) / static_cast<float>(in.nodes);
  const auto steps = static_cast<float>(1 + log2_of(in.nodes) + 0.1 * static_cast<double>(ranks_a_node));
  const auto halve = [&](float times, std::uint64_t smallest) {
    while (static_cast<float>(bytes / (channels * chunk)) < steps * times / ranks_a_node && chunk > smallest)
      chunk /= 2;
  };
  halve(64, 128 * kKiB);
  halve(16, 32 * kKiB);
  if (on_wire) return chunk * 15 / 16;
  return in.family == PartitionFamily::c ? chunk / 1920 * 1920 : chunk;
}

}  // namespace

std::uint64_t tree_chunk(const PartitionInput& input, std::uint64_t bytes, std::uint64_t channels) {
  CALIPER_CHECK(input.nodes >= 1);
  switch (input.protocol) {
    case Protocol::simple:
      return simple_chunk(input, bytes, channels);
    case Protocol::ll:
      return connection_of(input.algorithm, input.protocol).slot_bytes;
    case Protocol::ll128:
      return ll128_chunk(input, bytes, channels);
  }
  CALIPER_CHECK(false);
}

}  // namespace caliper
