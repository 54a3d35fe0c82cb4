#include "validation/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/check.hpp"
#include "base/random.hpp"
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

/// How far a point may be off before it is an outlier: by the roughness of the curve near it.
double threshold_at(std::span<const Experiment> group, std::size_t at) {
  constexpr std::size_t kNearest = 5;
  std::vector<double> usual;
  for (std::size_t distance = 2; distance < group.size() && usual.size() < kNearest; ++distance) {
    if (at >= distance + 1)
      usual.push_back(std::abs(off_line(group, at - distance, at - distance - 1, at - distance + 1)));
    if (at + distance + 1 < group.size() && usual.size() < kNearest)
      usual.push_back(std::abs(off_line(group, at + distance, at + distance - 1, at + distance + 1)));
  }
  const double median = usual.empty() ? 0 : quantile(std::move(usual), 0.5);
  return std::max(kLeastDeviation, kMediansOfDeviation * median);
}

/// Of the sizes that have two repeats or more.
std::vector<double> disagreements(std::span<const Experiment> group) {
  std::vector<double> of_sizes;
  for (const Experiment& experiment : group)
    if (experiment.repeats.size() >= 2) of_sizes.push_back(disagreement(experiment.repeats));
  return of_sizes;
}

std::pair<double, double> bootstrap_interval(const std::vector<double>& of_sizes) {
  constexpr std::uint64_t kSeed = 1;
  std::vector<double> medians;
  std::vector<double> sample(of_sizes.size());
  for (std::uint64_t draw = 0; draw < NoiseEstimate::kResamples; ++draw) {
    for (std::size_t i = 0; i < sample.size(); ++i)
      sample[i] = of_sizes[static_cast<std::size_t>(unit_draw(kSeed, draw, i) *
                                                    static_cast<double>(of_sizes.size()))];
    medians.push_back(quantile(sample, 0.5));
  }
  return {quantile(medians, 0.025), quantile(medians, 0.975)};
}

double roughness(std::span<const Experiment> group) {
  constexpr double kMedianOfGaussian = 0.6745;
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < group.size(); ++i) {
    const auto size = [&](std::size_t k) { return std::log(static_cast<double>(group[k].bytes)); };
    const auto time = [&](std::size_t k) { return std::log(group[k].seconds); };
    if (group[i - 1].bytes == 0) continue;
    const double right = (size(i) - size(i - 1)) / (size(i + 1) - size(i - 1)), left = 1 - right;
    off.push_back(std::abs(time(i) - left * time(i - 1) - right * time(i + 1)) /
                  std::sqrt(1 + left * left + right * right));
  }
  return quantile(std::move(off), 0.5) / kMedianOfGaussian;
}

}  // namespace

double noise_floor(std::span<const Experiment> group) { return quantile(disagreements(group), 0.5); }

NoiseEstimate estimate_noise(std::span<const Experiment> group) {
  constexpr std::size_t kFewestRepeated = 3;
  NoiseEstimate found;
  const std::vector<double> of_sizes = disagreements(group);
  found.floor = quantile(of_sizes, 0.5);
  found.repeated = of_sizes.size();
  if (of_sizes.size() >= kFewestRepeated) found.interval = bootstrap_interval(of_sizes);
  if (group.size() >= kFewestPoints) found.roughness = roughness(group);
  return found;
}

std::vector<Outlier> outliers(std::span<const Experiment> group) {
  std::vector<Outlier> found;
  if (group.size() < kFewestPoints) return found;
  for (std::size_t i = 1; i < group.size(); ++i) CALIPER_CHECK(group[i - 1].bytes < group[i].bytes);
  for (std::size_t i = 0; i < group.size(); ++i)
    if (const double deviation = deviation_of(group, i); std::abs(deviation) > threshold_at(group, i))
      found.push_back({i, deviation});
  return found;
}

std::vector<double> outlier_deviations(const Dataset& dataset) {
  std::vector<double> deviations(dataset.experiments.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::uint32_t group = 0; group < dataset.groups.size(); ++group) {
    const std::span<const Experiment> members = dataset.members(group);
    for (const Outlier& outlier : outliers(members))
      deviations[static_cast<std::size_t>(&members[outlier.index] - dataset.experiments.data())] =
          outlier.deviation;
  }
  return deviations;
}

}  // namespace caliper
