// Logarithm of the expected improvement of a batch, by Monte Carlo with fixed base samples and smooth,
// heavy-tailed stand-ins for max(0, x) and for the maximum over the batch, so that a gradient exists
// everywhere. Source: Ament et al., Unexpected Improvements to Expected Improvement, NeurIPS 2023, sec. 4.2
// and app. A; the constants are those of BoTorch's qLogExpectedImprovement.
#pragma once

#include <span>

#include <Eigen/Core>

namespace caliper {

/// ln of tau (softplus(x / tau) + 0.1 / (1 + (x / tau)^2)), a positive and increasing max(0, x), and its
/// derivative.
struct LogFatPlus {
  double value;
  double derivative;
};
LogFatPlus log_fat_plus(double x, double tau);

/// max + tau ln sum 2 / (2 + 2 u + u^2) of u = (max - x) / tau: a smooth maximum. `weights` (same size)
/// receives its derivatives by each x; they add up to 1.
double fat_max(std::span<const double> x, double tau, std::span<double> weights);

struct QLogExpectedImprovement {
  double value;
  Eigen::VectorXd by_mean;        ///< [q]
  Eigen::MatrixXd by_covariance;  ///< by each entry taken as independent, [q x q], symmetric
};

/// Of the joint normal posterior at q points; improvement is downward from `best`. The temperature of the
/// improvement is 1e-6 in units of the values, so give it standardised ones. Where no sample improves, the
/// value is that of the stand-ins' tails (near -50), good for its gradient only: not comparable with the
/// analytic form.
/// @param base_samples  standard normal, [samples x q]; sample s is mean + L base_samples[s]
/// Minus infinity with zero derivatives where the covariance cannot be factorised. Cost: samples * q.
QLogExpectedImprovement q_log_expected_improvement(const Eigen::VectorXd& mean,
                                                   const Eigen::MatrixXd& covariance, double best,
                                                   const Eigen::MatrixXd& base_samples);

}  // namespace caliper
