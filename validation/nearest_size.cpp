#include "validation/nearest_size.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace caliper {

std::optional<double> nearest_size_time(std::span<const SizedTime> fitted, std::uint64_t bytes) {
  if (fitted.empty() || bytes == 0) return std::nullopt;
  CALIPER_CHECK(fitted.front().bytes > 0);
  CALIPER_CHECK(std::ranges::is_sorted(fitted, {}, &SizedTime::bytes));
  const auto above = std::ranges::lower_bound(fitted, bytes, {}, &SizedTime::bytes);
  if (above != fitted.end() && above->bytes == bytes) return above->seconds;
  const auto size = static_cast<double>(bytes);
  if (above == fitted.begin() || above == fitted.end()) {
    const SizedTime& nearest = above == fitted.begin() ? fitted.front() : fitted.back();
    return nearest.seconds * size / static_cast<double>(nearest.bytes);
  }
  const SizedTime &low = *(above - 1), &high = *above;
  const double share = std::log(size / static_cast<double>(low.bytes)) /
                       std::log(static_cast<double>(high.bytes) / static_cast<double>(low.bytes));
  return low.seconds * std::pow(high.seconds / low.seconds, share);
}

}  // namespace caliper
