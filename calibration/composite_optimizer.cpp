#include "calibration/composite_optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "base/check.hpp"
#include "base/random.hpp"
#include "calibration/failure_model.hpp"
#include "calibration/minimax_step.hpp"
#include "calibration/residual_surrogate.hpp"
#include "calibration/sobol.hpp"
#include "calibration/sobol_optimizer.hpp"
#include "calibration/training_set.hpp"

namespace caliper {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Who draws, in hash64(seed, who, length of the history).
enum Draw : std::uint64_t { kStarts = 1, kPoolGlobal, kPoolLocal, kNormals, kSpread };

constexpr std::size_t kBatch = 2;
constexpr Index kMostPoints = 90;  // that a surrogate is fitted to
constexpr std::size_t kRandomStarts = 4, kBestStarts = 3;
constexpr std::size_t kPool = 256, kSamples = 64;
constexpr double kSmallestReach = 0.01, kReachRatio = 10;
constexpr std::uint32_t kHalvings = 2, kRests = 3, kFailures = 3;
constexpr double kFirstRadius = 0.1, kLargestRadius = 0.5;
constexpr double kProbablyFails = -0.7;  // ln of a chance of a half
constexpr double kRidge = 1e-8;

struct Seen {
  MatrixXd points, residuals, failed;  // a column each
  VectorXd losses;
  Index best = 0;
};

Seen seen_of(std::span<const Evaluation> history) {
  const Index d = history.front().point.size();
  std::vector<const Evaluation*> good;
  std::vector<const Evaluation*> bad;
  for (const Evaluation& one : history) {
    const bool known = std::ranges::any_of(
        good, [&](const Evaluation* other) { return (other->point - one.point).norm() < kSamePoint; });
    if (one.residuals.size() == 0 || !std::isfinite(one.loss))
      bad.push_back(&one);
    else if (!known)
      good.push_back(&one);
  }
  Seen seen{MatrixXd(d, static_cast<Index>(good.size())),
            {},
            MatrixXd(d, static_cast<Index>(bad.size())),
            VectorXd(static_cast<Index>(good.size())),
            0};
  if (!good.empty()) seen.residuals.resize(good.front()->residuals.size(), seen.points.cols());
  for (Index j = 0; j < seen.points.cols(); ++j) {
    const Evaluation& one = *good[static_cast<std::size_t>(j)];
    seen.points.col(j) = one.point;
    seen.residuals.col(j) = one.residuals;
    seen.losses[j] = one.loss;
  }
  for (Index j = 0; j < seen.failed.cols(); ++j) seen.failed.col(j) = bad[static_cast<std::size_t>(j)]->point;
  if (!good.empty()) seen.losses.minCoeff(&seen.best);
  return seen;
}

std::vector<Index> ascending(const VectorXd& values) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return values[a] < values[b]; });
  return order;
}

/// Where the search stands, from what its batches have brought.
struct Phase {
  bool local = false;
  double radius = kFirstRadius;
  std::uint32_t halvings = 0, rests = 0, failures = 0;

  /// @param moved  from the best point before the batch to the best after it, largest coordinate
  void after_batch(double before, double after, double moved) {
    const bool halved = after <= before / 2;
    if (!local) {
      halvings += halved;
      rests = halved ? 0 : rests + 1;
      if (halvings < kHalvings && rests < kRests) return;
      *this = {.local = true, .radius = std::clamp(2 * moved, kFirstRadius, kLargestRadius)};
    } else if (after < before) {
      failures = 0;
      radius = std::min(std::max(radius, 2 * moved), kLargestRadius);
    } else {
      radius /= 2;
      if (++failures >= kFailures) *this = {.radius = radius};
    }
  }
};

Phase phase_of(std::span<const Evaluation> history, std::size_t initial) {
  Phase phase;
  const Evaluation* best = nullptr;
  const auto take = [&](const Evaluation& one) {
    if (std::isfinite(one.loss) && (!best || one.loss < best->loss)) best = &one;
  };
  std::size_t at = 0;
  for (; at < std::min(initial, history.size()); ++at) take(history[at]);
  while (at + kBatch <= history.size()) {
    const Evaluation* before = best;
    for (std::size_t i = 0; i < kBatch; ++i) take(history[at++]);
    if (before && best)
      phase.after_batch(before->loss, best->loss, (best->point - before->point).lpNorm<Eigen::Infinity>());
  }
  return phase;
}

class Proposal {
 public:
  Proposal(const CompositeOptions& options, std::span<const Evaluation> history)
      : options_(options),
        length_(history.size()),
        seen_(seen_of(history)),
        failures_(seen_.points, seen_.failed),
        taken_(seen_.points.rows(), seen_.points.cols() + seen_.failed.cols()) {
    taken_ << seen_.points, seen_.failed;
    phase_ = phase_of(history, 1 + initial_design(options.seed, dimensions()).size());
    if (seen_.points.cols() >= 2) fit_surrogate();
  }

  std::vector<VectorXd> points() {
    VectorXd first, second;
    if (surrogate_ && phase_.local) {
      first = fresh(gauss_newton());
      second = beside(first);
    } else if (surrogate_) {
      first = fresh(exploit());
      second = explore(first);
    } else {
      first = spread();
      second = first;
    }
    with(first);
    second = fresh(second);
    return {first, second};
  }

 private:
  std::size_t dimensions() const { return static_cast<std::size_t>(seen_.points.rows()); }
  std::uint64_t seed(Draw who) const { return hash64(options_.seed, who, length_); }
  VectorXd best_point() const { return seen_.points.col(seen_.best); }
  double best_loss() const { return seen_.losses[seen_.best]; }

  /// On the points with the lowest losses and the first ones, which lie all over the cube.
  void fit_surrogate() {
    std::vector<Index> chosen = ascending(seen_.losses);
    if (std::ssize(chosen) > kMostPoints) {
      chosen.resize(kMostPoints);
      for (Index j = 0; j < std::min<Index>(kMostPoints / 3, seen_.points.cols()); ++j)
        if (std::ranges::find(chosen, j) == chosen.end()) chosen.push_back(j);
    }
    surrogate_ = ResidualSurrogate::fit(seen_.points(Eigen::all, chosen), seen_.residuals(Eigen::all, chosen),
                                        options_.groups);
  }

  void with(const VectorXd& point) {
    taken_.conservativeResize(Eigen::NoChange, taken_.cols() + 1);
    taken_.rightCols(1) = point;
  }

  double distance_to_taken(const VectorXd& point) const {
    return taken_.cols() == 0 ? std::numeric_limits<double>::infinity()
                              : (taken_.colwise() - point).colwise().norm().minCoeff();
  }

  VectorXd fresh(const VectorXd& point) const {
    return distance_to_taken(point) >= kSamePoint ? point : spread();
  }

  /// Of a few Sobol points the one farthest from all others that probably does not fail.
  VectorXd spread() const {
    const MatrixXd points = sobol_points(seed(kSpread), dimensions(), 0, 64);
    Index farthest = 0;
    double most = -1;
    for (Index j = 0; j < points.cols(); ++j) {
      const double chance = std::exp(failures_.log_success(points.col(j), nullptr));
      if (const double worth = chance * std::min(distance_to_taken(points.col(j)), 1e9); worth > most) {
        most = worth;
        farthest = j;
      }
    }
    return points.col(farthest);
  }

  /// Gauss-Newton on the surrogate, from a point on.
  std::pair<VectorXd, double> descend(VectorXd point) const {
    LinearModel model = surrogate_->compressed(point);
    double value = largest_norm(model.residuals, surrogate_->compressed_sizes());
    double radius = 0.3;
    for (int round = 0; round < 25 && radius > 1e-6; ++round) {
      const VectorXd step = step_in(model, surrogate_->compressed_sizes(), point, radius);
      const VectorXd trial = (point + step).cwiseMax(0).cwiseMin(1);
      LinearModel there = surrogate_->compressed(trial);
      const double reached = largest_norm(there.residuals, surrogate_->compressed_sizes());
      if (!(reached < value)) {
        radius = 0.3 * std::min(radius, step.lpNorm<Eigen::Infinity>());
        continue;
      }
      const bool rests = reached > value * (1 - 1e-9);
      radius = std::min(kLargestRadius, std::max(radius, 2 * step.lpNorm<Eigen::Infinity>()));
      point = trial;
      value = reached;
      model = std::move(there);
      if (rests) break;
    }
    return {point, value};
  }

  static VectorXd step_in(const LinearModel& model, const std::vector<Index>& sizes, const VectorXd& point,
                          double radius) {
    const VectorXd lower = (-point).cwiseMax(-radius), upper = (1 - point.array()).matrix().cwiseMin(radius);
    return minimax_step(model, sizes, lower, upper);
  }

  VectorXd exploit() const {
    std::vector<VectorXd> starts = sobol_list(seed(kStarts), dimensions(), 0, kRandomStarts);
    const std::vector<Index> order = ascending(seen_.losses);
    for (std::size_t i = 0; i < std::min(kBestStarts, order.size()); ++i)
      starts.push_back(seen_.points.col(order[i]));
    VectorXd best = spread();
    double least = std::numeric_limits<double>::infinity();
    for (const VectorXd& start : starts) {
      const auto [point, value] = descend(start);
      if (failures_.log_success(point, nullptr) < kProbablyFails || distance_to_taken(point) < kSamePoint)
        continue;
      if (value < least) {
        least = value;
        best = point;
      }
    }
    return best;
  }

  /// Half of them all over the cube, half around the best point and candidate 1.
  MatrixXd pool(const VectorXd& first) const {
    const auto d = static_cast<Index>(dimensions());
    constexpr auto kHalf = static_cast<Index>(kPool / 2);
    MatrixXd points(d, 2 * kHalf);
    points.leftCols(kHalf) = sobol_points(seed(kPoolGlobal), dimensions(), 0, kPool / 2);
    const MatrixXd draws = sobol_points(seed(kPoolLocal), dimensions() + 1, 0, kPool / 2);
    for (Index j = 0; j < kHalf; ++j) {
      const double reach = kSmallestReach * std::pow(kReachRatio, draws(d, j));
      const VectorXd step = reach * draws.col(j).head(d).unaryExpr(&normal_quantile);
      points.col(kHalf + j) = ((j % 2 == 0 ? best_point() : first) + step).cwiseMax(0).cwiseMin(1);
    }
    return points;
  }

  VectorXd explore(const VectorXd& first) const {
    const auto believer = surrogate_->believing(first);
    if (!believer) return spread();
    const MatrixXd points = pool(first);
    const double target = std::log(std::max(best_loss(), std::numeric_limits<double>::min()));
    MatrixXd normals;
    VectorXd best = spread();
    double highest = 0, widest = -1;
    VectorXd unknown = best;
    for (Index j = 0; j < points.cols(); ++j) {
      const VectorXd point = points.col(j);
      const auto [mean, deviation] = believer->components(point);
      if (normals.size() == 0)
        normals = sobol_normals(seed(kNormals), static_cast<std::size_t>(mean.size()), kSamples);
      const double chance = std::exp(failures_.log_success(point, nullptr));
      double gain = 0;
      for (Index s = 0; s < normals.rows(); ++s) {
        const VectorXd sample = mean + deviation.cwiseProduct(normals.row(s).transpose());
        gain += std::max(0.0, target - std::log(std::max(believer->loss(sample), 1e-300)));
      }
      if (gain * chance > highest) {
        highest = gain * chance;
        best = point;
      }
      if (deviation.norm() * chance > widest) {
        widest = deviation.norm() * chance;
        unknown = point;
      }
    }
    return highest > 0 ? best : unknown;
  }

  /// Columns of points by their distance from the best one, itself left out.
  std::vector<Index> nearest(std::size_t count) const {
    std::vector<Index> order =
        ascending((seen_.points.colwise() - best_point()).colwise().norm().transpose());
    std::erase(order, seen_.best);
    order.resize(std::min(order.size(), count));
    return order;
  }

  VectorXd gauss_newton() const {
    const VectorXd at = best_point();
    LinearModel model{seen_.residuals.col(seen_.best), surrogate_->jacobian(at)};
    // Secants: what the surrogate's Jacobian gets wrong of the nearest points, those nearest counting most.
    const auto d = static_cast<Index>(dimensions());
    MatrixXd gram = MatrixXd::Zero(d, d), cross = MatrixXd::Zero(model.residuals.size(), d);
    for (const Index j : nearest(2 * dimensions())) {
      const VectorXd step = seen_.points.col(j) - at;
      const double weight = 1 / step.squaredNorm();
      const VectorXd error = seen_.residuals.col(j) - model.residuals - model.jacobian * step;
      gram += weight * weight * step * step.transpose();
      cross += weight * weight * error * step.transpose();
    }
    gram.diagonal().array() += kRidge * gram.trace();
    if (gram.trace() > 0) model.jacobian += gram.ldlt().solve(cross.transpose()).transpose();
    return (at + step_in(model, options_.groups, at, phase_.radius)).cwiseMax(0).cwiseMin(1);
  }

  /// Half a step away from candidate 1, in the direction least spanned by the nearest points.
  VectorXd beside(const VectorXd& first) const {
    const VectorXd at = best_point(), step = first - at;
    const auto d = static_cast<Index>(dimensions());
    MatrixXd spanned = MatrixXd::Zero(d, d);
    const auto add = [&](const VectorXd& difference) {
      if (const double square = difference.squaredNorm(); square > 0)
        spanned += difference * difference.transpose() / square;
    };
    add(step);
    for (const Index j : nearest(dimensions())) add(seen_.points.col(j) - at);
    const VectorXd direction = Eigen::SelfAdjointEigenSolver<MatrixXd>(spanned).eigenvectors().col(0);
    const double length = std::max(0.5 * step.norm(), 1e-7);
    const VectorXd one = (first + length * direction).cwiseMax(0).cwiseMin(1);
    const VectorXd other = (first - length * direction).cwiseMax(0).cwiseMin(1);
    return (one - first).norm() >= (other - first).norm() ? one : other;
  }

  const CompositeOptions& options_;
  const std::uint64_t length_;
  const Seen seen_;
  const FailureModel failures_;
  MatrixXd taken_;  // all points of the history, and of this proposal
  Phase phase_;
  std::optional<ResidualSurrogate> surrogate_;
};

}  // namespace

CompositeOptimizer::CompositeOptimizer(CompositeOptions options) : options_(std::move(options)) {
  CALIPER_CHECK(!options_.groups.empty());
  for (const Index size : options_.groups) CALIPER_CHECK(size >= 1);
}

std::vector<VectorXd> CompositeOptimizer::initial_points(std::size_t dimensions) const {
  return initial_design(options_.seed, dimensions);
}

std::vector<VectorXd> CompositeOptimizer::propose(std::span<const Evaluation> history) const {
  CALIPER_CHECK(!history.empty());
  return Proposal(options_, history).points();
}

}  // namespace caliper
