#include "calibration/log_expected_improvement.hpp"

#include <cmath>
#include <numbers>

namespace caliper {

namespace {

const double kHalfLogTwoPi = 0.5 * std::log(2 * std::numbers::pi);

// z = -t <= -1. With H_n the repeated integrals of the tail (H_-1 the density) and r_n = H_n / H_(n-1):
// H_(n-1) = t H_n + (n+1) H_(n+1), hence r_n = 1 / (t + (n+1) r_(n+1)), stable backward; h = phi r_0 r_1.
LogH log_h_tail(double t) {
  double r0 = 1 / t, r1 = 1 / t;
  if (t < 1e6) {
    const int start = t >= 60 ? 8 : 12 + static_cast<int>(220 / t);
    double r = (std::sqrt(t * t + 4.0 * (start + 1)) - t) / (2.0 * (start + 1));
    for (int n = start - 1; n >= 1; --n) r = 1 / (t + (n + 1) * r);
    r1 = r;
    r0 = 1 / (t + r1);
  } else if (t < 1e12) {
    r1 = 1 / (t + 2 / t);
    r0 = 1 / (t + r1);
  }
  return {-0.5 * t * t - kHalfLogTwoPi + std::log(r0) + std::log(r1), 1 / r1, 1 / r0 / r1};
}

}  // namespace

LogH log_h(double z) {
  if (z <= -1) return log_h_tail(-z);
  const double density = std::exp(-0.5 * z * z - kHalfLogTwoPi);
  const double distribution = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  if (z <= 0) {
    const double h = density + z * distribution;
    return {std::log(h), distribution / h, density / h};
  }
  // By h(z) = z + h(-z): h passes 1 near z = 0.9, where only log1p keeps the digits of the logarithm.
  const double mirrored = density - z * 0.5 * std::erfc(z / std::numbers::sqrt2);
  const double h = z + mirrored;
  return {std::log1p((z - 1) + mirrored), distribution / h, density / h};
}

LogExpectedImprovement log_expected_improvement(double mean, double deviation, double best) {
  const LogH h = log_h((best - mean) / deviation);
  return {std::log(deviation) + h.value, -h.derivative / deviation, h.density_ratio / deviation};
}

}  // namespace caliper
