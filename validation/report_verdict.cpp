// The first screen: what came of it in one sentence, the held-out errors of every group, and what to be
// careful of.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper {
namespace report {
namespace {

constexpr double ErrorStatistics::*const kShown[] = {&ErrorStatistics::mean, &ErrorStatistics::p95,
                                                     &ErrorStatistics::max};

struct Method {
  const char* css_class;
  const char* name;
  ErrorStatistics ReportSet::*errors;
  double ReportPoint::*simulated;
};
constexpr std::array kMethods = {
    Method{"default", "default", &ReportSet::with_default, &ReportPoint::default_s},
    Method{"baseline", "alpha\u2013beta", &ReportSet::alpha_beta, &ReportPoint::alpha_beta_s},
    Method{"calibrated", "calibrated", &ReportSet::calibrated, &ReportPoint::calibrated_s}};

struct HeldOut {
  const ReportGroup* group;
  const ReportSet* set;
};

std::vector<HeldOut> held_out(const ReportData& data) {
  std::vector<HeldOut> found;
  for (const ReportGroup& group : data.groups)
    if (const ReportSet* set = find_set(group, Set::validation)) found.push_back({&group, set});
  return found;
}

/// Errors over all held-out points together, or over some of them.
template <class Some = bool (*)(const ReportPoint&)>
ErrorStatistics pooled(
    const ReportData& data, double ReportPoint::*simulated,
    Some counts = [](const ReportPoint&) { return true; }) {
  std::vector<double> predictions, measured;
  for (const ReportGroup& group : data.groups) {
    for (const ReportPoint& point : group.points) {
      if (point.set != Set::validation || !counts(point)) continue;
      predictions.push_back(point.*simulated);
      measured.push_back(point.measured);
    }
  }
  return error_statistics(predictions, measured);
}

/// Smallest of the finite values; NaN where there is none.
double smallest(std::initializer_list<double> values) {
  double best = kNotGiven;
  for (const double value : values)
    if (std::isfinite(value) && !(value >= best)) best = value;
  return best;
}

/// Band of an error for its colour, 1 (up to 2 %) to 5 (above 25 %).
int band(double error) {
  constexpr std::array kLimits = {0.02, 0.05, 0.10, 0.25};
  return 1 + static_cast<int>(std::ranges::count_if(kLimits, [&](double limit) { return error > limit; }));
}

/// The smallest of a row is bold, and framed where it is the mean.
Html error_cell(double error, bool best, bool framed) {
  const std::string colour = std::isfinite(error) ? fmt::format(" band{}", band(error)) : "";
  const Html value = best ? element("strong", "", percent(error)) : text(percent(error));
  return element("td", {{"class", fmt::format("number{}{}", colour, framed ? " best" : "")}}, value);
}

/// Mean errors of one group as dots over a logarithmic axis of 0.1 % to 100 %; the tick is the noise floor.
Html strip(const HeldOut& row) {
  constexpr double kWidth = 150, kMargin = 6;
  const auto x = [](double error) {
    const double decades = std::clamp(std::log10(std::max(error, 1e-9)) + 3, 0.0, 3.0);
    return kMargin + decades / 3 * (kWidth - 2 * kMargin);
  };
  std::string marks;
  for (int decade = 0; decade <= 3; ++decade) {
    const double at = kMargin + decade / 3.0 * (kWidth - 2 * kMargin);
    marks += fmt::format("<line class='grid' x1='{0:.1f}' x2='{0:.1f}' y1='1' y2='19'/>", at);
  }
  const double from = row.set->with_default.mean, to = row.set->calibrated.mean;
  if (std::isfinite(from) && std::isfinite(to))
    marks += fmt::format("<line class='path' x1='{:.1f}' x2='{:.1f}' y1='10' y2='10'/>", x(from), x(to));
  if (std::isfinite(row.group->noise))
    marks +=
        fmt::format("<line class='noise' x1='{0:.1f}' x2='{0:.1f}' y1='3' y2='17'/>", x(row.group->noise));
  for (const Method& method : kMethods) {
    const double mean = (row.set->*method.errors).mean;
    if (std::isfinite(mean))
      marks += fmt::format("<circle class='{}' cx='{:.1f}' cy='10' r='4.5'/>", method.css_class, x(mean));
  }
  return Html::trusted(
      fmt::format("<svg class='strip' width='{0}' height='20' viewBox='0 0 {0} 20' "
                  "aria-hidden='true'>{1}</svg>",
                  kWidth, marks));
}

Html table_head() {
  Html top = Html::trusted(
      "<th rowspan='2' scope='col'>group</th><th rowspan='2' scope='col' class='number'>points"
      "</th><th rowspan='2' scope='col' class='number'>noise<br>floor</th>"
      "<th rowspan='2' scope='col' class='number'>nearest<br>size</th>");
  Html below;
  for (const Method& method : kMethods) {
    const std::string key = std::string("key ") + method.css_class;
    top += element("th", {{"colspan", "3"}, {"scope", "colgroup"}, {"class", "over"}},
                   element("span", key, method.name));
    for (const char* name : {"mean", "p95", "max"})
      below += element("th", {{"class", "number"}, {"scope", "col"}}, text(name));
  }
  top += Html::trusted(
      "<th rowspan='2' scope='col' class='number'>calibrated<br>/ noise</th>"
      "<th rowspan='2' scope='col'>mean error, log scale<br><span class='axis'><i>0.1</i><i>1</i>"
      "<i>10</i><i>100</i></span></th>");
  return element("thead", element("tr", top) + element("tr", below));
}

Html table_row(const HeldOut& row) {
  Html cells = element("th", {{"scope", "row"}}, text(row.group->name));
  const ErrorStatistics& calibrated = row.set->calibrated;
  cells += element("td", "number", count(calibrated.count + calibrated.failed));
  cells += element("td", "number", percent(row.group->noise));
  cells += element("td", "number", percent(row.set->nearest_size.mean));
  std::array<double, 3> best;
  for (std::size_t k = 0; k < best.size(); ++k)
    best[k] =
        smallest({row.set->with_default.*kShown[k], row.set->alpha_beta.*kShown[k], calibrated.*kShown[k]});
  for (const Method& method : kMethods)
    for (std::size_t k = 0; k < best.size(); ++k) {
      const double error = (row.set->*method.errors).*kShown[k];
      cells += error_cell(error, error <= best[k], error <= best[k] && k == 0);
    }
  const double ratio = row.group->noise > 0 ? calibrated.mean / row.group->noise : kNotGiven;
  cells += element("td", "number", number(ratio, 2));
  cells += element("td", {{"class", "strip"}}, strip(row));
  return element("tr", cells);
}

Html held_out_table(const std::vector<HeldOut>& rows) {
  Html body;
  for (const HeldOut& row : rows) body += table_row(row);
  const Html hint = element(
      "p", "hint",
      "Held-out errors |simulated \u2212 measured| / measured in %. Bold: nearest of the three. "
      "Dashes: does not apply. Nearest size: mean error of interpolation between the fitted sizes of the "
      "same group. Calibrated / noise: calibrated mean over noise floor; near 1 nothing is left to "
      "explain, and a large number beside a small error means that repeats agree better than any model "
      "here. The tick in the last column is the noise floor.");
  return hint + element("div", {{"class", "scroll"}},
                        element("table", {{"class", "errors"}}, table_head() + element("tbody", body)));
}

Html tiles(const ReportData& data) {
  Html all;
  const auto tile = [&](const char* css_class, const std::string& value, const std::string& label) {
    all += element("div", {{"class", std::string("tile ") + css_class}},
                   element("b", "", value) + element("span", "", label));
  };
  for (const Method* method : {&kMethods[2], &kMethods[0], &kMethods[1]}) {
    const ErrorStatistics errors = pooled(data, method->simulated);
    tile(method->css_class, percent_sign(errors.mean),
         fmt::format("{}: mean error of {}", method->name, counted(errors.count, "point", "points")));
  }
  std::vector<double> noise;
  for (const HeldOut& row : held_out(data))
    if (std::isfinite(row.group->noise)) noise.push_back(row.group->noise);
  tile("noise", percent_sign(quantile(noise, 0.5)), "noise floor, median of the held-out groups");
  return element("div", {{"class", "tiles"}}, all);
}

/// "what a, b, c." where there is any group to name.
void add_groups(std::vector<std::string>& found, const char* what, const std::vector<std::string>& names) {
  if (!names.empty()) found.push_back(fmt::format("{} {}.", what, fmt::join(names, ", ")));
}

/// What a reader should know before believing the verdict.
std::vector<std::string> cautions(const ReportData& data) {
  std::vector<std::string> found;
  if (data.credibility.is_suspicious()) found.push_back(shuffle_in_words(data.credibility) + ".");
  for (const std::string& note : data.credibility.coincidences) found.push_back(note + ".");
  for (const ReportParameter& parameter : data.auxiliary)
    if (parameter.at_bound != AtBound::no)
      found.push_back(fmt::format("{} ended at its {} bound.", parameter.id,
                                  parameter.at_bound == AtBound::lower ? "lower" : "upper"));
  for (const ReportSensitivity& sensitivity : data.sensitivities)
    for (const std::string& sentence : sensitivity.not_identified)
      found.push_back(fmt::format("Not identified in stage {}: {}", sensitivity.stage, sentence));
  std::vector<std::string> default_nearer, baseline_nearer, no_noise;
  for (const HeldOut& row : held_out(data)) {
    const double own = row.set->calibrated.mean;
    if (row.set->with_default.mean < own) default_nearer.push_back(row.group->name);
    if (row.set->alpha_beta.mean < own) baseline_nearer.push_back(row.group->name);
    if (!std::isfinite(row.group->noise)) no_noise.push_back(row.group->name);
  }
  add_groups(found, "The default parameters are nearer than the calibrated ones in", default_nearer);
  add_groups(found, "The alpha\u2013beta fit is nearer than the simulator in", baseline_nearer);
  add_groups(found, "Without repeats, so of unknown noise:", no_noise);
  std::vector<std::string> unmodelled;
  for (const UnmodelledStructure& structure : data.credibility.unmodelled)
    unmodelled.push_back(
        fmt::format("{} ({})", structure.name, percent_sign(structure.residuals.systematic())));
  add_groups(found, "Structure beyond noise that the model lacks (see Controls) in", unmodelled);
  return found;
}

Html careful(const ReportData& data) {
  Html items;
  for (const std::string& caution : cautions(data)) items += element("li", "", caution);
  if (items.empty()) return {};
  return element("div", {{"class", "careful"}}, element("h3", "", "Read with care") + element("ul", items));
}

/// The baseline need not apply everywhere; where it does not, the simulator's error is said on the points
/// where it does.
std::string baseline_clause(const ReportData& data, std::size_t points) {
  const ErrorStatistics baseline = pooled(data, &ReportPoint::alpha_beta_s);
  if (baseline.count == 0) return "";
  std::string where;
  if (baseline.count < points) {
    const ErrorStatistics same = pooled(data, &ReportPoint::calibrated_s, [](const ReportPoint& point) {
      return std::isfinite(point.alpha_beta_s);
    });
    where = fmt::format(" on the {} it applies to (the simulator there: {})",
                        counted(baseline.count, "point", "points"), percent_sign(same.mean));
  }
  return fmt::format(", and the alpha\u2013beta fit of the same data by {}{}", percent_sign(baseline.mean),
                     where);
}

std::string ranking(const std::vector<HeldOut>& rows) {
  std::size_t nearest = 0;
  const HeldOut* worst = nullptr;
  for (const HeldOut& row : rows) {
    const double own = row.set->calibrated.mean;
    nearest += own <= smallest({own, row.set->with_default.mean, row.set->alpha_beta.mean}) ? 1 : 0;
    if (std::isfinite(own) && (!worst || own > worst->set->calibrated.mean)) worst = &row;
  }
  if (!worst) return "";
  return fmt::format(" It is the nearest in {} of {}; the worst is {} with a mean of {} and at most {}.",
                     nearest, counted(rows.size(), "group", "groups"), worst->group->name,
                     percent_sign(worst->set->calibrated.mean), percent_sign(worst->set->calibrated.max));
}

}  // namespace

Html verdict_section(const ReportData& data) {
  Html body = element("p", "lead", verdict(data));
  const std::vector<HeldOut> rows = held_out(data);
  if (!rows.empty()) body += tiles(data) + held_out_table(rows);
  return section("verdict", "Verdict", body + careful(data));
}

}  // namespace report

std::string verdict(const ReportData& data) {
  using namespace report;
  const std::string note = data.note.empty() ? "" : " " + data.note;
  const std::vector<HeldOut> rows = held_out(data);
  if (rows.empty()) return "No point is held out, so nothing can be said about predictions." + note;
  const ErrorStatistics calibrated = pooled(data, &ReportPoint::calibrated_s);
  const ErrorStatistics with_default = pooled(data, &ReportPoint::default_s);
  const std::size_t points = calibrated.count + calibrated.failed;
  const std::string kind = data.data_kind == "synthetic" ? "Against synthetic data: on" : "On";
  std::string sentence = fmt::format(
      "{} {} of {} the calibrated simulator is off by {} on average (95 % of them by at most {}); with its "
      "default "
      "parameters by {}{}.",
      kind, counted(points, "held-out point", "held-out points"), counted(rows.size(), "group", "groups"),
      percent_sign(calibrated.mean), percent_sign(calibrated.p95), percent_sign(with_default.mean),
      baseline_clause(data, points));
  sentence += ranking(rows);
  if (calibrated.failed > 0)
    sentence += fmt::format(" {} got no simulated time.",
                            counted(calibrated.failed, "held-out point", "held-out points"));
  return sentence + note;
}

}  // namespace caliper
