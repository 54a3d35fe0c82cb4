// How far predictions are from measurements: E = |simulated - measured| / measured, and its distribution.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace caliper {

/// Errors as fractions (0.01 is one per cent). All NaN where no point has an error.
struct ErrorStatistics {
  static constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;   ///< points that have an error
  std::size_t failed = 0;  ///< points without one: the simulated time is not finite
  double mean = kUnset;
  double p50 = kUnset;
  double p95 = kUnset;
  double max = kUnset;
  double signed_mean =
      kUnset;  ///< mean of (simulated - measured) / measured: above 0, the simulator is too slow
};

/// @param simulated  s, one per point; not finite where the simulator gave no time
/// @param measured   s, one per point, every one finite and > 0
ErrorStatistics error_statistics(std::span<const double> simulated, std::span<const double> measured);

/// Quantile q in [0, 1] of finite values: with n values in ascending order x[0..n-1], position h = q (n - 1),
/// linear between x[floor h] and x[ceil h]. This is the default of numpy and R (type 7 of Hyndman and Fan,
/// 1996). NaN of no values.
double quantile(std::vector<double> values, double q);

}  // namespace caliper
