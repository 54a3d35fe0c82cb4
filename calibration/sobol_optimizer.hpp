// The baseline that learns nothing: ever more scrambled Sobol points.
#pragma once

#include <cstdint>

#include "calibration/optimizer.hpp"

namespace caliper {

struct SobolOptions {
  std::uint64_t seed = 1;
  std::size_t batch = 2;  ///< points of a proposal, >= 1
};

/// Start of all optimisers: 2 (d + 1) points, the first of the sequence that belongs to the seed.
std::vector<Eigen::VectorXd> initial_design(std::uint64_t seed, std::size_t dimensions);

class SobolOptimizer final : public Optimizer {
 public:
  explicit SobolOptimizer(SobolOptions options);
  std::vector<Eigen::VectorXd> initial_points(std::size_t dimensions) const override;
  /// The next points of the sequence; of the history only its length counts. `history` is not empty.
  std::vector<Eigen::VectorXd> propose(std::span<const Evaluation> history) const override;

 private:
  SobolOptions options_;
};

}  // namespace caliper
