// The scalar that a stage minimises, always recomputed from completion times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/split.hpp"

namespace caliper {

/// rmse: root mean square of (simulated - measured), s (the paper's). relative_rmse: of (simulated -
/// measured) / measured. log_rmse: of ln(simulated / measured), symmetric and unit-free: 0.01 is about 1 %.
enum class Loss : std::uint8_t { rmse, relative_rmse, log_rmse };
std::string_view name_of(Loss loss);
std::optional<Loss> loss_named(std::string_view name);
/// For people: "12.5 us" for rmse, "1.3 %" for the others.
std::string format_loss(Loss loss, double value);

/// The residual whose root mean square is the loss. Both times positive and finite, s.
double residual(Loss loss, double simulated, double measured);
/// Both spans of equal, non-zero length, s. Infinite where a simulated time is not a positive finite number.
double group_loss(Loss loss, std::span<const double> simulated, std::span<const double> measured);

/// Loss of several groups: the largest of theirs (minimax).
struct StageLoss {
  double value;
  std::vector<double> of_group;  ///< [fit group]
};
/// @param simulated  s, one per experiment of `fits`, in the order of the fits
StageLoss stage_loss(Loss loss, const Dataset& dataset, std::span<const FitGroup> fits,
                     std::span<const double> simulated);

}  // namespace caliper
