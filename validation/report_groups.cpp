// One card per group with its curves, errors and points; and what was fitted, held out and left aside.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper::report {
namespace {

constexpr std::size_t kShortHash = 12;

Html chip(const std::string& label, const std::string& value) {
  return element("span", {{"class", "chip"}}, element("i", "", label) + text(value));
}

/// "0.12 % (0.05 .. 0.30)", or what the curve itself says where nothing is repeated.
std::string noise_in_words(const ReportGroup& group) {
  const NoiseEstimate& noise = group.noise_estimate;
  if (!std::isfinite(group.noise))
    return std::isfinite(noise.roughness)
               ? fmt::format("no repeats; at least {} by local roughness", percent_sign(noise.roughness))
               : "no repeats";
  if (!std::isfinite(noise.interval.first)) return percent_sign(group.noise);
  return fmt::format("{} (95 %: {} .. {})", percent_sign(group.noise), percent(noise.interval.first),
                     percent(noise.interval.second));
}

Html chips(const ReportGroup& group) {
  Html all = chip("collective", group.collective) + chip("ranks", count(group.ranks)) +
             chip("placement", group.placement.empty() ? kNoNumber : group.placement) +
             chip("noise floor", noise_in_words(group));
  if (!group.program_hash.empty())
    all += element("span", {{"class", "chip code"}, {"title", group.program_hash}},
                   element("i", "", "program") + text(group.program_hash.substr(0, kShortHash)));
  return element("p", {{"class", "chips"}}, all);
}

/// How the charts draw what; the only legend, so that charts need none.
Html legend(bool with_baseline) {
  const auto entry = [](const char* mark, const char* name) {
    return element(
        "span", Html::trusted(fmt::format("<svg width='26' height='12' aria-hidden='true'>{}</svg>", mark)) +
                    text(name));
  };
  return element(
      "p", {{"class", "legend"}},
      entry("<line class='whisker' x1='13' x2='13' y1='0' y2='12'/><circle class='fitted' cx='13' "
            "cy='6' r='3.5'/>",
            "measured, fitted") +
          entry("<line class='whisker' x1='13' x2='13' y1='0' y2='12'/><path class='held' d='M13 "
                "2L17 6L13 10L9 6Z'/>",
                "measured, held out") +
          entry("<path class='outside' d='M10 3L16 9M16 3L10 9'/>", "measured, out of scope") +
          entry("<line class='calibrated' x1='1' x2='25' y1='6' y2='6'/>", "calibrated") +
          entry("<line class='default' x1='1' x2='25' y1='6' y2='6'/>", "default") +
          (with_baseline ? entry("<line class='baseline' x1='1' x2='25' y1='6' y2='6'/>", "alpha\u2013beta")
                         : Html()) +
          entry("<line class='noise' x1='1' x2='25' y1='6' y2='6'/>", "noise floor") +
          entry("<rect class='noise' x='1' y='1' width='24' height='10'/>", "noise band"));
}

Html error_row(Set set, const char* method, const ErrorStatistics& errors) {
  Html cells = element("td", set_label(set));
  cells += element("td", "", method);
  cells += element("td", "number", count(errors.count));
  cells += element("td", "number", count(errors.failed));
  for (const double value : {errors.mean, errors.p50, errors.p95, errors.max})
    cells += element("td", "number", percent(value));
  cells += element("td", "number", signed_percent(errors.signed_mean));
  return element("tr", cells);
}

Html error_table(const ReportGroup& group) {
  Html rows;
  for (const ReportSet& set : group.sets) {
    rows += error_row(set.set, "calibrated", set.calibrated);
    rows += error_row(set.set, "default", set.with_default);
    if (set.alpha_beta.count > 0) rows += error_row(set.set, "alpha\u2013beta", set.alpha_beta);
    if (set.nearest_size.count > 0) rows += error_row(set.set, "nearest size", set.nearest_size);
  }
  const Html head = Html::trusted(
      "<thead><tr><th scope='col'>set</th><th scope='col'>parameters</th><th scope='col' "
      "class='number'>points</th>"
      "<th scope='col' class='number'>failed</th><th scope='col' class='number'>mean</th>"
      "<th scope='col' class='number'>p50</th><th scope='col' class='number'>p95</th>"
      "<th scope='col' class='number'>max</th><th scope='col' class='number'>bias</th></tr></thead>");
  return element("div", {{"class", "scroll"}}, element("table", head + element("tbody", rows)));
}

std::string range_of_repeats(const ReportPoint& point) {
  if (point.repeats.size() < 2) return kNoNumber;
  const auto [low, high] = std::ranges::minmax(point.repeats);
  return fmt::format("{} .. {} ({})", duration(low), duration(high), point.repeats.size());
}

double error_of(double simulated, double measured) { return std::abs(simulated - measured) / measured; }

Html points_table(const ReportGroup& group) {
  const std::vector<Column> columns = {{"size", "number"},
                                       {"set", ""},
                                       {"measured", "number"},
                                       {"repeats", "number"},
                                       {"calibrated", "number"},
                                       {"E, %", "number"},
                                       {"default", "number"},
                                       {"E, %", "number"},
                                       {"\u03B1\u2013\u03B2", "number"},
                                       {"E, %", "number"},
                                       {"off its neighbours", "number"}};
  std::vector<std::vector<Html>> rows;
  for (const ReportPoint& point : group.points) {
    std::vector<Html>& row = rows.emplace_back();
    row = {text(size(point.bytes)), set_label(point.set), text(duration(point.measured)),
           text(range_of_repeats(point))};
    for (const double simulated : {point.calibrated_s, point.default_s, point.alpha_beta_s}) {
      row.push_back(text(duration(simulated)));
      row.push_back(text(percent(error_of(simulated, point.measured))));
    }
    const bool flagged = std::isfinite(point.outlier_deviation);
    row.push_back(flagged ? text(signed_percent(point.outlier_deviation) + " %") : Html());
  }
  return element("details", element("summary", "",
                                    fmt::format("All {}", counted(group.points.size(), "point", "points"))) +
                                table(columns, rows, "points"));
}

Html outliers_note(const ReportGroup& group) {
  std::string list;
  for (const ReportPoint& point : group.points)
    if (std::isfinite(point.outlier_deviation))
      list += fmt::format("{}{} ({} %)", list.empty() ? "" : ", ", size(point.bytes),
                          signed_percent(point.outlier_deviation));
  if (list.empty()) return {};
  return element("p", "hint",
                 "Flagged, and kept: measured points off the curve of their neighbours at " + list + ".");
}

Html curves(const ReportGroup& group, std::size_t index) {
  const bool with_baseline = std::ranges::any_of(
      group.points, [](const ReportPoint& point) { return std::isfinite(point.alpha_beta_s); });
  Html charts = chart("time", index, "Completion time against size, " + group.name) +
                chart("bandwidth", index, "Bandwidth against size, " + group.name);
  if (std::ranges::any_of(group.points, [](const ReportPoint& p) { return std::isfinite(p.calibrated_s); }))
    charts += chart("residual", index, "Signed error against size with the noise band, " + group.name) +
              chart("error", index, "Error against size, " + group.name);
  const ReportSet* held_out = find_set(group, Set::validation);
  if (held_out && held_out->calibrated.count > 0)
    charts += chart("distribution", index, "Distribution of held-out errors, " + group.name);
  return legend(with_baseline) + element("div", {{"class", "charts"}}, charts) + outliers_note(group);
}

Html card(const ReportGroup& group, std::size_t index) {
  Html content = element("h3", "", group.name) + chips(group);
  if (group.points.empty()) {
    content += element("p", "hint", "No points.");
  } else {
    content += curves(group, index) + error_table(group) + points_table(group);
  }
  return element("article", {{"class", "card"}, {"id", fmt::format("group-{}", index)}}, content);
}

/// "64 MiB .. 2 GiB (6)"
std::string extent(const ReportGroup& group, Set set) {
  std::uint64_t points = 0, low = 0, high = 0;
  for (const ReportPoint& point : group.points) {
    if (point.set != set) continue;
    low = points == 0 ? point.bytes : std::min(low, point.bytes);
    high = std::max(high, point.bytes);
    ++points;
  }
  if (points == 0) return kNoNumber;
  if (low == high) return fmt::format("{} ({})", size(low), count(points));
  return fmt::format("{} .. {} ({})", size(low), size(high), count(points));
}

}  // namespace

Html groups_section(const ReportData& data) {
  Html cards;
  for (std::size_t i = 0; i < data.groups.size(); ++i) cards += card(data.groups[i], i);
  if (cards.empty()) return {};
  const Html note = Html::trusted(
      "<p class='hint'>Whiskers span the repeats. Shaded sizes are out of scope. Bus bandwidth is "
      "algorithmic "
      "bandwidth (bytes / time) times nccl-tests' factor. Errors in %; bias is the mean of (simulated "
      "&minus; measured) / "
      "measured, above 0 where the simulator is too slow.</p>"
      "<noscript><p class='hint'>Charts need JavaScript; the tables hold every number.</p></noscript>");
  return section("groups", "Groups", note + cards);
}

Html partition_section(const ReportData& data) {
  const std::vector<Column> columns = {
      {"group", "nowrap"},        {"placement", ""}, {"fitted", "nowrap"},        {"held out", "nowrap"},
      {"out of scope", "nowrap"}, {"reason", ""},    {"calibrated, %", "number"}, {"default, %", "number"}};
  std::vector<std::vector<Html>> rows;
  for (const ReportGroup& group : data.groups) {
    const ReportSet* outside = find_set(group, Set::out_of_scope);
    std::string reasons;
    if (outside)
      for (const std::string& reason : outside->reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    rows.push_back({text(group.name), text(group.placement), text(extent(group, Set::calibration)),
                    text(extent(group, Set::validation)), text(extent(group, Set::out_of_scope)),
                    text(reasons), text(percent(outside ? outside->calibrated.mean : kNotGiven)),
                    text(percent(outside ? outside->with_default.mean : kNotGiven))});
  }
  if (rows.empty()) return {};
  const Html note = element("p", "hint",
                            "Declared before fitting and disjoint. What is out of scope counts in no "
                            "statistic above; its mean error is shown here all the same.");
  return section("partition", "Fitted, held out, out of scope", note + table(columns, rows));
}

}  // namespace caliper::report
