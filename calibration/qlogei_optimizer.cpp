#include "calibration/qlogei_optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <tbb/parallel_for.h>

#include "base/check.hpp"
#include "base/random.hpp"
#include "calibration/acquisition.hpp"
#include "calibration/box_minimizer.hpp"
#include "calibration/gp_fit.hpp"
#include "calibration/sobol.hpp"
#include "calibration/sobol_optimizer.hpp"
#include "calibration/training_set.hpp"

namespace caliper {

namespace {

// Who draws, in hash64(seed, who, length of the history).
enum Stream : std::uint64_t { kGlobalCandidates = 1, kLocalCandidates, kBaseSamples, kSpread };

constexpr MinimizerLimits kSearchLimits{60, 1e-7};
constexpr Eigen::Index kCentres = 3;  // local candidates lie around this many of the best points
constexpr double kSmallestReach = 0.01, kReachRatio = 10;

double distance_to_nearest(const Eigen::MatrixXd& points, const Eigen::VectorXd& point) {
  if (points.cols() == 0) return std::numeric_limits<double>::infinity();
  return (points.colwise() - point).colwise().norm().minCoeff();
}

Eigen::MatrixXd with_column(const Eigen::MatrixXd& points, const Eigen::VectorXd& point) {
  Eigen::MatrixXd extended(point.size(), points.cols() + 1);
  extended << points, point;
  return extended;
}

std::vector<Eigen::Index> ascending(const Eigen::VectorXd& values) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::stable_sort(order, [&](Eigen::Index a, Eigen::Index b) { return values[a] < values[b]; });
  return order;
}

// Of a few Sobol points the one farthest from all others: where there is no model, or nothing else is left.
Eigen::VectorXd spread_point(std::uint64_t seed, const Eigen::MatrixXd& taken) {
  const Eigen::MatrixXd points = sobol_points(seed, static_cast<std::size_t>(taken.rows()), 0, 64);
  Eigen::VectorXd distances(points.cols());
  for (Eigen::Index j = 0; j < points.cols(); ++j) distances[j] = distance_to_nearest(taken, points.col(j));
  Eigen::Index farthest = 0;
  distances.maxCoeff(&farthest);
  return points.col(farthest);
}

// Half of them all over the cube, half normal around the best points with deviations of 0.01 .. 0.1: the
// first finds basins, the second decides how well the last digits converge.
Eigen::MatrixXd raw_candidates(const QlogeiOptions& options, std::uint64_t length, const TrainingSet& data) {
  const Eigen::Index dimensions = data.points.rows();
  const std::size_t count = options.raw_samples, local = count / 2, global = count - local;
  const auto axes = static_cast<std::size_t>(dimensions);
  const Eigen::MatrixXd draws =
      sobol_points(hash64(options.seed, kLocalCandidates, length), axes + 1, 0, local);
  const std::vector<Eigen::Index> best = ascending(data.values);
  const auto centres = std::min(kCentres, static_cast<Eigen::Index>(best.size()));
  Eigen::MatrixXd candidates(dimensions, static_cast<Eigen::Index>(count));
  candidates.leftCols(static_cast<Eigen::Index>(global)) =
      sobol_points(hash64(options.seed, kGlobalCandidates, length), axes, 0, global);
  for (Eigen::Index j = 0; j < draws.cols(); ++j) {
    const double reach = kSmallestReach * std::pow(kReachRatio, draws(dimensions, j));
    const Eigen::VectorXd step = reach * draws.col(j).head(dimensions).unaryExpr(&normal_quantile);
    candidates.col(static_cast<Eigen::Index>(global) + j) =
        (data.points.col(best[static_cast<std::size_t>(j % centres)]) + step).cwiseMax(0).cwiseMin(1);
  }
  return candidates;
}

// The highest of the candidates that keep a distance from each other; where those are too few, the highest
// left.
Eigen::MatrixXd pick_starts(const Eigen::MatrixXd& candidates, const Eigen::VectorXd& scores,
                            std::size_t count) {
  const double separation = 0.05 * std::sqrt(static_cast<double>(candidates.rows()));
  const std::vector<Eigen::Index> order = ascending(-scores);
  Eigen::MatrixXd starts(candidates.rows(), 0);
  for (const double apart : {separation, kSamePoint})
    for (const Eigen::Index j : order)
      if (static_cast<std::size_t>(starts.cols()) < count &&
          distance_to_nearest(starts, candidates.col(j)) >= apart)
        starts = with_column(starts, candidates.col(j));
  return starts;
}

Box unit_box(Eigen::Index size) { return {Eigen::VectorXd::Zero(size), Eigen::VectorXd::Ones(size)}; }

// The minima reached from the best starts, lowest first, then the starts themselves; a column each.
Eigen::MatrixXd ranked_minima(const SmoothFunction& function, const Eigen::MatrixXd& starts) {
  std::vector<BoxMinimum> ends(static_cast<std::size_t>(starts.cols()));
  tbb::parallel_for(std::size_t{0}, ends.size(), [&](std::size_t i) {
    ends[i] = minimize_in_box(function, starts.col(static_cast<Eigen::Index>(i)), unit_box(starts.rows()),
                              kSearchLimits);
  });
  std::ranges::stable_sort(ends, {}, &BoxMinimum::value);
  Eigen::MatrixXd ranked(starts.rows(), 2 * starts.cols());
  for (std::size_t i = 0; i < ends.size(); ++i) ranked.col(static_cast<Eigen::Index>(i)) = ends[i].point;
  ranked.rightCols(starts.cols()) = starts;
  return ranked;
}

// One proposal: the points and what is drawn for them depend on the seed and the history alone.
class Proposal {
 public:
  Proposal(const QlogeiOptions& options, std::uint64_t length, const TrainingSet& data)
      : options_(options),
        length_(length),
        data_(data),
        taken_(data.points.rows(), data.points.cols() + data.failed.cols()) {
    taken_ << data.points, data.failed;
  }

  std::vector<Eigen::VectorXd> spread() const {
    const Eigen::VectorXd first = spread_point(seed(kSpread), taken_);
    return {first, spread_point(seed(kSpread), with_column(taken_, first))};
  }

  std::vector<Eigen::VectorXd> by_improvement(const GaussianProcess& process) const {
    const Acquisition acquisition(process, data_.values.minCoeff(), {data_.points, data_.failed},
                                  sobol_normals(seed(kBaseSamples), 2, options_.mc_samples));
    const Eigen::MatrixXd candidates = raw_candidates(options_, length_, data_);
    const Eigen::VectorXd first = first_point(acquisition, candidates);
    const Eigen::VectorXd second = second_point(acquisition, candidates, first);
    return polished(acquisition, first, second);
  }

 private:
  std::uint64_t seed(Stream who) const { return hash64(options_.seed, who, length_); }

  // The first column that was not evaluated before.
  static Eigen::VectorXd first_new(const Eigen::MatrixXd& ranked, const Eigen::MatrixXd& taken,
                                   std::uint64_t seed) {
    for (Eigen::Index j = 0; j < ranked.cols(); ++j)
      if (distance_to_nearest(taken, ranked.col(j)) >= kSamePoint) return ranked.col(j);
    return spread_point(seed, taken);
  }

  Eigen::VectorXd first_point(const Acquisition& acquisition, const Eigen::MatrixXd& candidates) const {
    const auto descend = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
      const double value = acquisition.single(x, gradient);
      gradient = -gradient;
      return -value;
    };
    const Eigen::MatrixXd starts =
        pick_starts(candidates, acquisition.singles(candidates), options_.restarts);
    return first_new(ranked_minima(descend, starts), taken_, seed(kSpread));
  }

  Eigen::VectorXd second_point(const Acquisition& acquisition, const Eigen::MatrixXd& candidates,
                               const Eigen::VectorXd& first) const {
    const auto descend = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
      Eigen::MatrixXd points(x.size(), 2), by_points;
      points << first, x;
      const double value = acquisition.pair(points, by_points);
      gradient = -by_points.col(1);
      return -value;
    };
    const Eigen::MatrixXd starts =
        pick_starts(candidates, acquisition.pairs_with(first, candidates), options_.restarts);
    return first_new(ranked_minima(descend, starts), with_column(taken_, first), seed(kSpread));
  }

  // Both points together, from where they are; kept as they are if that ends on a point that is taken.
  std::vector<Eigen::VectorXd> polished(const Acquisition& acquisition, const Eigen::VectorXd& first,
                                        const Eigen::VectorXd& second) const {
    const Eigen::Index d = first.size();
    const auto descend = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
      Eigen::MatrixXd by_points;
      const double value = acquisition.pair(x.reshaped(d, 2), by_points);
      gradient = -by_points.reshaped();
      return -value;
    };
    Eigen::VectorXd start(2 * d);
    start << first, second;
    const Eigen::VectorXd end = minimize_in_box(descend, start, unit_box(2 * d), kSearchLimits).point;
    const bool fresh = distance_to_nearest(taken_, end.head(d)) >= kSamePoint &&
                       distance_to_nearest(with_column(taken_, end.head(d)), end.tail(d)) >= kSamePoint;
    const Eigen::VectorXd& pair = fresh ? end : start;
    return {pair.head(d), pair.tail(d)};
  }

  const QlogeiOptions& options_;
  std::uint64_t length_;
  const TrainingSet& data_;
  Eigen::MatrixXd taken_;  // all points of the history
};

struct Surrogate {
  TrainingSet data;
  std::optional<GaussianProcess> process;  // none where nothing was observed
};

// Of the losses or of their logarithms, whichever makes the observed losses more probable.
Surrogate most_likely_surrogate(std::span<const Evaluation> history) {
  std::vector<Surrogate> models;
  models.push_back({make_training_set(history, LossScale::linear), std::nullopt});
  if (models[0].data.points.cols() == 0) return models[0];
  if (positive_losses(history))
    models.push_back({make_training_set(history, LossScale::logarithmic), std::nullopt});
  tbb::parallel_for(std::size_t{0}, models.size(), [&](std::size_t i) {
    models[i].process = fit_gaussian_process(models[i].data.points, models[i].data.values, {});
  });
  const auto evidence = [](const Surrogate& model) {
    return model.process ? model.process->log_likelihood() + model.data.log_density_unit
                         : -std::numeric_limits<double>::infinity();
  };
  return *std::ranges::max_element(models, {}, evidence);
}

}  // namespace

QlogeiOptimizer::QlogeiOptimizer(QlogeiOptions options) : options_(options) {
  CALIPER_CHECK(options.raw_samples >= 1 && options.restarts >= 1 && options.mc_samples >= 1);
}

std::vector<Eigen::VectorXd> QlogeiOptimizer::initial_points(std::size_t dimensions) const {
  return initial_design(options_.seed, dimensions);
}

std::vector<Eigen::VectorXd> QlogeiOptimizer::propose(std::span<const Evaluation> history) const {
  const Surrogate surrogate = most_likely_surrogate(history);
  const Proposal proposal(options_, history.size(), surrogate.data);
  return surrogate.process ? proposal.by_improvement(*surrogate.process) : proposal.spread();
}

}  // namespace caliper
