#include "calibration/loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/units.hpp"

namespace caliper {
namespace {

constexpr std::array kNames = {std::string_view{"rmse"}, std::string_view{"relative_rmse"},
                               std::string_view{"log_rmse"}};

bool is_time(double seconds) { return std::isfinite(seconds) && seconds > 0; }

}  // namespace

std::string_view name_of(Loss loss) { return kNames[static_cast<std::size_t>(loss)]; }

std::optional<Loss> loss_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Loss>(found - kNames.begin());
}

std::string format_loss(Loss loss, double value) {
  if (loss == Loss::rmse) return format_quantity(value, Dimension::time);
  return fmt::format("{:.3g} %", value * 100);
}

double residual(Loss loss, double simulated, double measured) {
  switch (loss) {
    case Loss::rmse:
      return simulated - measured;
    case Loss::relative_rmse:
      return (simulated - measured) / measured;
    case Loss::log_rmse:
      return std::log(simulated / measured);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double group_loss(Loss loss, std::span<const double> simulated, std::span<const double> measured) {
  CALIPER_CHECK(!simulated.empty() && simulated.size() == measured.size());
  double sum = 0;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    CALIPER_CHECK(is_time(measured[i]));
    if (!is_time(simulated[i])) return std::numeric_limits<double>::infinity();
    const double r = residual(loss, simulated[i], measured[i]);
    sum += r * r;
  }
  return std::sqrt(sum / static_cast<double>(simulated.size()));
}

StageLoss stage_loss(Loss loss, const Dataset& dataset, std::span<const FitGroup> fits,
                     std::span<const double> simulated) {
  StageLoss total{0, {}};
  for (const FitGroup& fit : fits) {
    const std::size_t count = fit.experiments.size();
    CALIPER_CHECK(count <= simulated.size());
    std::vector<double> measured;
    for (const ExperimentId id : fit.experiments) measured.push_back(dataset[id].seconds);
    total.of_group.push_back(group_loss(loss, simulated.first(count), measured));
    simulated = simulated.subspan(count);
  }
  CALIPER_CHECK(simulated.empty() && !fits.empty());
  total.value = std::ranges::max(total.of_group);
  return total;
}

}  // namespace caliper
