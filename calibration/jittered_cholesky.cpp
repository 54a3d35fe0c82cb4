#include "calibration/jittered_cholesky.hpp"

#include <cmath>

#include <Eigen/Cholesky>

namespace caliper {

std::optional<JitteredCholesky> jittered_cholesky(const Eigen::MatrixXd& covariance) {
  const double scale = covariance.diagonal().mean();
  // Eigen's factorisation does not promise to notice a NaN, so the factor is looked at once more.
  if (!std::isfinite(scale) || !(scale > 0)) return std::nullopt;
  for (const double relative : {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}) {
    JitteredCholesky result{covariance, relative * scale};
    result.lower.diagonal().array() += result.jitter;
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(result.lower);
    if (in_place.info() != Eigen::Success) continue;
    result.lower.triangularView<Eigen::StrictlyUpper>().setZero();
    if (!result.lower.allFinite()) return std::nullopt;
    return result;
  }
  return std::nullopt;
}

}  // namespace caliper
