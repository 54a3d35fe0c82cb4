#include "cli/controls.hpp"

#include <fmt/format.h>

#include "calibration/composite_optimizer.hpp"
#include "calibration/qlogei_optimizer.hpp"
#include "calibration/sobol_optimizer.hpp"
#include "cli/command.hpp"

namespace caliper {

std::unique_ptr<Optimizer> optimizer_for(const std::string& name, const StageOptions& stage) {
  if (name == "sobol") return std::make_unique<SobolOptimizer>(SobolOptions{.seed = stage.seed});
  if (name == "qlogei") return std::make_unique<QlogeiOptimizer>(QlogeiOptions{.seed = stage.seed});
  CompositeOptions options{.seed = stage.seed, .groups = {}};
  for (const FitGroup& fit : stage.fits) options.groups.push_back(std::ssize(fit.experiments));
  return std::make_unique<CompositeOptimizer>(std::move(options));
}

Problems leaks_of(const Scenario& scenario, const std::string& where) {
  return leaks(scenario.dataset, compare_records(scenario.dataset, scenario.split), where);
}

std::optional<int> run_controls(const Scenario& scenario, const ControlRun& run, Assessment& assessment) {
  Credibility& credibility = assessment.credibility;
  for (const std::string& note : credibility.coincidences) warn(note);
  const std::vector<ExperimentId> held_out = scenario.split.members(Set::validation);
  if (!run.shuffle)
    credibility.no_shuffle = "skipped on request (--no-shuffle)";
  else if (!can_shuffle(run.stages, held_out))
    credibility.no_shuffle = "it needs two fitted sizes of a group and something held out";
  if (!credibility.no_shuffle.empty()) return std::nullopt;

  std::vector<double> calibrated;
  for (const ExperimentId id : held_out) calibrated.push_back(assessment.predictions[id.index].calibrated_s);
  CalibrationProgress progress(run.interrupt);
  auto found = run_label_shuffle(
      run.context, run.start, calibrated, run.stages,
      [&](const StageOptions& stage) { return optimizer_for(run.optimizer, stage); }, held_out,
      {.seed = run.seed}, &progress);
  if (!found) return report(found.problems());
  if (found->interrupted) {
    warn(fmt::format("interrupted in the label-shuffle control; {}", run.when_interrupted));
    return exit_code::kInterrupted;
  }
  credibility.shuffle = *found;
  if (credibility.is_suspicious()) warn(shuffle_in_words(credibility));
  return std::nullopt;
}

}  // namespace caliper
