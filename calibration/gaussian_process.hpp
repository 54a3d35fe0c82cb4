// Gaussian process with a Matern 5/2 kernel and a constant mean: likelihood, posterior, and gradients of
// both.
#pragma once

#include <optional>

#include <Eigen/Core>

namespace caliper {

/// Units: those of the values (squared for the two variances) and of the points.
struct GpParameters {
  Eigen::VectorXd lengthscales;  ///< [d], > 0
  double outputscale = 1;        ///< variance of the process, > 0
  double noise = 0;              ///< variance of an observation about the process, >= 0
  double mean = 0;
};

/// Of the log marginal likelihood.
struct GpLikelihoodGradient {
  Eigen::VectorXd log_lengthscales;  ///< [d]
  double log_outputscale;
  double log_noise;
  double mean;
};

/// The process at q points, given the observations; without the noise of a further observation.
struct JointPosterior {
  Eigen::VectorXd mean;        ///< [q]
  Eigen::MatrixXd covariance;  ///< [q x q], symmetric, its diagonal > 0
  Eigen::MatrixXd
      whitened;  ///< [n x q], L^-1 k(X, points): two points' covariance is k(x, y) - their dot product
};

/// The variances alone, for many points at once.
struct MarginalPosterior {
  Eigen::VectorXd mean;      ///< [m]
  Eigen::VectorXd variance;  ///< [m], > 0
  Eigen::MatrixXd whitened;  ///< [n x m]
};

/// Source of the formulas: Rasmussen & Williams, Gaussian Processes for Machine Learning, ch. 2 and 5.
class GaussianProcess {
 public:
  /// @param points  [d x n], a point a column, n >= 1
  /// @param values  [n]
  /// Nothing where the covariance cannot be factorised (see jittered_cholesky). Cost: n^3/3.
  static std::optional<GaussianProcess> condition(Eigen::MatrixXd points, Eigen::VectorXd values,
                                                  GpParameters parameters);

  /// Multiplies both variances (and the jitter) by the one factor that maximises the likelihood, residual'
  /// K^-1 residual / n; does nothing where all residuals are 0. After it, the likelihood's gradient by the
  /// lengthscales is that of the likelihood maximised over the outputscale. Cost: n^2.
  void profile_outputscale();

  const GpParameters& parameters() const { return parameters_; }
  /// What had to be added to the noise for the factorisation; 0 as a rule.
  double jitter() const { return jitter_; }

  double log_likelihood() const;
  /// Cost: n^3.
  GpLikelihoodGradient log_likelihood_gradient() const;

  /// Cost: n^2 for a point; `points` are [d x m].
  MarginalPosterior marginals(const Eigen::MatrixXd& points) const;
  JointPosterior joint(const Eigen::MatrixXd& points) const;
  /// Chain rule: the gradient by the points [d x q] of a function of the joint posterior at them.
  /// @param by_mean        its derivative by the mean, [q]
  /// @param by_covariance  by each entry of the covariance taken as independent, [q x q], symmetric
  Eigen::MatrixXd gradient_by_points(const Eigen::MatrixXd& points, const JointPosterior& posterior,
                                     const Eigen::VectorXd& by_mean,
                                     const Eigen::MatrixXd& by_covariance) const;
  /// Prior covariance of two sets of points, [m x k].
  Eigen::MatrixXd prior_covariance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const;

 private:
  GaussianProcess() = default;

  GpParameters parameters_;
  Eigen::MatrixXd points_;    // [d x n]
  Eigen::VectorXd residual_;  // values - mean
  Eigen::MatrixXd lower_;     // Cholesky factor
  Eigen::VectorXd weights_;   // K^-1 residual
  double jitter_ = 0;
};

}  // namespace caliper
