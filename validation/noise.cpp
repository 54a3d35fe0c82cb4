#include "validation/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/check.hpp"
#include "validation/error_statistics.hpp"

namespace caliper {
namespace {

constexpr std::size_t kMostCompared = 512;
constexpr std::size_t kFewestPoints = 5;
constexpr double kLeastDeviation = 0.05;
constexpr double kMediansOfDeviation = 4;

double disagreement(const std::vector<double>& repeats) {
  const std::size_t compared = std::min(repeats.size(), kMostCompared);
  std::vector<double> logs(compared);
  for (std::size_t i = 0; i < compared; ++i) logs[i] = std::log(repeats[i * repeats.size() / compared]);
  std::vector<double> differences;
  for (std::size_t i = 0; i < compared; ++i)
    for (std::size_t j = i + 1; j < compared; ++j) differences.push_back(std::abs(logs[i] - logs[j]));
  return quantile(std::move(differences), 0.5);
}

/// Relative deviation of point `at` from the line through points `a` and `b`. A line that says no time > 0
/// there accuses nobody: 0.
double off_line(std::span<const Experiment> group, std::size_t at, std::size_t a, std::size_t b) {
  const auto size = [&](std::size_t i) { return static_cast<double>(group[i].bytes); };
  const double slope = (group[b].seconds - group[a].seconds) / (size(b) - size(a));
  const double expected = group[a].seconds + slope * (size(at) - size(a));
  if (!(expected > 0)) return 0;
  return (group[at].seconds - expected) / expected;
}

/// The smallest deviation from all lines that the header names; 0 where they do not agree on the side.
double deviation_of(std::span<const Experiment> group, std::size_t at) {
  const std::size_t before = at, after = group.size() - 1 - at;
  std::vector<double> off;
  if (before >= 1 && after >= 1) off.push_back(off_line(group, at, at - 1, at + 1));
  if (before >= 2) off.push_back(off_line(group, at, at - 2, at - 1));
  if (after >= 2) off.push_back(off_line(group, at, at + 1, at + 2));
  if (before < 2) off.push_back(off_line(group, at, at + 2, at + 3));
  if (after < 2) off.push_back(off_line(group, at, at - 3, at - 2));
  const auto [low, high] = std::minmax_element(off.begin(), off.end());
  if (*low > 0) return *low;
  return *high < 0 ? *high : 0;
}

}  // namespace

double noise_floor(std::span<const Experiment> group) {
  std::vector<double> of_sizes;
  for (const Experiment& experiment : group)
    if (experiment.repeats.size() >= 2) of_sizes.push_back(disagreement(experiment.repeats));
  return quantile(std::move(of_sizes), 0.5);
}

std::vector<Outlier> outliers(std::span<const Experiment> group) {
  std::vector<Outlier> found;
  if (group.size() < kFewestPoints) return found;
  std::vector<double> usual;
  for (std::size_t i = 1; i < group.size(); ++i) {
    CALIPER_CHECK(group[i - 1].bytes < group[i].bytes);
    if (i + 1 < group.size()) usual.push_back(std::abs(off_line(group, i, i - 1, i + 1)));
  }
  const double threshold = std::max(kLeastDeviation, kMediansOfDeviation * quantile(std::move(usual), 0.5));
  for (std::size_t i = 0; i < group.size(); ++i)
    if (const double deviation = deviation_of(group, i); std::abs(deviation) > threshold)
      found.push_back({i, deviation});
  return found;
}

std::vector<double> outlier_deviations(const Dataset& dataset) {
  std::vector<double> deviations(dataset.experiments.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::uint32_t group = 0; group < dataset.groups.size(); ++group) {
    const std::vector<ExperimentId> members = dataset.of_group(group);
    if (members.empty()) continue;
    const std::size_t first = members.front().index;  // a group's experiments stand together
    const std::span<const Experiment> experiments(dataset.experiments);
    for (const Outlier& outlier : outliers(experiments.subspan(first, members.size())))
      deviations[first + outlier.index] = outlier.deviation;
  }
  return deviations;
}

}  // namespace caliper
