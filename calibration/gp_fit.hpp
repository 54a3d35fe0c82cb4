// Lengthscales of a Gaussian process for a deterministic function on the unit cube.
#pragma once

#include <optional>

#include "calibration/gaussian_process.hpp"

namespace caliper {

struct GpFitOptions {
  /// Variance of the noise as a share of the outputscale: none is expected, this much keeps the covariance
  /// invertible.
  double noise_share = 1e-10;
  double shortest = 0.025, longest = 50;  ///< bounds of a lengthscale, in units of the cube
  int evaluations = 50;                   ///< of the likelihood, for each start
};

/// The most probable lengthscales under a log-normal prior of ln-mean sqrt2 + ln(d)/2 and ln-deviation sqrt3
/// (Hvarfner, Hellsten, Nardi, ICML 2024), with the outputscale at its maximum-likelihood value y' R^-1 y / n
/// for each of them. Two deterministic starts: the mode of the prior, and the best of a few equal
/// lengthscales.
/// @param points  [d x n], in the unit cube, no two the same
/// @param values  [n], of mean 0; where all are 0 the outputscale stays 1
/// Nothing where no covariance could be factorised. Cost: evaluations * n^3.
std::optional<GaussianProcess> fit_gaussian_process(const Eigen::MatrixXd& points,
                                                    const Eigen::VectorXd& values,
                                                    const GpFitOptions& options);

}  // namespace caliper
