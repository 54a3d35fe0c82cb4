// Why the held-out errors may be believed, and what is left in the residuals that calibration cannot remove.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper::report {
namespace {

Html control(const char* name, const Html& content, bool good) {
  return element("dt", "", name) + element("dd", {{"class", good ? "" : "failed"}}, content);
}

Html records_control(const Credibility& credibility) {
  const Disjointness& records = credibility.records;
  Html content = text(records_in_words(credibility) + ". ");
  for (const std::string& note : credibility.coincidences) content += element("span", "", note + ". ");
  if (records.fitted > 0)
    content += element("span", "hint",
                       fmt::format("SHA-256 of the fitted set {}, of the held-out set {}.",
                                   records.fitted_hash, records.held_out_hash));
  return control("Records", content, records.in_common() == 0);
}

Html shuffle_control(const Credibility& credibility) {
  Html content = text(shuffle_in_words(credibility) + ". ");
  if (credibility.shuffle)
    content += element(
        "span", "hint",
        fmt::format(
            "The same stages and losses on the fitted times permuted over their sizes: initial design and "
            "up to {} iterations a stage, {} candidates in all, seed {}. It has to be more than {:g} times "
            "worse on the {}.",
            credibility.shuffle->iterations, credibility.shuffle->candidates, credibility.shuffle->seed,
            LabelShuffle::kFactor,
            counted(credibility.shuffle->all.points, "held-out point", "held-out points")));
  return control("Shuffled times", content, !credibility.is_suspicious());
}

Html nearest_size_control(const ReportData& data) {
  std::vector<std::string> better, worse;
  for (const ReportGroup& group : data.groups) {
    const ReportSet* set = find_set(group, Set::validation);
    if (!set || set->nearest_size.count == 0) continue;
    const bool nearer = set->nearest_size.mean < set->calibrated.mean;
    (nearer ? better : worse)
        .push_back(fmt::format("{} ({} against {})", group.name, percent_sign(set->nearest_size.mean),
                               percent_sign(set->calibrated.mean)));
  }
  std::string words = "Reading the time off the nearest fitted sizes of the same group";
  if (better.empty() && worse.empty())
    words += " applies nowhere: no group has both fitted and held-out sizes.";
  else if (better.empty())
    words += fmt::format(" is worse than the simulator in {}.", fmt::join(worse, ", "));
  else
    words += fmt::format(
        " is nearer than the simulator in {}: held-out sizes between fitted ones tell little of what was "
        "learnt "
        "there{}.",
        fmt::join(better, ", "),
        worse.empty() ? "" : fmt::format("; it is worse in {}", fmt::join(worse, ", ")));
  return control("Nearest size",
                 text(words) + element("span", "hint", " It says nothing of groups without fitted sizes."),
                 true);
}

std::string interval(const NoiseEstimate& noise) {
  if (!std::isfinite(noise.interval.first)) return kNoNumber;
  return fmt::format("{} .. {}", percent(noise.interval.first), percent(noise.interval.second));
}

Html noise_cell(const ReportGroup& group) {
  if (std::isfinite(group.noise)) return text(percent(group.noise));
  if (!std::isfinite(group.noise_estimate.roughness)) return text(kNoNumber);
  return text("\u2265 " + percent(group.noise_estimate.roughness));
}

std::string probability(double p) { return p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p); }

std::vector<Html> residual_row(const ReportGroup& group, const ReportSet& set) {
  const ResidualStructure& found = set.residuals;
  const RunsTest& runs = found.runs;
  const std::string correlation = std::isfinite(found.autocorrelation)
                                      ? fmt::format("{}{:.2f}", found.autocorrelation < 0 ? "\u2212" : "",
                                                    std::abs(found.autocorrelation))
                                      : kNoNumber;
  return {text(group.name),
          set_label(set.set),
          text(count(found.count)),
          text(percent(found.rms)),
          text(signed_percent(found.bias)),
          text(percent(found.structured)),
          text(percent(found.scatter)),
          noise_cell(group),
          text(interval(group.noise_estimate)),
          text(fmt::format("{} / {} / {}", runs.positive, runs.negative, runs.runs)),
          text(runs.runs > 0 ? probability(runs.p) : kNoNumber),
          text(correlation)};
}

Html residual_table(const ReportData& data) {
  std::vector<std::vector<Html>> rows;
  for (const ReportGroup& group : data.groups)
    for (const ReportSet& set : group.sets)
      if (set.set != Set::out_of_scope && set.residuals.count > 0) rows.push_back(residual_row(group, set));
  if (rows.empty()) return {};
  const Html note = element(
      "p", "hint",
      "Residuals ln(calibrated / measured) in order of size, in %: rms\u00B2 = bias\u00B2 + structured\u00B2 "
      "+ "
      "scatter\u00B2. Scatter is what neighbouring sizes do not share (second differences over log size), "
      "structured the rest of the variance. Noise is the disagreement of repeats with its 95 % bootstrap "
      "interval "
      "over sizes; \u2265 where nothing is repeated: then it is a lower bound from the roughness of the "
      "measured "
      "curve. Runs test (Wald and Wolfowitz, exact, one-sided): signs + / signs \u2212 / runs, and the "
      "probability "
      "of so few runs in random order.");
  return element("h3", "", "Residuals against noise") + note +
         table({{"group", "nowrap"},
                {"set", "nowrap"},
                {"sizes", "number"},
                {"rms", "number"},
                {"bias", "number"},
                {"structured", "number"},
                {"scatter", "number"},
                {"noise", "number"},
                {"95 %", "number"},
                {"+ / \u2212 / runs", "number"},
                {"p", "number"},
                {"lag 1", "number"}},
               rows, "compact");
}

Html unmodelled_table(const ReportData& data) {
  const Html note = element(
      "p", "hint",
      fmt::format(
          "Over all sizes in scope of a group, from {} sizes on: listed where so few runs have p < {:g}, or "
          "bias and structured part together exceed {:g} times the larger of noise and scatter. More "
          "calibration does not remove it; something is not modelled. Size is the root of bias\u00B2 + "
          "structured\u00B2.",
          kFewestSizes, kRareRuns, kTimesNoise));
  const Html head = element("h3", "", "Unmodelled structure");
  if (data.credibility.unmodelled.empty())
    return head + element("p", "", "None beyond noise in any group of 5 sizes or more.") + note;
  std::vector<std::vector<Html>> rows;
  for (const UnmodelledStructure& found : data.credibility.unmodelled)
    rows.push_back({text(found.name), text(percent(found.residuals.systematic())), text(found.pattern),
                    text(found.why), text(gaps_in_words(found))});
  return head + note +
         table({{"group", "nowrap"},
                {"size, %", "number"},
                {"the simulator is", ""},
                {"listed for", ""},
                {"", ""}},
               rows);
}

}  // namespace

Html controls_section(const ReportData& data) {
  if (data.groups.empty()) return {};
  const Html list = element(
      "dl", {{"class", "controls"}},
      records_control(data.credibility) + shuffle_control(data.credibility) + nearest_size_control(data));
  return section("controls", "Controls", list + residual_table(data) + unmodelled_table(data));
}

}  // namespace caliper::report
