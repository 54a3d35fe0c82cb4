#include "calibration/q_log_expected_improvement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "calibration/jittered_cholesky.hpp"

namespace caliper {

namespace {

constexpr double kImprovementTemperature = 1e-6;
constexpr double kMaximumTemperature = 1e-2;

// By A of a function of L, where A = L L' and by_lower are the derivatives by L's lower triangle (Murray,
// Differentiation of the Cholesky decomposition, arXiv 1602.07527, eq. 10).
Eigen::MatrixXd through_cholesky(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& by_lower) {
  const auto triangle = lower.triangularView<Eigen::Lower>();
  Eigen::MatrixXd inner = (lower.transpose() * by_lower).triangularView<Eigen::Lower>();
  inner.diagonal() *= 0.5;
  triangle.transpose().solveInPlace(inner);
  Eigen::MatrixXd outer = inner.transpose();
  triangle.transpose().solveInPlace(outer);
  return 0.5 * (outer + outer.transpose());
}

}  // namespace

LogFatPlus log_fat_plus(double x, double tau) {
  const double u = x / tau;
  const double tail = 1 / (1 + u * u);
  double softplus = u, sigmoid = 1;
  if (u <= 40) {  // above, the two differ from u and 1 by less than a rounding
    const double e = std::exp(u);
    softplus = std::log1p(e);
    sigmoid = e / (1 + e);
  }
  const double sum = softplus + 0.1 * tail;
  return {std::log(tau * sum), (sigmoid - 0.2 * u * tail * tail) / (tau * sum)};
}

double fat_max(std::span<const double> x, double tau, std::span<double> weights) {
  CALIPER_CHECK(!x.empty() && x.size() == weights.size());
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(x) - x.begin());
  double sum = 0, slopes = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double u = (x[largest] - x[j]) / tau;
    const double share = 2 / (2 + u * (2 + u));
    weights[j] = share * share * (1 + u);
    sum += share;
    slopes += weights[j];
  }
  for (double& weight : weights) weight /= sum;
  weights[largest] += 1 - slopes / sum;
  return x[largest] + tau * std::log(sum);
}

QLogExpectedImprovement q_log_expected_improvement(const Eigen::VectorXd& mean,
                                                   const Eigen::MatrixXd& covariance, double best,
                                                   const Eigen::MatrixXd& base_samples) {
  const Eigen::Index q = mean.size(), count = base_samples.rows();
  CALIPER_CHECK(q > 0 && count > 0 && base_samples.cols() == q && covariance.rows() == q &&
                covariance.cols() == q);
  QLogExpectedImprovement result{-std::numeric_limits<double>::infinity(), Eigen::VectorXd::Zero(q),
                                 Eigen::MatrixXd::Zero(q, q)};
  const auto factor = jittered_cholesky(covariance);
  if (!factor) return result;

  Eigen::MatrixXd improvements =
      -(factor->lower * base_samples.transpose());  // [q x samples], a sample is contiguous
  improvements.colwise() += Eigen::VectorXd(best - mean.array());
  Eigen::VectorXd of_sample(count);
  Eigen::MatrixXd by_improvement(q, count);
  std::vector<double> logs(static_cast<std::size_t>(q)), weights(logs.size());
  for (Eigen::Index s = 0; s < count; ++s) {
    for (Eigen::Index j = 0; j < q; ++j) {
      const LogFatPlus plus = log_fat_plus(improvements(j, s), kImprovementTemperature);
      logs[static_cast<std::size_t>(j)] = plus.value;
      by_improvement(j, s) = plus.derivative;
    }
    of_sample[s] = fat_max(logs, kMaximumTemperature, weights);
    for (Eigen::Index j = 0; j < q; ++j) by_improvement(j, s) *= weights[static_cast<std::size_t>(j)];
  }

  const double largest = of_sample.maxCoeff();
  const Eigen::ArrayXd shares = (of_sample.array() - largest).exp();
  const double sum = shares.sum();
  result.value = largest + std::log(sum) - std::log(static_cast<double>(count));
  if (!std::isfinite(result.value)) return result;
  by_improvement.array().rowwise() *= (shares / sum).transpose();
  result.by_mean = -by_improvement.rowwise().sum();
  result.by_covariance = through_cholesky(factor->lower, -(by_improvement * base_samples));
  return result;
}

}  // namespace caliper
