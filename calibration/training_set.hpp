// A history as a surrogate of the loss wants it.
#pragma once

#include <cstdint>
#include <span>

#include <Eigen/Core>

#include "calibration/optimizer.hpp"

namespace caliper {

/// What the surrogate is of. Losses that span decades look smooth as logarithms, others as they are.
enum class LossScale : std::uint8_t { logarithmic, linear };

struct TrainingSet {
  Eigen::MatrixXd points;  ///< [d x n], those with a finite loss, no two closer than kSamePoint
  Eigen::VectorXd
      values;  ///< [n], mean 0 and standard deviation 1, ascending with the loss; all 0 where none differs
  double log_density_unit;  ///< ln of the density of the losses over that of the values: compares models of
                            ///< two scales
  Eigen::MatrixXd failed;   ///< [d x f], those without
};

/// Points of the unit cube that are closer than this are one point.
inline constexpr double kSamePoint = 1e-9;

/// NaN counts as failed. `history` is not empty, its points are of one size. On the logarithmic scale every
/// finite loss is positive (see positive_losses).
TrainingSet make_training_set(std::span<const Evaluation> history, LossScale scale);

/// Whether every finite loss is greater than 0.
bool positive_losses(std::span<const Evaluation> history);

}  // namespace caliper
