#include "calibration/gaussian_process.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.hpp"
#include "calibration/jittered_cholesky.hpp"
#include "calibration/matern_kernel.hpp"

namespace caliper {

namespace {

// A posterior variance is the difference of two numbers near the outputscale; below this share of it only
// rounding is left, and zero or less would break logarithms and factorisations downstream.
constexpr double kSmallestShare = 1e-15;

}  // namespace

std::optional<GaussianProcess> GaussianProcess::condition(Eigen::MatrixXd points, Eigen::VectorXd values,
                                                          GpParameters parameters) {
  CALIPER_CHECK(points.cols() == values.size() && values.size() > 0);
  GaussianProcess process;
  process.parameters_ = std::move(parameters);
  process.points_ = std::move(points);
  process.residual_ = values.array() - process.parameters_.mean;
  Eigen::MatrixXd covariance = process.prior_covariance(process.points_, process.points_);
  covariance.diagonal().array() += process.parameters_.noise;
  auto factor = jittered_cholesky(covariance);
  if (!factor) return std::nullopt;
  process.lower_ = std::move(factor->lower);
  process.jitter_ = factor->jitter;
  process.weights_ = process.lower_.triangularView<Eigen::Lower>().solve(process.residual_);
  process.lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(process.weights_);
  if (!process.weights_.allFinite()) return std::nullopt;
  return process;
}

void GaussianProcess::profile_outputscale() {
  const double factor = residual_.dot(weights_) / static_cast<double>(residual_.size());
  if (!(factor > 0) || !std::isfinite(factor)) return;
  parameters_.outputscale *= factor;
  parameters_.noise *= factor;
  jitter_ *= factor;
  lower_ *= std::sqrt(factor);
  weights_ /= factor;
}

Eigen::MatrixXd GaussianProcess::prior_covariance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const {
  return parameters_.outputscale *
         matern_correlation(matern_distances(a, b, parameters_.lengthscales)).matrix();
}

double GaussianProcess::log_likelihood() const {
  return -0.5 * residual_.dot(weights_) - lower_.diagonal().array().log().sum() -
         0.5 * static_cast<double>(residual_.size()) * std::log(2 * std::numbers::pi);
}

GpLikelihoodGradient GaussianProcess::log_likelihood_gradient() const {
  const Eigen::Index n = residual_.size();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  lower_.triangularView<Eigen::Lower>().solveInPlace(inverse);
  inverse = inverse.transpose() * inverse.triangularView<Eigen::Lower>();
  // Of any parameter t: 1/2 sum of (w w' - K^-1) o dK/dt.
  const Eigen::ArrayXXd half_sensitivity = 0.5 * (weights_ * weights_.transpose() - inverse).array();
  const Eigen::ArrayXXd distances = matern_distances(points_, points_, parameters_.lengthscales);
  const Eigen::ArrayXXd sloped = parameters_.outputscale * matern_slope(distances) * half_sensitivity;

  GpLikelihoodGradient gradient;
  gradient.log_lengthscales = Eigen::VectorXd::Zero(points_.rows());
  for (Eigen::Index i = 0; i < points_.rows(); ++i) {
    const Eigen::ArrayXd x = points_.row(i).transpose().array() / parameters_.lengthscales[i];
    for (Eigen::Index j = 0; j < n; ++j)
      gradient.log_lengthscales[i] += (sloped.col(j) * (x - x[j]).square()).sum();
  }
  gradient.log_outputscale =
      parameters_.outputscale * (matern_correlation(distances) * half_sensitivity).sum();
  gradient.log_noise = parameters_.noise * half_sensitivity.matrix().trace();
  gradient.mean = weights_.sum();
  return gradient;
}

MarginalPosterior GaussianProcess::marginals(const Eigen::MatrixXd& points) const {
  MarginalPosterior posterior;
  posterior.whitened = prior_covariance(points_, points);
  posterior.mean = (posterior.whitened.transpose() * weights_).array() + parameters_.mean;
  lower_.triangularView<Eigen::Lower>().solveInPlace(posterior.whitened);
  const double scale = parameters_.outputscale;
  posterior.variance =
      (scale - posterior.whitened.colwise().squaredNorm().transpose().array()).max(kSmallestShare * scale);
  return posterior;
}

JointPosterior GaussianProcess::joint(const Eigen::MatrixXd& points) const {
  MarginalPosterior marginal = marginals(points);
  JointPosterior posterior{std::move(marginal.mean), prior_covariance(points, points),
                           std::move(marginal.whitened)};
  posterior.covariance -= posterior.whitened.transpose() * posterior.whitened;
  posterior.covariance.diagonal() = marginal.variance;
  return posterior;
}

Eigen::MatrixXd GaussianProcess::gradient_by_points(const Eigen::MatrixXd& points,
                                                    const JointPosterior& posterior,
                                                    const Eigen::VectorXd& by_mean,
                                                    const Eigen::MatrixXd& by_covariance) const {
  const Eigen::VectorXd& lengthscales = parameters_.lengthscales;
  const Eigen::ArrayXd inverse_squares = lengthscales.array().square().inverse();
  // By the cross covariances k(X, points), [n x q]; K^-1 k comes from the whitened columns.
  Eigen::MatrixXd by_cross = posterior.whitened * (-2 * by_covariance);
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(by_cross);
  by_cross += weights_ * by_mean.transpose();
  by_cross.array() *= parameters_.outputscale * matern_slope(matern_distances(points_, points, lengthscales));
  // By the prior covariances among the points; the diagonal is constant and its differences are zero.
  const Eigen::ArrayXXd by_prior = 2 * parameters_.outputscale * by_covariance.array() *
                                   matern_slope(matern_distances(points, points, lengthscales));

  Eigen::MatrixXd gradient(points.rows(), points.cols());
  for (Eigen::Index a = 0; a < points.cols(); ++a) {
    Eigen::VectorXd sum = points_ * by_cross.col(a) - by_cross.col(a).sum() * points.col(a);
    for (Eigen::Index b = 0; b < points.cols(); ++b) sum += by_prior(b, a) * (points.col(b) - points.col(a));
    gradient.col(a) = sum.array() * inverse_squares;
  }
  return gradient;
}

}  // namespace caliper
