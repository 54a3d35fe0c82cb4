#include "validation/error_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace caliper {

double quantile(std::vector<double> values, double q) {
  CALIPER_CHECK(q >= 0 && q <= 1);
  if (values.empty()) return ErrorStatistics::kUnset;
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

ErrorStatistics error_statistics(std::span<const double> simulated, std::span<const double> measured) {
  CALIPER_CHECK(simulated.size() == measured.size());
  ErrorStatistics found;
  std::vector<double> errors;
  double sum = 0;
  double signed_sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    CALIPER_CHECK(std::isfinite(measured[i]) && measured[i] > 0);
    const double error = (simulated[i] - measured[i]) / measured[i];
    if (!std::isfinite(error)) {
      ++found.failed;
      continue;
    }
    errors.push_back(std::abs(error));
    sum += std::abs(error);
    signed_sum += error;
  }
  found.count = errors.size();
  if (errors.empty()) return found;
  const auto n = static_cast<double>(errors.size());
  found.mean = sum / n;
  found.signed_mean = signed_sum / n;
  found.max = *std::max_element(errors.begin(), errors.end());
  found.p50 = quantile(errors, 0.50);
  found.p95 = quantile(std::move(errors), 0.95);
  return found;
}

}  // namespace caliper
