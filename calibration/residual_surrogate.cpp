#include "calibration/residual_surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "base/check.hpp"
#include "calibration/box_minimizer.hpp"
#include "calibration/jittered_cholesky.hpp"
#include "calibration/matern_kernel.hpp"

namespace caliper {
namespace {

constexpr double kSmallestComponent = 1e-6;  // of the largest
constexpr Eigen::Index kMostComponents = 12;
constexpr double kNugget = 1e-10;
constexpr double kShortest = 0.025, kLongest = 50;
constexpr double kPriorDeviation = 1.4;

Eigen::MatrixXd correlation_matrix(const Eigen::MatrixXd& points, const Eigen::VectorXd& lengthscales) {
  Eigen::MatrixXd matrix = matern_correlation(matern_distances(points, points, lengthscales));
  matrix.diagonal().array() += kNugget;
  return matrix;
}

/// Minus the logarithm of the posterior density of lengthscales, the variance of each component at its best.
class Energy {
 public:
  Energy(const Eigen::MatrixXd& points, const Eigen::MatrixXd& scores) : points_(points), scores_(scores) {
    const Eigen::VectorXd sizes = scores.colwise().norm();
    weights_ = (sizes / sizes.maxCoeff()).cwiseMax(0.05).cwiseMin(1);
    prior_mean_ = std::numbers::sqrt2 + 0.5 * std::log(static_cast<double>(points.rows()));
  }

  double log_mode() const { return prior_mean_ - kPriorDeviation * kPriorDeviation; }

  double operator()(const Eigen::VectorXd& logs, Eigen::VectorXd* gradient) const {
    const Eigen::VectorXd lengthscales = logs.array().exp();
    const Eigen::ArrayXXd distances = matern_distances(points_, points_, lengthscales);
    Eigen::MatrixXd matrix = matern_correlation(distances);
    matrix.diagonal().array() += kNugget;
    const auto factor = jittered_cholesky(matrix);
    if (!factor) return std::numeric_limits<double>::quiet_NaN();
    const auto lower = factor->lower.triangularView<Eigen::Lower>();
    const Eigen::MatrixXd white = lower.solve(scores_);
    const auto n = static_cast<double>(points_.cols());
    const Eigen::VectorXd squares = white.colwise().squaredNorm();
    double energy = weights_.sum() * factor->lower.diagonal().array().log().sum() +
                    0.5 * n * (weights_.array() * squares.array().log()).sum();
    for (const double t : logs) {
      const double u = (t - prior_mean_) / kPriorDeviation;
      energy += t + 0.5 * u * u;
    }
    if (gradient) {
      const Eigen::MatrixXd solved = lower.transpose().solve(white);
      Eigen::MatrixXd inverse = lower.solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
      Eigen::MatrixXd by_matrix = 0.5 * weights_.sum() * (inverse.transpose() * inverse);
      by_matrix -=
          solved * (0.5 * n * weights_.array() / squares.array()).matrix().asDiagonal() * solved.transpose();
      const Eigen::ArrayXXd weighted = by_matrix.array() * matern_slope(distances);
      for (Eigen::Index i = 0; i < logs.size(); ++i) {
        const Eigen::ArrayXd along = points_.row(i).transpose().array() / lengthscales[i];
        const Eigen::ArrayXXd differences =
            along.replicate(1, along.size()) - along.transpose().replicate(along.size(), 1);
        const double u = (logs[i] - prior_mean_) / kPriorDeviation;
        (*gradient)[i] = (weighted * differences.square()).sum() + 1 + u / kPriorDeviation;
      }
    }
    return energy;
  }

 private:
  const Eigen::MatrixXd &points_, &scores_;
  Eigen::VectorXd weights_;
  double prior_mean_;
};

Eigen::VectorXd most_probable_lengthscales(const Eigen::MatrixXd& points, const Eigen::MatrixXd& scores) {
  const Energy energy(points, scores);
  const Eigen::Index d = points.rows();
  const Box box{Eigen::VectorXd::Constant(d, std::log(kShortest)),
                Eigen::VectorXd::Constant(d, std::log(kLongest))};
  Eigen::VectorXd start;
  double least = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 0.3, 3.0, 10.0}) {
    const Eigen::VectorXd trial = Eigen::VectorXd::Constant(d, energy.log_mode() + std::log(factor))
                                      .cwiseMax(box.lower)
                                      .cwiseMin(box.upper);
    if (const double value = energy(trial, nullptr); value < least || start.size() == 0) {
      least = value;
      start = trial;
    }
  }
  const auto function = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    return energy(x, &gradient);
  };
  return minimize_in_box(function, start, box, {25, 1e-5}).point.array().exp();
}

}  // namespace

std::optional<ResidualSurrogate> ResidualSurrogate::fit(const Eigen::MatrixXd& points,
                                                        const Eigen::MatrixXd& residuals,
                                                        const std::vector<Eigen::Index>& sizes) {
  CALIPER_CHECK(points.cols() >= 2 && points.cols() == residuals.cols());
  const Eigen::VectorXd mean = residuals.rowwise().mean();
  const Eigen::MatrixXd centred = residuals.colwise() - mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> split(centred.transpose() * centred);
  if (split.info() != Eigen::Success) return std::nullopt;
  const Eigen::VectorXd values = split.eigenvalues().cwiseMax(0).cwiseSqrt();  // ascending
  const Eigen::Index n = points.cols();
  Eigen::Index kept = 0;
  while (kept < std::min(n, kMostComponents) && values[n - 1 - kept] > kSmallestComponent * values[n - 1])
    ++kept;
  if (kept == 0) return std::nullopt;  // all residuals alike
  ResidualSurrogate made;
  made.points_ = points;
  made.scores_.resize(n, kept);
  made.basis_.resize(residuals.rows(), kept);
  for (Eigen::Index j = 0; j < kept; ++j) {
    const auto vector = split.eigenvectors().col(n - 1 - j);
    made.scores_.col(j) = vector * values[n - 1 - j];
    made.basis_.col(j) = centred * vector / values[n - 1 - j];
  }
  Eigen::Index first = 0;
  for (const Eigen::Index size : sizes) {
    Eigen::MatrixXd together(size, 1 + kept);
    together << mean.segment(first, size), made.basis_.middleRows(first, size);
    const Eigen::Index rows = std::min(size, 1 + kept);
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(together);
    Eigen::MatrixXd small = qr.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
    // As many rows count as root mean squares need.
    small *= std::sqrt(static_cast<double>(rows) / static_cast<double>(size));
    made.small_.push_back(std::move(small));
    made.compressed_sizes_.push_back(rows);
    first += size;
  }
  made.lengthscales_ = most_probable_lengthscales(points, made.scores_);
  if (!made.condition()) return std::nullopt;
  return made;
}

bool ResidualSurrogate::condition() {
  const auto factor = jittered_cholesky(correlation_matrix(points_, lengthscales_));
  if (!factor) return false;
  lower_ = factor->lower;
  const Eigen::MatrixXd white = lower_.triangularView<Eigen::Lower>().solve(scores_);
  weights_ = lower_.triangularView<Eigen::Lower>().transpose().solve(white);
  variance_ = white.colwise().squaredNorm().transpose() / static_cast<double>(points_.cols());
  return true;
}

Eigen::VectorXd ResidualSurrogate::correlations(const Eigen::VectorXd& point) const {
  return matern_correlation(matern_distances(points_, point, lengthscales_)).matrix();
}

ResidualSurrogate::Components ResidualSurrogate::components(const Eigen::VectorXd& point) const {
  const Eigen::VectorXd with = correlations(point);
  const Eigen::VectorXd white = lower_.triangularView<Eigen::Lower>().solve(with);
  const double unknown = std::max(0.0, 1 - white.squaredNorm());
  return {weights_.transpose() * with, (variance_ * unknown).cwiseSqrt()};
}

double ResidualSurrogate::loss(const Eigen::VectorXd& components) const {
  double largest = 0;
  for (const Eigen::MatrixXd& small : small_) {
    const Eigen::VectorXd residuals = small.col(0) + small.rightCols(components.size()) * components;
    largest = std::max(largest, residuals.norm() / std::sqrt(static_cast<double>(small.rows())));
  }
  return largest;
}

Eigen::MatrixXd ResidualSurrogate::slopes(const Eigen::VectorXd& point) const {
  const Eigen::ArrayXd slope = matern_slope(matern_distances(points_, point, lengthscales_)).col(0);
  Eigen::MatrixXd by_point(points_.cols(), points_.rows());
  for (Eigen::Index i = 0; i < points_.rows(); ++i)
    by_point.col(i) =
        -slope * (point[i] - points_.row(i).transpose().array()) / (lengthscales_[i] * lengthscales_[i]);
  return weights_.transpose() * by_point;
}

LinearModel ResidualSurrogate::compressed(const Eigen::VectorXd& point) const {
  const Eigen::VectorXd mean = weights_.transpose() * correlations(point);
  const Eigen::MatrixXd slope = slopes(point);
  Eigen::Index rows = 0;
  for (const Eigen::MatrixXd& small : small_) rows += small.rows();
  LinearModel model{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, points_.rows())};
  Eigen::Index first = 0;
  for (const Eigen::MatrixXd& small : small_) {
    const auto basis = small.rightCols(mean.size());
    model.residuals.segment(first, small.rows()) = small.col(0) + basis * mean;
    model.jacobian.middleRows(first, small.rows()) = basis * slope;
    first += small.rows();
  }
  return model;
}

Eigen::MatrixXd ResidualSurrogate::jacobian(const Eigen::VectorXd& point) const {
  return basis_ * slopes(point);
}

std::optional<ResidualSurrogate> ResidualSurrogate::believing(const Eigen::VectorXd& point) const {
  ResidualSurrogate believer = *this;
  const Eigen::VectorXd mean = components(point).mean;
  believer.points_.conservativeResize(Eigen::NoChange, points_.cols() + 1);
  believer.points_.rightCols(1) = point;
  believer.scores_.conservativeResize(scores_.rows() + 1, Eigen::NoChange);
  believer.scores_.bottomRows(1) = mean.transpose();
  if (!believer.condition()) return std::nullopt;
  believer.variance_ = variance_;
  return believer;
}

}  // namespace caliper
