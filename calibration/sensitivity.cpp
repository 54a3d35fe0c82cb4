#include "calibration/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <Eigen/SVD>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "calibration/search_space.hpp"

namespace caliper {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Singular values below this part of the largest are rounding and truncation of the differences.
constexpr double kRankTolerance = 1e-7;
/// A change of ln time by less than this over a whole step is no effect.
constexpr double kNoEffect = 1e-10;
/// A parameter takes part in an undetermined direction when its component is above this.
constexpr double kTakesPart = 1e-3;

/// The optimum moved along one axis.
struct Sample {
  double coordinate;
  double value;                  // SI
  std::optional<VectorXd> time;  // s, [m]; nothing where the simulator failed
};

/// Two samples around the optimum.
struct Difference {
  Sample low, high;
};

struct Samples {
  std::vector<Sample> centre;    // the optimum, by axis, [d]
  VectorXd time;                 // at the optimum, s, [m]
  std::vector<Difference> axes;  // [d]
};

std::optional<VectorXd> times_of(std::span<const Outcome> outcomes) {
  VectorXd times(static_cast<Index>(outcomes.size()));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].status != OutcomeStatus::time) return std::nullopt;
    times[static_cast<Index>(i)] = outcomes[i].seconds;
  }
  return times;
}

/// Evaluates the optimum and two points an axis in one batch.
Result<Samples> take_samples(const EvaluationContext& context, const StageOptions& stage,
                             const SearchSpace& space, ParameterView optimum,
                             std::span<const ExperimentId> experiments) {
  const VectorXd point = space.point_of(optimum);
  std::vector<std::vector<double>> candidates = {{optimum.begin(), optimum.end()}};
  std::vector<Sample> samples;
  for (std::size_t axis = 0; axis < space.dimensions(); ++axis)
    for (const double step : {-kSensitivityStep, kSensitivityStep}) {
      // Clamped at a bound, the sample is the optimum itself there: the difference becomes one-sided.
      const double coordinate = std::clamp(point[static_cast<Index>(axis)] + step, 0.0, 1.0);
      samples.push_back({coordinate, space.value_at(axis, coordinate), {}});
      candidates.push_back(candidates.front());
      candidates.back()[space.tuned()[axis]] = samples.back().value;
    }
  const auto batch = Evaluator(context).evaluate(candidates, experiments);
  if (!batch) return batch.problems();
  const auto at_optimum = times_of(batch->of(0));
  if (!at_optimum)
    return Error{fmt::format("stage '{}'", stage.name), "the simulator fails at the optimum",
                 "there are no derivatives where there is no time"};
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].time = times_of(batch->of(i + 1));

  Samples all{{}, *at_optimum, {}};
  for (std::size_t axis = 0; axis < space.dimensions(); ++axis) {
    all.centre.push_back({point[static_cast<Index>(axis)], optimum[space.tuned()[axis]], at_optimum});
    Difference difference{samples[2 * axis], samples[2 * axis + 1]};
    if (!difference.low.time) difference.low = all.centre.back();
    if (!difference.high.time) difference.high = all.centre.back();
    all.axes.push_back(std::move(difference));
  }
  return all;
}

VectorXd residuals_of(Loss loss, const Dataset& dataset, std::span<const ExperimentId> experiments,
                      const VectorXd& times) {
  VectorXd residuals(times.size());
  for (Index i = 0; i < times.size(); ++i)
    residuals[i] = residual(loss, times[i], dataset[experiments[static_cast<std::size_t>(i)]].seconds);
  return residuals;
}

/// Names and components of a direction, largest first, small ones left out.
std::string words_of(const VectorXd& direction, const ParameterTable& table,
                     std::span<const ParameterIndex> tuned) {
  std::vector<Index> order;
  for (Index i = 0; i < direction.size(); ++i)
    if (std::abs(direction[i]) >= 0.1) order.push_back(i);
  std::ranges::stable_sort(order, std::greater<>{}, [&](Index i) { return std::abs(direction[i]); });
  std::string text;
  for (const Index i : order)
    text += fmt::format("{}{:+.2f} {}", text.empty() ? "" : " ", direction[i],
                        table[tuned[static_cast<std::size_t>(i)]].id);
  return text;
}

/// Builds the result from the samples, field by field.
class Analysis {
 public:
  Analysis(const EvaluationContext& context, const StageOptions& stage, const SearchSpace& space,
           Samples samples)
      : table_(context.table),
        space_(space),
        samples_(std::move(samples)),
        d_(static_cast<Index>(space.dimensions())),
        m_(samples_.time.size()) {
    out_.experiments = experiments_of(stage.fits);
    differentiate(stage.loss, context.dataset);
    decompose();
    residual_ = residuals_of(stage.loss, context.dataset, out_.experiments, samples_.time).squaredNorm();
    correlate();
    for (Index axis = 0; axis < d_; ++axis) out_.estimates.push_back(estimate(axis));
  }
  Sensitivity result() && { return std::move(out_); }

 private:
  void differentiate(Loss loss, const Dataset& dataset);
  void decompose();
  void correlate();
  ParameterEstimate estimate(Index axis) const;
  void doubt(Index axis, ParameterEstimate& estimate) const;
  bool determined(Index axis) const { return undetermined_.row(axis).norm() <= kTakesPart; }
  const std::string& id(Index axis) const {
    return table_[space_.tuned()[static_cast<std::size_t>(axis)]].id;
  }

  const ParameterTable& table_;
  const SearchSpace& space_;
  Samples samples_;
  Index d_, m_;
  VectorXd effect_;  // largest change of ln time over the difference, [d]; NaN: no difference
  Eigen::MatrixXd
      covariance_;  // of the unit cube, without the factor s^2, on the determined directions, [d, d]
  Eigen::MatrixXd undetermined_;  // basis of the null space, [d, d - rank]
  double residual_ = 0;           // sum of squares at the optimum
  Sensitivity out_;
};

void Analysis::differentiate(Loss loss, const Dataset& dataset) {
  out_.jacobian = out_.scaled = Eigen::MatrixXd::Zero(m_, d_);
  effect_ = VectorXd::Constant(d_, kUnknown);
  for (Index axis = 0; axis < d_; ++axis) {
    const auto& [low, high] = samples_.axes[static_cast<std::size_t>(axis)];
    const double width = high.coordinate - low.coordinate;
    if (!(width > 0)) continue;
    out_.jacobian.col(axis) = (residuals_of(loss, dataset, out_.experiments, *high.time) -
                               residuals_of(loss, dataset, out_.experiments, *low.time)) /
                              width;
    const VectorXd change = (high.time->array() / low.time->array()).log();
    effect_[axis] = change.lpNorm<Eigen::Infinity>();
    const AuxiliaryParameter& row = table_[space_.tuned()[static_cast<std::size_t>(axis)]];
    // d ln T / d ln p, on a linear axis as p dlnT/dp, which exists for p <= 0 too.
    const double value =
        space_.value_at(static_cast<std::size_t>(axis), (low.coordinate + high.coordinate) / 2);
    out_.scaled.col(axis) = row.scale == Scale::logarithmic
                                ? VectorXd(change / std::log(high.value / low.value))
                                : VectorXd(change * (value / (high.value - low.value)));
  }
}

void Analysis::decompose() {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(out_.jacobian, Eigen::ComputeFullV);
  out_.singular_values = VectorXd::Zero(d_);
  out_.singular_values.head(svd.singularValues().size()) = svd.singularValues();
  const double largest = out_.singular_values[0];
  out_.rank = static_cast<int>((out_.singular_values.array() > kRankTolerance * largest).count());
  out_.condition_number =
      out_.rank == d_ ? largest / out_.singular_values[d_ - 1] : std::numeric_limits<double>::infinity();

  const Eigen::MatrixXd scaled =
      svd.matrixV().leftCols(out_.rank) * out_.singular_values.head(out_.rank).cwiseInverse().asDiagonal();
  covariance_ = scaled * scaled.transpose();
  undetermined_ = svd.matrixV().rightCols(d_ - out_.rank);

  // The sign of a singular vector is free: the largest component is made positive.
  out_.weakest_direction = svd.matrixV().col(d_ - 1);
  Index place = 0;
  out_.weakest_direction.cwiseAbs().maxCoeff(&place);
  if (out_.weakest_direction[place] < 0) out_.weakest_direction *= -1;
  out_.weakest_words = words_of(out_.weakest_direction, table_, space_.tuned());
}

void Analysis::correlate() {
  out_.residual_sigma =
      m_ > out_.rank ? std::sqrt(residual_ / static_cast<double>(m_ - out_.rank)) : kUnknown;
  out_.correlation = Eigen::MatrixXd::Constant(d_, d_, kUnknown);
  for (Index i = 0; i < d_; ++i)
    for (Index j = 0; j < d_; ++j)
      if (determined(i) && determined(j))
        out_.correlation(i, j) =
            i == j ? 1 : covariance_(i, j) / std::sqrt(covariance_(i, i) * covariance_(j, j));
}

ParameterEstimate Analysis::estimate(Index axis) const {
  const auto a = static_cast<std::size_t>(axis);
  const Sample& centre = samples_.centre[a];
  const AuxiliaryParameter& row = table_[space_.tuned()[a]];
  ParameterEstimate estimate{space_.tuned()[a], centre.value, kUnknown, std::nullopt, {}};
  if (m_ > d_ && determined(axis)) {
    const double sigma = out_.residual_sigma * std::sqrt(covariance_(axis, axis));
    const boost::math::students_t distribution(static_cast<double>(m_ - out_.rank));
    const double reach = boost::math::quantile(distribution, 0.975) * sigma;
    estimate.interval = {space_.value_at(a, centre.coordinate - reach),
                         space_.value_at(a, centre.coordinate + reach)};
    estimate.relative_sigma = row.scale == Scale::logarithmic
                                  ? sigma * std::log(row.upper / row.lower)
                                  : sigma * (row.upper - row.lower) / std::abs(centre.value);
  }
  doubt(axis, estimate);
  return estimate;
}

void Analysis::doubt(Index axis, ParameterEstimate& estimate) const {
  const auto add = [&](std::string words) { estimate.doubts.push_back(std::move(words)); };
  if (std::isnan(effect_[axis])) return add("the simulator fails on both sides of the optimum");
  if (effect_[axis] <= kNoEffect) return add("has no effect on any fitted experiment: fix it");
  if (m_ <= d_)
    return add(fmt::format("{} experiments are too few for {} parameters: fit more sizes", m_, d_));
  if (!determined(axis)) {
    std::vector<std::string> others;
    for (Index other = 0; other < d_; ++other)
      if (other != axis &&
          (undetermined_ * undetermined_.row(axis).transpose()).cwiseAbs()[other] > kTakesPart)
        others.push_back(id(other));
    return add(fmt::format("cannot be told apart from {}: merge them, or fix one", fmt::join(others, ", ")));
  }
  for (Index other = 0; other < d_; ++other)
    if (other != axis && std::abs(out_.correlation(axis, other)) > kLargestCorrelation)
      add(fmt::format("can hardly be told apart from {} (correlation {:+.3f}): merge them, or fix one",
                      id(other), out_.correlation(axis, other)));
  // Not "> limit" alone: infinite or NaN (a linear axis at 0) is no small uncertainty either.
  if (!(estimate.relative_sigma <= kLargestRelativeSigma))
    add(estimate.relative_sigma < 1
            ? fmt::format("its standard deviation is {:.0f} % of its value", 100 * estimate.relative_sigma)
            : fmt::format("its standard deviation is {:.1f} times its value", estimate.relative_sigma));
}

}  // namespace

Result<Sensitivity> analyse_sensitivity(const EvaluationContext& context, const StageOptions& stage,
                                        ParameterView optimum) {
  CALIPER_CHECK(optimum.size() == context.table.size());
  if (Problems problems = problems_of(stage, context.table); !problems.empty()) return problems;
  const SearchSpace space(context.table, stage.tuned);
  auto samples = take_samples(context, stage, space, optimum, experiments_of(stage.fits));
  if (!samples) return samples.problems();
  return Analysis(context, stage, space, *std::move(samples)).result();
}

}  // namespace caliper
