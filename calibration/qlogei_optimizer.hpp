// Batch Bayesian optimisation of the scalar loss: Gaussian process and log expected improvement, two points
// at a time.
#pragma once

#include <cstdint>

#include "calibration/optimizer.hpp"

namespace caliper {

/// Every count is >= 1. The defaults keep a proposal at 70 observations of 6 parameters near 20 ms.
struct QlogeiOptions {
  std::uint64_t seed = 1;
  std::size_t raw_samples = 256;  ///< candidates of which the starts of the search are picked
  std::size_t restarts = 4;       ///< starts of the search, independent tasks
  std::size_t mc_samples = 128;   ///< of the two-point improvement
};

/// The surrogate is of the loss or of its logarithm, whichever makes the history more probable. Point 1
/// maximises the analytic log expected improvement, point 2 the two-point one beside point 1; then both move
/// together. Source: Ament et al., Unexpected Improvements to Expected Improvement, NeurIPS 2023.
class QlogeiOptimizer final : public Optimizer {
 public:
  explicit QlogeiOptimizer(QlogeiOptions options);
  std::vector<Eigen::VectorXd> initial_points(std::size_t dimensions) const override;
  /// Two points, neither of them in the history and not the same. `history` is not empty.
  std::vector<Eigen::VectorXd> propose(std::span<const Evaluation> history) const override;

 private:
  QlogeiOptions options_;
};

}  // namespace caliper
