// Cholesky factor of a covariance matrix that rounding may have made slightly indefinite.
#pragma once

#include <optional>

#include <Eigen/Core>

namespace caliper {

struct JitteredCholesky {
  Eigen::MatrixXd lower;  ///< L with L L' = covariance + jitter * I, [n x n]
  double jitter;          ///< absolute; 0 where the matrix was positive definite as it came
};

/// Tries jitters of 0, 1e-10, 1e-9 .. 1e-4 times the mean of the diagonal and takes the first that works;
/// none does for a matrix with a NaN, an infinity, or a truly negative eigenvalue. Only the lower triangle is
/// read. Cost: n^3/3 for each try.
std::optional<JitteredCholesky> jittered_cholesky(const Eigen::MatrixXd& covariance);

}  // namespace caliper
