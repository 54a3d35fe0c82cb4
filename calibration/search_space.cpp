#include "calibration/search_space.hpp"

#include <algorithm>
#include <cmath>

namespace caliper {

SearchSpace::SearchSpace(const ParameterTable& table, std::vector<ParameterIndex> tuned)
    : tuned_(std::move(tuned)) {
  for (const ParameterIndex index : tuned_) {
    CALIPER_CHECK(index < table.size());
    const AuxiliaryParameter& row = table[index];
    axes_.push_back({row.lower, row.upper, row.scale});
  }
}

double SearchSpace::value_at(std::size_t axis, double coordinate) const {
  const auto& [lower, upper, scale] = axes_[axis];
  if (coordinate <= 0) return lower;
  if (coordinate >= 1) return upper;
  const double value = scale == Scale::linear ? lower + coordinate * (upper - lower)
                                              : lower * std::exp(coordinate * std::log(upper / lower));
  return std::clamp(value, lower, upper);
}

double SearchSpace::coordinate_of(std::size_t axis, double value) const {
  const auto& [lower, upper, scale] = axes_[axis];
  if (value <= lower) return 0;
  if (value >= upper) return 1;
  const double coordinate = scale == Scale::linear ? (value - lower) / (upper - lower)
                                                   : std::log(value / lower) / std::log(upper / lower);
  return std::clamp(coordinate, 0.0, 1.0);
}

void SearchSpace::apply(const Eigen::VectorXd& point, std::span<double> parameters) const {
  CALIPER_CHECK(static_cast<std::size_t>(point.size()) == dimensions());
  for (std::size_t axis = 0; axis < dimensions(); ++axis)
    parameters[tuned_[axis]] = value_at(axis, point[static_cast<Eigen::Index>(axis)]);
}

Eigen::VectorXd SearchSpace::point_of(ParameterView parameters) const {
  Eigen::VectorXd point(static_cast<Eigen::Index>(dimensions()));
  for (std::size_t axis = 0; axis < dimensions(); ++axis)
    point[static_cast<Eigen::Index>(axis)] = coordinate_of(axis, parameters[tuned_[axis]]);
  return point;
}

}  // namespace caliper
