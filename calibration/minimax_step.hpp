// The step that a linear model of the residuals proposes: bounded least squares, over several groups the
// smallest of the largest.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace caliper {

/// Root mean squares of consecutive groups of residuals.
/// @param sizes  residuals of each group, >= 1; their sum is residuals.size()
std::vector<double> group_norms(const Eigen::VectorXd& residuals, std::span<const Eigen::Index> sizes);
/// The largest of them: a stage's loss.
double largest_norm(const Eigen::VectorXd& residuals, std::span<const Eigen::Index> sizes);

/// A linear model of residuals: residuals + jacobian * step.
struct LinearModel {
  Eigen::VectorXd residuals;  ///< [m]
  Eigen::MatrixXd jacobian;   ///< [m x d]
};

/// The step in the box that makes the model's largest group norm smallest. One group: bounded linear least
/// squares by active sets (Stark & Parker, Computational Statistics 10, 1995). Several: the epigraph,
/// smallest t with all mean squares at most t, by sequential quadratic programming (NLopt's SLSQP).
/// @param lower, upper  [d], lower <= 0 <= upper
Eigen::VectorXd minimax_step(const LinearModel& model, std::span<const Eigen::Index> sizes,
                             const Eigen::VectorXd& lower, const Eigen::VectorXd& upper);

}  // namespace caliper
