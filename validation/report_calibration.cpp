// How the search went, stage by stage, and what the data could tell about the parameters.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"
#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper::report {
namespace {

/// Columns of the heat map that fit a page; of more experiments an even selection is shown.
constexpr std::size_t kHeatColumns = 22;

double final_loss(const ReportStage& stage) {
  return stage.history.empty() ? kNotGiven : stage.history.back().best;
}

Html stage_facts(const ReportStage& stage) {
  const auto fact = [](const char* name, const std::string& value) {
    return element("div", element("dt", "", name) + element("dd", "", value));
  };
  return element("dl", {{"class", "facts"}},
                 fact("loss", stage.loss) +
                     fact("best", stage.loss_dimension == Dimension::time ? duration(final_loss(stage))
                                                                          : percent_sign(final_loss(stage))) +
                     fact("stopped because", stage.stop_reason) + fact("budget", stage.budget) +
                     fact("evaluations", count(stage.evaluations)) +
                     fact("different runs", count(stage.runs)));
}

/// Diverging from vermilion (-) over white to blue (+); never so dark that black text is hard to read.
std::string heat(double value, double limit) {
  if (!std::isfinite(value) || !(limit > 0)) return "";
  const double share = std::clamp(value / limit, -1.0, 1.0);
  const auto mix = [&](double end) {
    return static_cast<int>(std::lround(255 + std::abs(share) * (end - 255)));
  };
  return share < 0 ? fmt::format("background:rgb({},{},{})", mix(240), mix(160), mix(110))
                   : fmt::format("background:rgb({},{},{})", mix(110), mix(180), mix(230));
}

Html heat_cell(double value, double limit) {
  const std::string shown = fmt::format("{}{:.2f}", value < -0.005 ? "\u2212" : "", std::abs(value));
  return element("td", {{"class", "heat"}, {"style", heat(value, limit)}},
                 text(std::isfinite(value) ? shown : kNoNumber));
}

std::vector<const ReportSensitivity::Row*> selection(const ReportSensitivity& sensitivity) {
  const std::size_t all = sensitivity.rows.size(), shown = std::min(all, kHeatColumns);
  std::vector<const ReportSensitivity::Row*> rows;
  for (std::size_t i = 0; i < shown; ++i)
    rows.push_back(&sensitivity.rows[shown == 1 ? 0 : i * (all - 1) / (shown - 1)]);
  return rows;
}

/// Header of the heat map: group over the sizes that belong to it.
Html heat_head(const std::vector<const ReportSensitivity::Row*>& rows) {
  Html groups = element("th", {{"rowspan", "2"}}, text("parameter"));
  Html sizes;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    for (; end < rows.size() && rows[end]->group == rows[i]->group; ++end)
      sizes += element("th", "size", size(rows[end]->bytes));
    groups += element("th", {{"colspan", std::to_string(end - i)}, {"class", "over"}}, text(rows[i]->group));
    i = end;
  }
  return element("thead", element("tr", groups) + element("tr", sizes));
}

Html heat_map(const ReportSensitivity& sensitivity) {
  const auto rows = selection(sensitivity);
  double limit = 0;
  for (const ReportSensitivity::Row& row : sensitivity.rows) {
    CALIPER_CHECK(row.values.size() == sensitivity.parameters.size());
    for (const double value : row.values)
      if (std::isfinite(value)) limit = std::max(limit, std::abs(value));
  }
  Html body;
  for (std::size_t p = 0; p < sensitivity.parameters.size(); ++p) {
    Html cells = element("th", {{"scope", "row"}}, element("code", "", sensitivity.parameters[p]));
    for (const auto* row : rows) cells += heat_cell(row->values[p], limit);
    body += element("tr", cells);
  }
  const std::string left_out =
      rows.size() < sensitivity.rows.size()
          ? fmt::format(" {} of {} fitted experiments shown.", rows.size(), sensitivity.rows.size())
          : "";
  return element("p", "hint",
                 "Change of completion time per change of the parameter, both relative: 0.5 means that 1 % "
                 "more of the "
                 "parameter gives 0.5 % more time." +
                     left_out) +
         element("div", {{"class", "scroll"}},
                 element("table", {{"class", "heatmap"}}, heat_head(rows) + element("tbody", body)));
}

Html correlations(const ReportSensitivity& sensitivity) {
  if (sensitivity.correlation.empty()) return {};
  CALIPER_CHECK(sensitivity.correlation.size() == sensitivity.parameters.size());
  Html head = element("th", "", "correlation"), body;
  for (const std::string& parameter : sensitivity.parameters)
    head += element("th", element("code", "", parameter));
  for (std::size_t i = 0; i < sensitivity.parameters.size(); ++i) {
    Html cells = element("th", {{"scope", "row"}}, element("code", "", sensitivity.parameters[i]));
    CALIPER_CHECK(sensitivity.correlation[i].size() == sensitivity.parameters.size());
    for (const double value : sensitivity.correlation[i]) cells += heat_cell(value, 1);
    body += element("tr", cells);
  }
  return element("div", {{"class", "scroll"}},
                 element("table", {{"class", "heatmap"}},
                         element("thead", element("tr", head)) + element("tbody", body)));
}

Html identifiability(const ReportSensitivity& sensitivity) {
  std::string values;
  for (const double value : sensitivity.singular_values)
    values += (values.empty() ? "" : ", ") + number(value, 3);
  Html result =
      element("p", "",
              fmt::format("Singular values: {}. Condition number: {}.", values.empty() ? kNoNumber : values,
                          number(sensitivity.condition_number, 3)));
  if (sensitivity.not_identified.empty()) return result;
  Html items;
  for (const std::string& sentence : sensitivity.not_identified) items += element("li", "", sentence);
  return result +
         element("div", {{"class", "careful"}}, element("h3", "", "Not identified") + element("ul", items));
}

}  // namespace

Html stages_section(const ReportData& data) {
  Html body;
  for (std::size_t i = 0; i < data.stages.size(); ++i) {
    const ReportStage& stage = data.stages[i];
    Html content = element("h3", "", stage.name) + stage_facts(stage);
    if (!stage.history.empty())
      content += element("div", {{"class", "charts wide"}},
                         chart("loss", i, "Loss against evaluations, stage " + stage.name));
    body += element("article", {{"class", "card"}}, content);
  }
  return body.empty() ? Html() : section("stages", "Stages", body);
}

Html sensitivity_section(const ReportData& data) {
  Html body;
  for (const ReportSensitivity& sensitivity : data.sensitivities) {
    Html content = element("h3", "", sensitivity.stage);
    if (!sensitivity.rows.empty()) content += heat_map(sensitivity);
    body += element("article", {{"class", "card"}},
                    content + identifiability(sensitivity) + correlations(sensitivity));
  }
  return body.empty() ? Html() : section("sensitivity", "Sensitivity and identifiability", body);
}

}  // namespace caliper::report
