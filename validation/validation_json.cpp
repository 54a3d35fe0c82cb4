// validation.json: what a validation found, for programs.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/credibility.hpp"

namespace caliper {
namespace {

using Json = nlohmann::ordered_json;

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

Json json_of(const ResidualStructure& found) {
  return {{"count", found.count},
          {"rms", number(found.rms)},
          {"bias", number(found.bias)},
          {"structured", number(found.structured)},
          {"scatter", number(found.scatter)},
          {"autocorrelation", number(found.autocorrelation)},
          {"runs_test",
           {{"positive", found.runs.positive},
            {"negative", found.runs.negative},
            {"runs", found.runs.runs},
            {"p", number(found.runs.p)}}}};
}

Json json_of(const GroupSummary& summary) {
  const NoiseEstimate& noise = summary.noise_estimate;
  Json json = {{"name", summary.name},
               {"collective", summary.collective},
               {"ranks", summary.ranks},
               {"placement", summary.placement},
               {"set", name_of(summary.set)},
               {"count", summary.calibrated.count + summary.calibrated.failed},
               {"sizes", {{"min", summary.smallest}, {"max", summary.largest}}},
               {"outliers", summary.outliers},
               {"noise", number(summary.noise)},
               {"noise_interval", Json::array({number(noise.interval.first), number(noise.interval.second)})},
               {"repeated_sizes", noise.repeated},
               {"roughness", number(noise.roughness)},
               {"program", summary.program_hash.empty() ? Json(nullptr) : Json(summary.program_hash)},
               {"default", json_of(summary.with_default)},
               {"calibrated", json_of(summary.calibrated)}};
  if (summary.alpha_beta.count > 0) json["alpha_beta"] = json_of(summary.alpha_beta);
  if (summary.nearest_size.count > 0) json["nearest_size"] = json_of(summary.nearest_size);
  json["residuals"] = json_of(summary.residuals);
  if (!summary.out_of_scope_reasons.empty())
    json["out_of_scope_reason"] = fmt::format("{}", fmt::join(summary.out_of_scope_reasons, "; "));
  return json;
}

Json records_json(const Credibility& credibility) {
  const Disjointness& records = credibility.records;
  return {{"fitted", records.fitted},
          {"held_out", records.held_out},
          {"in_common", records.in_common()},
          {"fitted_sha256", records.fitted_hash},
          {"held_out_sha256", records.held_out_hash},
          {"coincidences", credibility.coincidences}};
}

Json shuffle_json(const Credibility& credibility) {
  if (!credibility.shuffle) return {{"done", false}, {"reason", credibility.no_shuffle}};
  const LabelShuffle& found = *credibility.shuffle;
  Json groups = Json::array();
  for (std::size_t group = 0; group < found.of_group.size(); ++group) {
    const ShuffleErrors& errors = found.of_group[group];
    if (errors.points > 0)
      groups.push_back({{"name", credibility.group_names[group]},
                        {"count", errors.points},
                        {"mean", number(errors.shuffled)},
                        {"calibrated_mean", number(errors.calibrated)},
                        {"fails_as_it_should", LabelShuffle::fails(errors)}});
  }
  return {{"done", true},
          {"seed", found.seed},
          {"iterations", found.iterations},
          {"candidates", found.candidates},
          {"count", found.all.points},
          {"mean", number(found.all.shuffled)},
          {"calibrated_mean", number(found.all.calibrated)},
          {"required_factor", LabelShuffle::kFactor},
          {"fails_as_it_should", found.fails()},
          {"groups", std::move(groups)}};
}

Json json_of(const UnmodelledStructure& structure) {
  return {{"group", structure.name},
          {"size", number(structure.residuals.systematic())},
          {"why", structure.why},
          {"pattern", structure.pattern},
          {"declared_gaps", structure.gaps},
          {"residuals", json_of(structure.residuals)}};
}

}  // namespace

std::string validation_json(std::span<const GroupSummary> summaries, const Credibility& credibility) {
  Json json = {{"groups", Json::array()},
               {"records", records_json(credibility)},
               {"label_shuffle", shuffle_json(credibility)},
               {"unmodelled_structure", Json::array()}};
  for (const GroupSummary& summary : summaries) json["groups"].push_back(json_of(summary));
  for (const UnmodelledStructure& structure : credibility.unmodelled)
    json["unmodelled_structure"].push_back(json_of(structure));
  // Names come from users' files: bytes that are not UTF-8 are replaced, not thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace caliper
