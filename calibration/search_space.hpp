// The tuned parameters of a stage as a unit cube: linear or logarithmic between their bounds.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "base/parameters.hpp"

namespace caliper {

class SearchSpace {
 public:
  SearchSpace(const ParameterTable& table, std::vector<ParameterIndex> tuned);
  std::size_t dimensions() const { return axes_.size(); }
  std::span<const ParameterIndex> tuned() const { return tuned_; }

  /// Value of one tuned parameter, SI; coordinates outside [0, 1] give the bound, and the bounds are hit
  /// exactly.
  double value_at(std::size_t axis, double coordinate) const;
  /// In [0, 1]; values outside the bounds give the edge.
  double coordinate_of(std::size_t axis, double value) const;

  /// Writes the tuned values for a point of the unit cube into a full set of parameters.
  void apply(const Eigen::VectorXd& point, std::span<double> parameters) const;
  /// The point of a full set of parameters, clamped to the cube.
  Eigen::VectorXd point_of(ParameterView parameters) const;

 private:
  struct Axis {
    double lower, upper;
    Scale scale;
  };
  std::vector<ParameterIndex> tuned_;
  std::vector<Axis> axes_;
};

}  // namespace caliper
