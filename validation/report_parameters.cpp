// What was read off the hardware, what was tuned and what else might have been.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"
#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper::report {
namespace {

/// Default (tick), final value (dot) and 95 % interval (bar) between the bounds, as the search space walks
/// them.
Html slider(const ReportParameter& parameter) {
  constexpr double kWidth = 140, kMargin = 6;
  const bool logarithmic = parameter.scale == Scale::logarithmic && parameter.lower > 0;
  const auto along = [&](double value) { return logarithmic ? std::log(value) : value; };
  const double low = along(parameter.lower), span = along(parameter.upper) - low;
  if (!std::isfinite(low) || !std::isfinite(span) || !(span > 0)) return {};
  const auto x = [&](double value) {
    const double share = value > 0 || !logarithmic ? (along(value) - low) / span : 0;
    return kMargin + std::clamp(share, 0.0, 1.0) * (kWidth - 2 * kMargin);
  };
  std::string marks =
      fmt::format("<line class='track' x1='{:.1f}' x2='{:.1f}' y1='9' y2='9'/>", kMargin, kWidth - kMargin);
  if (std::isfinite(parameter.default_value))
    marks += fmt::format("<line class='default' x1='{0:.1f}' x2='{0:.1f}' y1='2' y2='16'/>",
                         x(parameter.default_value));
  if (parameter.interval && std::isfinite(parameter.interval->first) &&
      std::isfinite(parameter.interval->second))
    marks += fmt::format("<line class='interval' x1='{:.1f}' x2='{:.1f}' y1='9' y2='9'/>",
                         x(parameter.interval->first), x(parameter.interval->second));
  if (std::isfinite(parameter.value))
    marks +=
        fmt::format("<circle class='{}' cx='{:.1f}' cy='9' r='4.5'/>",
                    parameter.role == ParameterRole::tuned ? "calibrated" : "untuned", x(parameter.value));
  return Html::trusted(fmt::format(
      "<svg class='slider' width='{0}' height='18' viewBox='0 0 {0} 18' aria-hidden='true'>{1}</svg>", kWidth,
      marks));
}

Html role_of(const ReportParameter& parameter) {
  Html role;
  switch (parameter.role) {
    case ParameterRole::tuned:
      role = element("span", "label tuned", "tuned in " + parameter.stage);
      break;
    case ParameterRole::fixed:
      role = element("span", "label", "fixed");
      break;
    case ParameterRole::at_default:
      role = element("span", "label", "default");
      break;
  }
  if (parameter.at_bound != AtBound::no)
    role += element("span", "label warning",
                    parameter.at_bound == AtBound::lower ? "at lower bound" : "at upper bound");
  if (!parameter.reason.empty()) role += element("div", "hint", parameter.reason);
  return role;
}

Html auxiliary_table(const std::vector<ReportParameter>& parameters) {
  const std::vector<Column> columns = {{"parameter", ""},
                                       {"final", "number strong"},
                                       {"95 % interval", "number"},
                                       {"default", "number"},
                                       {"bounds", "number"},
                                       {"between its bounds", ""},
                                       {"how", ""}};
  std::vector<std::vector<Html>> rows;
  for (const ReportParameter& parameter : parameters) {
    const auto shown = [&](double value) { return quantity(value, parameter.dimension); };
    const auto range = [&](double low, double high) {
      return text(fmt::format("{} .. {}", shown(low), shown(high)));
    };
    rows.push_back(
        {element("code", "", parameter.id) + element("div", "hint", parameter.meaning),
         text(shown(parameter.value)),
         parameter.interval ? range(parameter.interval->first, parameter.interval->second) : text(kNoNumber),
         text(shown(parameter.default_value)), range(parameter.lower, parameter.upper), slider(parameter),
         role_of(parameter)});
  }
  return table(columns, rows, "parameters");
}

Html alternative_table(const ReportAlternative& alternative) {
  std::vector<Column> columns = {{"group", ""}};
  std::vector<std::vector<Html>> rows;
  std::vector<std::string> headers;
  for (const auto& candidate : alternative.candidates)
    headers.push_back(candidate.value + (candidate.in_use ? " (in use)" : ""));
  for (const std::string& header : headers) columns.push_back({header, "number"});
  for (std::size_t g = 0; g < alternative.groups.size(); ++g) {
    std::vector<Html>& row = rows.emplace_back();
    row.push_back(text(alternative.groups[g]));
    for (const auto& candidate : alternative.candidates) {
      CALIPER_CHECK(candidate.mean_error.size() == alternative.groups.size());
      const Html value = text(percent(candidate.mean_error[g]));
      row.push_back(candidate.in_use ? element("strong", value) : value);
    }
  }
  return element("h3", "", alternative.fact) + table(columns, rows);
}

}  // namespace

Html parameters_section(const ReportData& data) {
  Html body;
  if (!data.auxiliary.empty())
    body +=
        element("h3", "", "Auxiliary parameters") +
        element(
            "p", "hint",
            "No one-to-one counterpart in the hardware; the search space of the calibration. Where residuals "
            "are "
            "structured they are effective values, not physical ones. In the picture: dot, final value; bar, "
            "95 % interval; tick, default.") +
        auxiliary_table(data.auxiliary);
  if (!data.direct.empty()) {
    std::vector<std::vector<Html>> rows;
    for (const ReportDirectParameter& parameter : data.direct)
      rows.push_back({element("code", "", parameter.id) + element("div", "hint", parameter.meaning),
                      text(parameter.value), text(parameter.given_by)});
    body += element("h3", "", "Direct parameters") +
            element("p", "hint", "Observed or specified on the target, never tuned.") +
            table({{"parameter", ""}, {"value", ""}, {"given by", ""}}, rows);
  }
  return body.empty() ? Html() : section("parameters", "Parameters", body);
}

Html alternatives_section(const ReportData& data) {
  Html body;
  for (const ReportAlternative& alternative : data.alternatives) body += alternative_table(alternative);
  if (body.empty()) return {};
  return section(
      "alternatives", "Other values of direct facts",
      element(
          "p", "hint",
          "Mean held-out error in % for each candidate. Shown, not chosen: a fact of the hardware is never "
          "picked by its error.") +
          body);
}

}  // namespace caliper::report
