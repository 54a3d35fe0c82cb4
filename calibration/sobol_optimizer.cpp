#include "calibration/sobol_optimizer.hpp"

#include "base/check.hpp"
#include "calibration/sobol.hpp"

namespace caliper {

std::vector<Eigen::VectorXd> initial_design(std::uint64_t seed, std::size_t dimensions) {
  return sobol_list(seed, dimensions, 0, 2 * (dimensions + 1));
}

SobolOptimizer::SobolOptimizer(SobolOptions options) : options_(options) {
  CALIPER_CHECK(options.batch >= 1);
}

std::vector<Eigen::VectorXd> SobolOptimizer::initial_points(std::size_t dimensions) const {
  return initial_design(options_.seed, dimensions);
}

std::vector<Eigen::VectorXd> SobolOptimizer::propose(std::span<const Evaluation> history) const {
  CALIPER_CHECK(!history.empty());
  const auto dimensions = static_cast<std::size_t>(history[0].point.size());
  return sobol_list(options_.seed, dimensions, history.size(), options_.batch);
}

}  // namespace caliper
