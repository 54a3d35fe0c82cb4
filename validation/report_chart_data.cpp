// The numbers that the charts draw.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "validation/alpha_beta.hpp"
#include "validation/report_sections.hpp"

namespace caliper::report {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they are null, which a chart leaves out.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json group_data(const ReportGroup& group) {
  const auto ring = ring_terms(group.collective, group.ranks);
  Json json = {{"name", group.name},
               {"bus", finite(ring ? ring->bus_factor : kNotGiven)},
               {"noise", finite(group.noise)}};
  // An array per quantity: half the bytes of an object per point.
  for (const char* key :
       {"bytes", "set", "measured", "low", "high", "default", "calibrated", "baseline", "flagged"})
    json[key] = Json::array();
  for (const ReportPoint& point : group.points) {
    const std::vector<double>& repeats = point.repeats;
    if (std::isfinite(point.outlier_deviation)) json["flagged"].push_back(json["bytes"].size());
    json["bytes"].push_back(point.bytes);
    json["set"].push_back(static_cast<int>(point.set));
    json["measured"].push_back(finite(point.measured));
    json["low"].push_back(finite(repeats.empty() ? point.measured : std::ranges::min(repeats)));
    json["high"].push_back(finite(repeats.empty() ? point.measured : std::ranges::max(repeats)));
    json["default"].push_back(finite(point.default_s));
    json["calibrated"].push_back(finite(point.calibrated_s));
    json["baseline"].push_back(finite(point.alpha_beta_s));
  }
  return json;
}

Json stage_data(const ReportStage& stage) {
  Json json = {{"name", stage.name}, {"time", stage.loss_dimension == Dimension::time}};
  for (const char* key : {"evaluation", "loss", "best"}) json[key] = Json::array();
  for (const ReportEvaluation& evaluation : stage.history) {
    json["evaluation"].push_back(evaluation.number);
    json["loss"].push_back(finite(evaluation.loss));
    json["best"].push_back(finite(evaluation.best));
  }
  return json;
}

}  // namespace

std::string chart_data(const ReportData& data) {
  Json json = {{"groups", Json::array()}, {"stages", Json::array()}};
  for (const ReportGroup& group : data.groups) json["groups"].push_back(group_data(group));
  for (const ReportStage& stage : data.stages) json["stages"].push_back(stage_data(stage));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace caliper::report
