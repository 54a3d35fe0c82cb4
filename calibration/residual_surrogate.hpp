// Gaussian processes of all residuals at once: principal components of what was seen, under one kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "calibration/minimax_step.hpp"

namespace caliper {

/// The residuals are centred and split into their principal components; each component is a Gaussian process
/// of its own variance, all with the same Matern 5/2 correlation, so that one Cholesky factor serves all. Its
/// lengthscales are the most probable ones under the log-normal prior of gp_fit, components weighted by their
/// size. Interpolates: simulators are deterministic. Everything but the fit is independent of how many
/// residuals there are: each group is kept as the small matrix that has its norms. Source: Astudillo &
/// Frazier, Bayesian Optimization of Composite Functions, ICML 2019.
class ResidualSurrogate {
 public:
  /// @param points     [d x n], n >= 2, no two the same
  /// @param residuals  [m x n], finite
  /// @param sizes      of the groups, as for minimax_step
  /// Nothing where the correlations cannot be factorised. Cost: some 40 n^3.
  static std::optional<ResidualSurrogate> fit(const Eigen::MatrixXd& points, const Eigen::MatrixXd& residuals,
                                              const std::vector<Eigen::Index>& sizes);

  /// Mean and standard deviations of the components at a point.
  struct Components {
    Eigen::VectorXd mean, deviation;  ///< [k]
  };
  Components components(const Eigen::VectorXd& point) const;
  /// The loss of such components.
  double loss(const Eigen::VectorXd& components) const;
  /// Residuals expected at a point with their Jacobian, in coordinates in which groups have the same norms.
  LinearModel compressed(const Eigen::VectorXd& point) const;
  /// Of the groups in those coordinates, scaled such that root mean squares agree.
  const std::vector<Eigen::Index>& compressed_sizes() const { return compressed_sizes_; }
  /// Jacobian of all residuals, [m x d].
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& point) const;
  /// The same surrogate as if its own mean had been seen at one more point.
  std::optional<ResidualSurrogate> believing(const Eigen::VectorXd& point) const;

 private:
  ResidualSurrogate() = default;
  bool condition();
  Eigen::VectorXd correlations(const Eigen::VectorXd& point) const;
  Eigen::MatrixXd slopes(const Eigen::VectorXd& point) const;  // of the components, [k x d]

  Eigen::MatrixXd points_, scores_;  // [d x n], [n x k]
  Eigen::VectorXd lengthscales_;
  Eigen::MatrixXd lower_, weights_;     // Cholesky factor, [n x k]
  Eigen::VectorXd variance_;            // [k]
  Eigen::MatrixXd basis_;               // [m x k]
  std::vector<Eigen::MatrixXd> small_;  // of each group, [rows x (1 + k)]: R of (mean, basis)
  std::vector<Eigen::Index> compressed_sizes_;
};

}  // namespace caliper
