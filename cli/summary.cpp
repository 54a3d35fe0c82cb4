#include "cli/summary.hpp"

#include <cmath>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace caliper {
namespace {

std::string held_out_table(const Assessment& assessment) {
  std::vector<std::vector<std::string>> rows = {{"held out", "ranks", "sizes", "noise", "default",
                                                 "alpha-beta", "nearest size", "calibrated", "p95", "max"}};
  for (const GroupSummary& summary : assessment.summaries) {
    if (summary.set != Set::validation) continue;
    rows.push_back({summary.name, fmt::format("{}", summary.ranks),
                    fmt::format("{}", summary.calibrated.count), percent(summary.noise),
                    percent(summary.with_default.mean), percent(summary.alpha_beta.mean),
                    percent(summary.nearest_size.mean), percent(summary.calibrated.mean),
                    percent(summary.calibrated.p95), percent(summary.calibrated.max)});
  }
  return rows.size() == 1 ? "Nothing is held out: nothing confirms these parameters.\n"
                          : "Mean error of completion time\n" + text_table(rows);
}

std::string controls_text(const Credibility& credibility) {
  std::string text =
      fmt::format("Records: {}.\n{}.\n", records_in_words(credibility), shuffle_in_words(credibility));
  if (credibility.unmodelled.empty())
    return text +
           "Residuals: no structure beyond noise (groups of fewer than 5 sizes in scope are not tested).\n";
  text += "Residuals beyond noise, which calibration cannot remove:\n";
  for (const UnmodelledStructure& structure : credibility.unmodelled)
    text += fmt::format("  {}\n", in_words(structure));
  return text;
}

std::string summary_json(const Scenario& scenario, const Assessment& assessment,
                         const CalibrationRecord* calibration, const std::filesystem::path& folder) {
  auto json = nlohmann::ordered_json::parse(validation_json(assessment.summaries, assessment.credibility));
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i)
    json["parameters"][scenario.parameters[i].id] = assessment.calibrated[i];
  if (calibration)
    for (std::size_t s = 0; s < calibration->results.size(); ++s)
      json["stages"].push_back({{"name", calibration->stages[s].name},
                                {"loss", calibration->results[s].loss},
                                {"stop", name_of(calibration->results[s].stop_reason)},
                                {"runs", calibration->results[s].counts.runs}});
  json["report"] = (folder / "report.html").string();
  return json.dump(2) + "\n";
}

/// "12.3 s: reading 0.1, programs 1.4, stages 8.0 (simulator 7.1, optimiser 0.7, cache 0.2), ..."
std::string time_spent(const PhaseWatch& watch, const CalibrationRecord* calibration) {
  StageSeconds all;
  if (calibration)
    for (const StageResult& result : calibration->results) {
      all.evaluation.simulator += result.seconds.evaluation.simulator;
      all.evaluation.cache += result.seconds.evaluation.cache;
      all.optimizer += result.seconds.optimizer;
    }
  std::vector<std::string> phases;
  for (const PhaseWatch::Phase& phase : watch.phases()) {
    phases.push_back(fmt::format("{} {:.2f}", phase.name, phase.seconds));
    if (phase.name == kStagesPhase)
      phases.back() += fmt::format(" (simulator {:.2f}, optimiser {:.2f}, cache {:.2f})",
                                   all.evaluation.simulator, all.optimizer, all.evaluation.cache);
  }
  return fmt::format("{:.1f} s: {}", watch.seconds(), fmt::join(phases, ", "));
}

}  // namespace

int conclude(const std::filesystem::path& folder, const Scenario& scenario, const Assessment& assessment,
             const CalibrationRecord* calibration, const std::string& calibrated, Manifest manifest,
             bool json) {
  const ReportData data = report_data(scenario, assessment, calibration);
  if (Problems problems =
          write_results(folder, scenario, assessment, calibration, calibrated, data, manifest);
      !problems.empty())
    return report(problems);
  say(time_spent(manifest.watch, calibration));
  if (json)
    fmt::print("{}", summary_json(scenario, assessment, calibration, folder));
  else
    fmt::print("{}\n{}\n\n{}\nReport: {}\n", held_out_table(assessment), verdict(data),
               controls_text(assessment.credibility), (folder / "report.html").string());
  return exit_code::kDone;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace caliper
