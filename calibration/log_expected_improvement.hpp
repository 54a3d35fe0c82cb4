// Logarithm of the expected improvement, accurate far into the tail, where the improvement itself underflows.
#pragma once

namespace caliper {

/// log h(z) of h(z) = phi(z) + z Phi(z), with phi and Phi the density and distribution of the standard
/// normal.
struct LogH {
  double value;
  double derivative;     ///< d log h / dz = Phi / h
  double density_ratio;  ///< phi / h
};

/// For z <= -1 by the backward recurrence of the ratios of repeated integrals of the normal tail (Gautschi,
/// SIAM Review 9(1), 1967), so that neither a value nor a derivative loses digits to cancellation.
LogH log_h(double z);

struct LogExpectedImprovement {
  double value;
  double by_mean;
  double by_deviation;
};

/// log E[max(0, best - Y)] of Y normal with this mean and standard deviation (> 0): improvement is downward.
/// Source: Ament et al., Unexpected Improvements to Expected Improvement, NeurIPS 2023, eq. 9.
LogExpectedImprovement log_expected_improvement(double mean, double deviation, double best);

}  // namespace caliper
