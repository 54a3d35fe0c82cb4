#include "calibration/training_set.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.hpp"

namespace caliper {

namespace {

Eigen::MatrixXd as_columns(const std::vector<const Evaluation*>& rows, Eigen::Index dimensions) {
  Eigen::MatrixXd points(dimensions, static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) points.col(static_cast<Eigen::Index>(i)) = rows[i]->point;
  return points;
}

// In place; returns ln |d standardised / d value| of one value, 0 where all are equal.
double standardise(Eigen::VectorXd& values) {
  const double largest = values.cwiseAbs().maxCoeff();
  const auto degrees = static_cast<double>(std::max<Eigen::Index>(values.size() - 1, 1));
  if (largest > 0) values /= largest;  // squares of any finite loss are finite then
  values.array() -= values.mean();
  const double deviation = values.norm() / std::sqrt(degrees);
  if (deviation < 1e-13) {  // rounding of equal losses
    values.setZero();
    return 0;
  }
  values /= deviation;
  return -std::log(deviation) - std::log(largest);
}

}  // namespace

TrainingSet make_training_set(std::span<const Evaluation> history, LossScale scale) {
  CALIPER_CHECK(!history.empty());
  const Eigen::Index dimensions = history[0].point.size();
  std::vector<const Evaluation*> kept, failed;
  for (const Evaluation& evaluation : history) {
    CALIPER_CHECK(evaluation.point.size() == dimensions && evaluation.point.allFinite());
    auto& rows = std::isfinite(evaluation.loss) ? kept : failed;
    const auto same = [&](const Evaluation* other) {
      return (other->point - evaluation.point).norm() < kSamePoint;
    };
    if (std::ranges::none_of(rows, same)) rows.push_back(&evaluation);
  }
  TrainingSet set{as_columns(kept, dimensions), Eigen::VectorXd(static_cast<Eigen::Index>(kept.size())), 0,
                  as_columns(failed, dimensions)};
  if (kept.empty()) return set;
  for (std::size_t i = 0; i < kept.size(); ++i) set.values[static_cast<Eigen::Index>(i)] = kept[i]->loss;
  if (scale == LossScale::logarithmic) {
    CALIPER_CHECK(set.values.minCoeff() > 0);
    set.values = set.values.array().log();
    set.log_density_unit = -set.values.sum();
  }
  set.log_density_unit += static_cast<double>(set.values.size()) * standardise(set.values);
  return set;
}

bool positive_losses(std::span<const Evaluation> history) {
  return std::ranges::all_of(history,
                             [](const Evaluation& row) { return !std::isfinite(row.loss) || row.loss > 0; });
}

}  // namespace caliper
