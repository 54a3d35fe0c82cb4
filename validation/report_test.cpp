// A report is checked as text: what must stand in it, what must never, and that hostile names stay text.
#include "validation/report.hpp"

#include <cmath>
#include <limits>
#include <regex>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/report_assets.hpp"
#include "validation/report_format.hpp"

namespace caliper {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ReportPoint point(std::uint64_t bytes, double measured, double with_default, double calibrated,
                  double baseline, Set set) {
  return {bytes, measured, {measured, 1.01 * measured}, with_default, calibrated, baseline, set};
}

/// Two held-out points whose errors are 0.1 and 0.3 by default, 0.01 and 0.03 calibrated, 0.05 and 0.05
/// baseline.
ReportGroup group(const std::string& name) {
  ReportGroup group{name, "all_reduce", 8, "A", 0.005, "c0ffee" + name, {}, {}};
  group.points = {point(1024, 1e-5, 2e-5, kNan, kInfinity, Set::out_of_scope),
                  point(1 << 20, 1e-4, 1.2e-4, 1e-4, 1e-4, Set::calibration),
                  point(1 << 21, 2e-4, 2.2e-4, 2.02e-4, 2.1e-4, Set::validation),
                  point(1 << 22, 4e-4, 5.2e-4, 3.88e-4, 4.2e-4, Set::validation)};
  for (const Set set : {Set::calibration, Set::validation, Set::out_of_scope}) {
    std::vector<double> measured, with_default, calibrated, baseline;
    for (const ReportPoint& p : group.points) {
      if (p.set != set) continue;
      measured.push_back(p.measured);
      with_default.push_back(p.default_s);
      calibrated.push_back(p.calibrated_s);
      baseline.push_back(p.alpha_beta_s);
    }
    group.sets.push_back({set,
                          error_statistics(with_default, measured),
                          error_statistics(calibrated, measured),
                          error_statistics(baseline, measured),
                          {}});
  }
  group.sets.back().reasons = {"protocol switch"};
  return group;
}

ReportData sample() {
  ReportData data;
  data.title = "Fit one, predict two";
  data.scenario = "scenarios/a.toml";
  data.data_kind = "measured";
  data.groups = {group("ar-2x4"), group("ag-2x4"), group("rs-2x4")};
  data.direct = {{"nvlink.rate", "nominal rate", "25 GB/s", "a.toml:3"}};
  data.auxiliary = {{"gpu.launch", "start-up", Dimension::time, Scale::logarithmic, 8.4e-6, 1e-6, 60e-6,
                     60e-6, std::pair{50e-6, 60e-6}, ParameterRole::tuned, "scale-up", "", AtBound::upper},
                    {"net.efficiency",
                     "share",
                     Dimension::number,
                     Scale::linear,
                     0.98,
                     0.5,
                     1,
                     0.98,
                     {},
                     ParameterRole::fixed,
                     "",
                     "OSU, one way"}};
  data.stages = {{"scale-up",
                  "log_rmse",
                  Dimension::number,
                  "30 iterations",
                  "target reached",
                  3,
                  30,
                  {{1, 0.1, 0.1}, {2, kInfinity, 0.1}, {3, 0.02, 0.02}}}};
  data.sensitivities = {{"scale-up",
                         {"gpu.launch"},
                         {{"ar-2x4", 1 << 20, {0.25}}},
                         {1.5},
                         1,
                         {{1}},
                         {"nothing else is determined"}}};
  data.alternatives = {
      {"channels", {"ar-2x4", "ag-2x4"}, {{"4", false, {0.2, kNan}}, {"8", true, {0.02, 0.03}}}}};
  data.model_gaps = {{"overlap", "*", "launches are back to back"}};
  data.skipped = {{"a.log", 17, "size 0"}};
  data.pictures = {{"the machine", "<svg xmlns='http://www.w3.org/2000/svg'/>"}};
  data.provenance = {{{"a.log", "0123abcd"}}, {{"calipersim", "0.1.0"}}, 42, "calibrate", "5eed"};
  return data;
}

bool contains(const std::string& page, const std::string& what) {
  return page.find(what) != std::string::npos;
}

/// The page without style, scripts and chart library: what a reader sees without JavaScript.
std::string visible(const std::string& page) {
  std::string kept;
  std::size_t at = 0;
  const auto next = [&] { return std::min(page.find("<script", at), page.find("<style", at)); };
  for (std::size_t open = next(); open != std::string::npos; open = next()) {
    kept += page.substr(at, open - at);
    const std::string close = page[open + 2] == 'c' ? "</script>" : "</style>";
    at = page.find(close, open) + close.size();
  }
  return kept + page.substr(at);
}

nlohmann::json chart_data_of(const std::string& page) {
  const std::string open = "id=\"chart-data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::size_t count_of(const std::string& page, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("Everything that is given stands in the page, readable without JavaScript") {
  const ReportData data = sample();
  const std::string page = visible(render_report(data));
  for (const ReportGroup& one : data.groups) CHECK(contains(page, "<h3>" + one.name + "</h3>"));
  for (const char* expected : {"Fit one, predict two",
                               "scenarios/a.toml",
                               "measured data",
                               "nvlink.rate",
                               "gpu.launch",
                               "net.efficiency",
                               "OSU, one way",
                               "at upper bound",
                               "scale-up",
                               "target reached",
                               "0.25",
                               "nothing else is determined",
                               "channels",
                               "8 (in use)",
                               "overlap",
                               "a.log:17",
                               "size 0",
                               "0123abcd",
                               "calibrate (options, times and host: manifest.json)",
                               "5eed",
                               "protocol switch",
                               "the machine",
                               "c0ffeear-2x4"})
    CHECK_MESSAGE(contains(page, expected), expected);
}

TEST_CASE("The page loads nothing") {
  const std::string page = render_report(sample());
  const std::string shown = visible(page);
  CHECK(contains(page, "default-src 'none'"));
  CHECK_FALSE(contains(shown, "http:"));
  CHECK_FALSE(contains(shown, "https:"));
  CHECK_FALSE(contains(shown, "<link"));
  CHECK(report::kStyle.find("url(") == std::string_view::npos);
  CHECK(report::kStyle.find("@import") == std::string_view::npos);
  CHECK_FALSE(std::regex_search(shown, std::regex(R"re((src|href)="(?!#|data:))re")));
  CHECK_FALSE(contains(page, "<script src"));
  for (const std::string_view code : {report::kScript, report::kChartLibrary})
    for (const char* call : {"fetch(", "XMLHttpRequest", "importScripts", "import(", "WebSocket"})
      CHECK_MESSAGE(code.find(call) == std::string_view::npos, call);
  CHECK(report::kChartLibrary.find("Chart.js v") != std::string_view::npos);
}

TEST_CASE("Names with markup, quotes and script ends stay text") {
  const std::string evil = "</script><img src=x onerror='alert(1)'>\"&<!--";
  ReportData data = sample();
  data.title = data.scenario = data.data_kind = data.data_note = data.note = evil;
  ReportGroup& changed = data.groups.front();
  changed.name = changed.placement = changed.program_hash = changed.collective = evil;
  changed.sets.back().reasons = {evil};
  data.direct.front() = {evil, evil, evil, evil};
  data.auxiliary.front().id = data.auxiliary.front().meaning = data.auxiliary.front().stage = evil;
  data.auxiliary.front().reason = evil;
  ReportStage& stage = data.stages.front();
  stage.name = stage.loss = stage.budget = stage.stop_reason = evil;
  data.sensitivities.front() = {evil, {evil}, {{evil, 1, {0.5}}}, {1}, 1, {{1}}, {evil}};
  data.alternatives = {{evil, {evil}, {{evil, true, {0.1}}}}};
  data.model_gaps = {{evil, evil, evil}};
  data.skipped = {{evil, 1, evil}};
  data.pictures = {{evil, "<svg><script>alert(1)</script></svg>"}};
  data.provenance = {{{evil, evil}}, {{evil, evil}}, 1, evil, evil};
  const std::string page = render_report(data);
  CHECK_FALSE(contains(page, "<img src=x"));
  CHECK_FALSE(contains(visible(page), "onerror='"));
  CHECK(contains(page, "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;&lt;!--"));
  // The same elements as with harmless names.
  const std::string plain = render_report(sample());
  CHECK(count_of(page, "<script") == count_of(plain, "<script"));
  CHECK(count_of(page, "</script") == count_of(plain, "</script"));
  CHECK(count_of(page, "<canvas") == count_of(plain, "<canvas"));
  // In the chart data the name is what it was.
  CHECK(chart_data_of(page)["groups"][0]["name"] == evil);
}

TEST_CASE("Numbers that are not finite are dashes, and null in the chart data") {
  ReportData data = sample();
  for (ReportGroup& one : data.groups) {
    one.noise = kNan;
    for (ReportPoint& p : one.points) p.calibrated_s = kInfinity;
    for (ReportSet& set : one.sets) set.calibrated = {};
  }
  ReportParameter& parameter = data.auxiliary.front();
  parameter.value = parameter.default_value = parameter.lower = kNan;
  parameter.interval = std::pair{-kInfinity, kInfinity};
  data.sensitivities.front().rows.front().values = {kNan};
  data.sensitivities.front().singular_values = {kInfinity};
  data.sensitivities.front().condition_number = kInfinity;
  data.sensitivities.front().correlation = {{kNan}};
  const std::string page = render_report(data);
  const std::string shown = visible(page);
  const std::regex number_word(R"re([^a-zA-Z](nan|-nan|inf|-inf|NaN|Infinity)[^a-zA-Z])re");
  CHECK_FALSE(std::regex_search(shown, number_word));
  CHECK(contains(shown, "\u2013"));
  const nlohmann::json charts = chart_data_of(page);
  for (const auto& value : charts["groups"][0]["calibrated"]) CHECK(value.is_null());
  CHECK(charts["groups"][0]["noise"].is_null());
  CHECK(charts["stages"][0]["loss"][1].is_null());
}

TEST_CASE("Equal data give equal bytes, and an empty report is a page") {
  CHECK(render_report(sample()) == render_report(sample()));
  const std::string page = render_report({});
  CHECK(page.starts_with("<!DOCTYPE html>\n"));
  CHECK(contains(page, "No point is held out"));
  CHECK(contains(page, "origin of data not stated"));
  CHECK(contains(visible(page), "</html>"));
}

TEST_CASE("The verdict counts held-out points only and says the three means") {
  // Six points: errors 0.01 and 0.03 calibrated, 0.1 and 0.3 default, 0.05 baseline, three times.
  ReportData data = sample();
  const std::string said = verdict(data);
  CHECK(contains(said, "On 6 held-out points of 3 groups"));
  CHECK(contains(said, "off by 2.00\u202F%"));
  CHECK(contains(said, "default parameters by 20.0\u202F%"));
  CHECK(contains(said, "fit of the same data by 5.00\u202F%."));
  CHECK(contains(said, "nearest in 3 of 3 groups"));
  CHECK(contains(said, "at most 3.00\u202F%"));

  data.data_kind = "synthetic";
  data.note = "Frozen before validation.";
  CHECK(verdict(data).starts_with("Against synthetic data: on 6 "));
  CHECK(verdict(data).ends_with(" Frozen before validation."));

  ReportGroup& lost = data.groups.front();
  lost.points.back().calibrated_s = kNan;
  CHECK(contains(verdict(data), "1 held-out point got no simulated time."));

  // The baseline is missing where the calibrated error is 0.03: 0.01 is left for the comparison.
  for (ReportGroup& one : data.groups) one.points.back().alpha_beta_s = kNan;
  CHECK(contains(verdict(data),
                 "by 5.00\u202F% on the 3 points it applies to (the simulator there: 1.00\u202F%)"));
}

TEST_CASE("The smallest mean of a row is framed, also when it is not the calibrated one") {
  ReportData data = sample();
  data.groups.resize(1);
  const std::string framed = "best\"><strong>2.00</strong>";
  CHECK(contains(render_report(data), framed));
  data.groups.front().sets[1].with_default.mean = 0.015;
  const std::string page = render_report(data);
  CHECK_FALSE(contains(page, framed));
  CHECK(contains(page, "best\"><strong>1.50</strong>"));
  CHECK(contains(page, "The default parameters are nearer than the calibrated ones in ar-2x4."));
}

TEST_CASE("The bus factor of the charts is nccl-tests', unknown collectives have none") {
  ReportData data = sample();
  data.groups[1].collective = "gossip";
  const nlohmann::json charts = chart_data_of(render_report(data));
  CHECK(charts["groups"][0]["bus"] == doctest::Approx(2.0 * 7 / 8));  // 2 (n - 1) / n
  CHECK(charts["groups"][1]["bus"].is_null());
  CHECK(charts["groups"][0]["high"][1].get<double>() == doctest::Approx(1.01e-4));
}

TEST_CASE("The controls stand in the page, and a control that went wrong comes first") {
  ReportData data = sample();
  data.credibility.records.fitted = 12;
  data.credibility.records.held_out = 59;
  data.credibility.shuffle = LabelShuffle{.all = {6, 1.8, 0.017}};
  data.credibility.unmodelled = {
      {0, "ar-2x4", {}, "runs test p = 0.001", "too slow up to 1 MiB", {"overlap"}}};
  data.groups[0].sets[1].nearest_size = error_statistics(std::vector{1.4}, std::vector{1.0});
  std::string page = visible(render_report(data));
  CHECK(contains(page, "12 calibration and 59 validation records, 0 in common"));
  CHECK(contains(page, "as it should: mean held-out error 180 % against 1.7 %"));
  CHECK(contains(page, "is worse than the simulator in ar-2x4 (40.0\u202F% against 2.00\u202F%)"));
  CHECK(contains(page, "declared gaps that affect it: overlap"));
  CHECK(contains(page, "Structure beyond noise that the model lacks (see Controls) in ar-2x4"));
  CHECK_FALSE(contains(page, "FAILED"));
  data.credibility.shuffle->all.shuffled = 0.018;
  page = visible(render_report(data));
  CHECK(page.find("FAILED") < page.find("gpu.launch ended at its upper bound"));
}

TEST_CASE("A group has the charts that it has points for") {
  ReportData data = sample();
  data.groups.resize(1);
  const auto has = [&](const char* kind) {
    return contains(render_report(data), fmt::format("data-chart=\"{}\"", kind));
  };
  for (const char* kind : {"time", "bandwidth", "residual", "error", "distribution"}) CHECK(has(kind));
  std::erase_if(data.groups[0].sets, [](const ReportSet& set) { return set.set == Set::validation; });
  CHECK_FALSE(has("distribution"));
  CHECK(has("residual"));
  for (ReportPoint& p : data.groups[0].points) p.calibrated_s = kNan;
  CHECK_FALSE(has("residual"));
  CHECK_FALSE(has("error"));
  CHECK(has("time"));
}

TEST_CASE("Where nothing is repeated the roughness of the curve is said as a lower bound") {
  ReportData data = sample();
  data.groups[0].noise = kNan;
  data.groups[0].noise_estimate.roughness = 0.004;
  data.groups[1].noise_estimate.interval = {0.002, 0.009};
  const std::string page = visible(render_report(data));
  CHECK(contains(page, "no repeats; at least 0.40\u202F% by local roughness"));
  CHECK(contains(page, "0.50\u202F% (95 %: 0.20 .. 0.90)"));
}

TEST_CASE("Numbers as people read them") {
  using namespace report;
  CHECK(duration(1.5e-6) == "1.500\u202F\u00B5s");
  CHECK(duration(0.0567) == "56.70\u202Fms");
  CHECK(duration(2.1) == "2.100\u202Fs");
  CHECK(duration(999.96e-6) == "1.000\u202Fms");  // rounds up into the next unit
  CHECK(duration(0) == "0\u202Fns");
  CHECK(size(std::uint64_t{512} << 20) == "512\u202FMiB");
  CHECK(size(std::uint64_t{3} << 29) == "1536\u202FMiB");
  CHECK(size(2'000'000'000) == "1.863\u202FGiB");
  CHECK(size(0) == "0\u202FB");
  CHECK(size(1000) == "1000\u202FB");
  CHECK(percent(0.0094) == "0.94");
  CHECK(percent(0.09996) == "10.0");
  CHECK(percent(0.299) == "29.9");
  CHECK(percent(12.4) == "1,240");
  CHECK(percent(1e-6) == "<0.01");
  CHECK(signed_percent(-0.05) == "\u22125.00");
  CHECK(signed_percent(0.05) == "+5.00");
  CHECK(quantity(0.5, Dimension::number) == "0.5");
  CHECK(quantity(21.3e9, Dimension::rate) == "21.3\u202FGB/s");
  CHECK(quantity(1e-6, Dimension::time) == "1\u202F\u00B5s");
  CHECK(number(12345.6) == "12346");
  CHECK(count(1204) == "1,204");
  CHECK(count(1204567) == "1,204,567");
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    CHECK(number(value) == "\u2013");
    CHECK(percent(value) == "\u2013");
    CHECK(percent_sign(value) == "\u2013");
    CHECK(signed_percent(value) == "\u2013");
    CHECK(duration(value) == "\u2013");
    CHECK(quantity(value, Dimension::bytes) == "\u2013");
  }
}

}  // namespace caliper
