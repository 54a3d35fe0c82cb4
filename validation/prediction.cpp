#include "validation/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/check.hpp"

namespace caliper {
namespace {

ErrorStatistics statistics_of(std::span<const Prediction* const> points, double Prediction::*time) {
  std::vector<double> simulated, measured;
  for (const Prediction* point : points) {
    simulated.push_back(point->*time);
    measured.push_back(point->measured);
  }
  return error_statistics(simulated, measured);
}

GroupSummary summary_of(const Dataset& dataset, const Split& split, std::vector<const Prediction*> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
  const ExperimentGroup& group = dataset.groups[points.front()->group];
  GroupSummary summary{.group = points.front()->group,
                       .name = group.name,
                       .collective = group.collective,
                       .ranks = group.ranks,
                       .placement = group.placement,
                       .set = points.front()->set,
                       .smallest = points.front()->bytes,
                       .largest = points.back()->bytes,
                       .outliers = 0,
                       .noise = group.noise,
                       .noise_estimate = {},
                       .program_hash = {},
                       .with_default = statistics_of(points, &Prediction::default_s),
                       .calibrated = statistics_of(points, &Prediction::calibrated_s),
                       .alpha_beta = statistics_of(points, &Prediction::alpha_beta_s),
                       .nearest_size = statistics_of(points, &Prediction::nearest_size_s),
                       .residuals = residual_structure(residuals_of(points)),
                       .out_of_scope_reasons = {}};
  for (const Prediction* point : points) {
    summary.outliers += point->outlier ? 1u : 0u;
    const std::string& reason = split.out_of_scope_reason[point->id.index];
    auto& known = summary.out_of_scope_reasons;
    if (!reason.empty() && std::find(known.begin(), known.end(), reason) == known.end())
      known.push_back(reason);
  }
  return summary;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// Ten digits: more than any clock gives, fewer than would show the rounding of the factor 1e6.
std::string microseconds(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.10g}", seconds * 1e6) : std::string();
}

}  // namespace

std::vector<GroupSummary> summarise(const Dataset& dataset, const Split& split,
                                    std::span<const Prediction> predictions,
                                    std::span<const std::string> program_hashes) {
  CALIPER_CHECK(program_hashes.empty() || program_hashes.size() == dataset.groups.size());
  CALIPER_CHECK(split.out_of_scope_reason.size() == dataset.experiments.size());
  constexpr std::array kSets = {Set::calibration, Set::validation, Set::out_of_scope};
  std::vector<std::array<std::vector<const Prediction*>, kSets.size()>> points(dataset.groups.size());
  for (const Prediction& prediction : predictions) {
    CALIPER_CHECK(prediction.group < dataset.groups.size());
    CALIPER_CHECK(prediction.id.index < dataset.experiments.size());
    const auto set = std::find(kSets.begin(), kSets.end(), prediction.set) - kSets.begin();
    points[prediction.group][static_cast<std::size_t>(set)].push_back(&prediction);
  }
  std::vector<GroupSummary> summaries;
  for (std::uint32_t group = 0; group < points.size(); ++group) {
    const NoiseEstimate noise = estimate_noise(dataset.members(group));
    for (auto& members : points[group]) {
      if (members.empty()) continue;
      summaries.push_back(summary_of(dataset, split, std::move(members)));
      summaries.back().noise_estimate = noise;
      if (!program_hashes.empty()) summaries.back().program_hash = program_hashes[group];
    }
  }
  return summaries;
}

std::vector<SizedResidual> residuals_of(std::span<const Prediction* const> predictions) {
  std::vector<SizedResidual> residuals;
  for (const Prediction* prediction : predictions)
    if (prediction->bytes > 0 && std::isfinite(prediction->calibrated_s) && prediction->calibrated_s > 0)
      residuals.push_back({prediction->bytes, std::log(prediction->calibrated_s / prediction->measured)});
  std::ranges::sort(residuals, {}, &SizedResidual::bytes);
  return residuals;
}

std::string predictions_csv(const Dataset& dataset, std::span<const Prediction> predictions) {
  std::string csv = "group,size_bytes,measured_us,default_us,calibrated_us,set\n";
  for (const Prediction& p : predictions) {
    CALIPER_CHECK(p.group < dataset.groups.size());
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{}\n", csv_text(dataset.groups[p.group].name),
                   p.bytes, microseconds(p.measured), microseconds(p.default_s), microseconds(p.calibrated_s),
                   name_of(p.set));
  }
  return csv;
}

}  // namespace caliper
