#include "validation/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.hpp"

namespace caliper {
namespace {

using Json = nlohmann::ordered_json;

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
                       .program_hash = {},
                       .with_default = statistics_of(points, &Prediction::default_s),
                       .calibrated = statistics_of(points, &Prediction::calibrated_s),
                       .alpha_beta = statistics_of(points, &Prediction::alpha_beta_s),
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

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const ErrorStatistics& found) {
  Json json = {{"mean", number(found.mean)},
               {"p50", number(found.p50)},
               {"p95", number(found.p95)},
               {"max", number(found.max)},
               {"signed_mean", number(found.signed_mean)}};
  if (found.failed > 0) json["failed"] = found.failed;
  return json;
}

Json json_of(const GroupSummary& summary) {
  Json json = {{"name", summary.name},
               {"collective", summary.collective},
               {"ranks", summary.ranks},
               {"placement", summary.placement},
               {"set", name_of(summary.set)},
               {"count", summary.calibrated.count + summary.calibrated.failed},
               {"sizes", {{"min", summary.smallest}, {"max", summary.largest}}},
               {"outliers", summary.outliers},
               {"noise", number(summary.noise)},
               {"program", summary.program_hash.empty() ? Json(nullptr) : Json(summary.program_hash)},
               {"default", json_of(summary.with_default)},
               {"calibrated", json_of(summary.calibrated)}};
  if (summary.alpha_beta.count > 0) json["alpha_beta"] = json_of(summary.alpha_beta);
  if (!summary.out_of_scope_reasons.empty())
    json["out_of_scope_reason"] = fmt::format("{}", fmt::join(summary.out_of_scope_reasons, "; "));
  return json;
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
  for (auto& sets : points)
    for (auto& members : sets) {
      if (members.empty()) continue;
      summaries.push_back(summary_of(dataset, split, std::move(members)));
      if (!program_hashes.empty()) summaries.back().program_hash = program_hashes[summaries.back().group];
    }
  return summaries;
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

std::string validation_json(std::span<const GroupSummary> summaries) {
  Json groups = Json::array();
  for (const GroupSummary& summary : summaries) groups.push_back(json_of(summary));
  const Json json = {{"groups", std::move(groups)}};
  // Names come from users' files: bytes that are not UTF-8 are replaced, not thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace caliper
