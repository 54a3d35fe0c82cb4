#include "calibration/acquisition.hpp"

#include <cmath>
#include <utility>

#include "calibration/log_expected_improvement.hpp"
#include "calibration/q_log_expected_improvement.hpp"

namespace caliper {

Acquisition::Acquisition(const GaussianProcess& process, double best, FailureModel failures,
                         Eigen::MatrixXd base_samples)
    : process_(process),
      best_(best),
      failures_(std::move(failures)),
      base_samples_(std::move(base_samples)) {}

double Acquisition::single(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) const {
  const JointPosterior posterior = process_.joint(point);
  const double deviation = std::sqrt(posterior.covariance(0, 0));
  const auto improvement = log_expected_improvement(posterior.mean[0], deviation, best_);
  gradient = process_.gradient_by_points(
      point, posterior, Eigen::VectorXd::Constant(1, improvement.by_mean),
      Eigen::MatrixXd::Constant(1, 1, improvement.by_deviation / (2 * deviation)));
  return improvement.value + failures_.log_success(point, &gradient);
}

double Acquisition::pair(const Eigen::MatrixXd& points, Eigen::MatrixXd& gradient) const {
  const JointPosterior posterior = process_.joint(points);
  const auto improvement =
      q_log_expected_improvement(posterior.mean, posterior.covariance, best_, base_samples_);
  gradient = process_.gradient_by_points(points, posterior, improvement.by_mean, improvement.by_covariance);
  double value = improvement.value;
  for (Eigen::Index j = 0; j < points.cols(); ++j) {
    Eigen::VectorXd by_point = gradient.col(j);
    value += failures_.log_success(points.col(j), &by_point);
    gradient.col(j) = by_point;
  }
  return value;
}

Eigen::VectorXd Acquisition::singles(const Eigen::MatrixXd& candidates) const {
  const MarginalPosterior posterior = process_.marginals(candidates);
  Eigen::VectorXd values(candidates.cols());
  for (Eigen::Index j = 0; j < candidates.cols(); ++j)
    values[j] = log_expected_improvement(posterior.mean[j], std::sqrt(posterior.variance[j]), best_).value +
                failures_.log_success(candidates.col(j), nullptr);
  return values;
}

Eigen::VectorXd Acquisition::pairs_with(const Eigen::VectorXd& pending,
                                        const Eigen::MatrixXd& candidates) const {
  const MarginalPosterior posterior = process_.marginals(candidates), fixed = process_.marginals(pending);
  const Eigen::VectorXd cross =
      process_.prior_covariance(candidates, pending) - posterior.whitened.transpose() * fixed.whitened;
  const double constant = failures_.log_success(pending, nullptr);
  Eigen::VectorXd values(candidates.cols());
  for (Eigen::Index j = 0; j < candidates.cols(); ++j) {
    const Eigen::Vector2d mean(fixed.mean[0], posterior.mean[j]);
    const Eigen::Matrix2d covariance{{fixed.variance[0], cross[j]}, {cross[j], posterior.variance[j]}};
    values[j] = q_log_expected_improvement(mean, covariance, best_, base_samples_).value + constant +
                failures_.log_success(candidates.col(j), nullptr);
  }
  return values;
}

}  // namespace caliper
