// What a proposal maximises: log expected improvement of one point, of a pair, and of a point beside a
// pending one, plus the logarithm of the chance that the evaluation succeeds.
#pragma once

#include <Eigen/Core>

#include "calibration/failure_model.hpp"
#include "calibration/gaussian_process.hpp"

namespace caliper {

class Acquisition {
 public:
  /// @param best          smallest observed value
  /// @param failures      where evaluations succeeded and failed
  /// @param base_samples  standard normal, [samples x 2]
  Acquisition(const GaussianProcess& process, double best, FailureModel failures,
              Eigen::MatrixXd base_samples);

  /// Of a single point, analytic; writes the gradient [d].
  double single(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) const;
  /// Of two points, by qLogEI; [d x 2].
  double pair(const Eigen::MatrixXd& points, Eigen::MatrixXd& gradient) const;

  /// The same for each of many candidates [d x m], without gradients.
  Eigen::VectorXd singles(const Eigen::MatrixXd& candidates) const;
  Eigen::VectorXd pairs_with(const Eigen::VectorXd& pending, const Eigen::MatrixXd& candidates) const;

 private:
  const GaussianProcess& process_;
  double best_;
  FailureModel failures_;
  Eigen::MatrixXd base_samples_;
};

}  // namespace caliper
