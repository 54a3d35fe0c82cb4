#include "calibration/failure_model.hpp"

#include <cmath>
#include <utility>

namespace caliper {

namespace {

// Weight of not knowing: a lone failure at a distance of three reaches still halves the chance, not beyond.
constexpr double kPriorSuccess = 0.01;

// exp(-r^2 / 2) of r = distance / reach, for each of the points.
Eigen::RowVectorXd kernel(const Eigen::MatrixXd& points, const Eigen::VectorXd& point, double reach) {
  return (-0.5 / (reach * reach) * (points.colwise() - point).colwise().squaredNorm().array()).exp();
}

}  // namespace

FailureModel::FailureModel(Eigen::MatrixXd succeeded, Eigen::MatrixXd failed)
    : succeeded_(std::move(succeeded)),
      failed_(std::move(failed)),
      reach_(0.1 * std::sqrt(static_cast<double>(succeeded_.rows()))) {}

double FailureModel::log_success(const Eigen::VectorXd& point, Eigen::VectorXd* gradient) const {
  if (failed_.cols() == 0) return 0;
  const Eigen::RowVectorXd good = kernel(succeeded_, point, reach_), bad = kernel(failed_, point, reach_);
  const double success = kPriorSuccess + good.sum(), all = success + bad.sum();
  double log_chance = std::log(success / all);
  if (gradient != nullptr) {
    const Eigen::VectorXd by_good = (succeeded_.colwise() - point) * good.transpose();
    const Eigen::VectorXd by_bad = (failed_.colwise() - point) * bad.transpose();
    *gradient += (by_good * (1 / success - 1 / all) - by_bad / all) / (reach_ * reach_);
  }
  const double hole = 0.5 * reach_;
  for (Eigen::Index f = 0; f < failed_.cols(); ++f) {
    const Eigen::VectorXd step = (point - failed_.col(f)) / hole;
    const double s = 0.5 * step.squaredNorm() + 1e-12;  // finite at the failure itself
    log_chance += std::log(-std::expm1(-s));
    if (gradient != nullptr) *gradient += step / (hole * std::expm1(s));
  }
  return log_chance;
}

}  // namespace caliper
