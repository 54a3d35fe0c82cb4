// Ranges of message sizes as scenarios write them: half open, "64 MiB .. 1 GiB", ".. 64 MiB", "64 MiB ..",
// "all".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace caliper {

/// Bytes in [begin, end).
struct SizeRange {
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t begin = 0;
  std::uint64_t end = kNoEnd;  ///< kNoEnd: open

  bool contains(std::uint64_t bytes) const { return bytes >= begin && (bytes < end || end == kNoEnd); }
  bool overlaps(const SizeRange& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const SizeRange&) const = default;
};

/// Problems (without a place): no range, sizes without unit, an end that is not above the begin.
Result<SizeRange> parse_size_range(std::string_view text);
/// What parse_size_range reads back.
std::string format_size_range(const SizeRange& range);

}  // namespace caliper
