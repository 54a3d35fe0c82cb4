// Chance that a candidate can be evaluated at all, from where evaluations succeeded and failed.
#pragma once

#include <Eigen/Core>

namespace caliper {

/// Two factors. Near more failures than successes a candidate probably fails too: a ratio of Gaussian kernel
/// sums, reach 0.1 sqrt(d), certain success where nothing is known. And no failure is tried again, however
/// many successes surround it: 1 - exp(-s) with half the reach, which vanishes at the failure itself. Without
/// failures the chance is exactly 1. Multiplying an improvement by it is the constrained expected improvement
/// of Gelbart, Snoek, Adams (UAI 2014).
class FailureModel {
 public:
  /// @param succeeded  [d x n], points of the unit cube
  /// @param failed     [d x f]
  FailureModel(Eigen::MatrixXd succeeded, Eigen::MatrixXd failed);

  /// ln of the chance, finite everywhere; adds its derivatives to `gradient` [d] unless that is null.
  double log_success(const Eigen::VectorXd& point, Eigen::VectorXd* gradient) const;

 private:
  Eigen::MatrixXd succeeded_, failed_;
  double reach_;
};

}  // namespace caliper
