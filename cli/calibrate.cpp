// calipersim calibrate: tunes the auxiliary parameters stage by stage, then validates on what was held out.
#include <filesystem>

#include <fmt/format.h>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/controls.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "scenarios/result_folder.hpp"

namespace caliper {
namespace {

namespace fs = std::filesystem;

/// The stages to run, as the scenario declares them. Problem: --stage names none of them.
Result<std::vector<StageOptions>> stages_of(const Scenario& scenario, const CalibrateOptions& options) {
  std::vector<StageOptions> stages = declared_stages(scenario, options.seed);
  if (!options.stage.empty())
    std::erase_if(stages, [&](const StageOptions& stage) { return stage.name != options.stage; });
  if (options.iterations)
    for (StageOptions& stage : stages) stage.budget.iterations = *options.iterations;
  if (stages.empty())
    return Error{
        options.scenario,
        options.stage.empty() ? "declares no stage" : fmt::format("has no stage '{}'", options.stage),
        "a [[stage]] says what is tuned and on which measurements"};
  return stages;
}

/// The cache of the folder. What an earlier run computed is not thrown away: it is used, or another folder
/// is.
Result<EvaluationCache> open_cache(const fs::path& folder, bool resume) {
  const fs::path file = folder / "evaluations.sqlite";
  if (!resume && (fs::exists(file) || fs::exists(folder / "manifest.json")))
    return Error{folder.string(), "holds an earlier calibration",
                 "go on with --resume, or choose another folder"};
  return EvaluationCache::open(file);
}

/// Values that the fitted data do not determine: they may be far off where other sizes depend on them.
void warn_of_doubts(const Scenario& scenario, const StageOptions& stage, const Sensitivity& sensitivity) {
  for (const ParameterEstimate& estimate : sensitivity.estimates)
    if (!estimate.identified())
      warn(fmt::format("stage {}: {} is not determined by what was fitted: {}", stage.name,
                       scenario.parameters[estimate.parameter].id, fmt::join(estimate.doubts, "; ")));
}

/// What the stages found, as calibrated.toml says it.
CalibratedFile calibrated_file(const Scenario& scenario, const CalibrationRecord& record) {
  CalibratedFile file;
  const std::vector<double>& values = record.results.back().parameters;
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i)
    file.parameters.push_back({i, values[i], "", {}});
  for (std::size_t s = 0; s < record.results.size(); ++s)
    for (std::size_t p = 0; p < record.stages[s].tuned.size(); ++p) {
      CalibratedParameter& parameter = file.parameters[record.stages[s].tuned[p]];
      parameter.stage = record.stages[s].name;
      parameter.interval = record.sensitivities[s].estimates[p].interval;
    }
  return file;
}

/// What was executed for the sizes in scope of each group.
/// @param all_sizes  [groups] hashes over all sizes that have a plan, where they are known
Problems add_groups(const Scenario& scenario, const std::vector<std::string>& all_sizes,
                    CalibratedFile& file) {
  for (std::uint32_t g = 0; g < scenario.groups.size(); ++g) {
    CalibratedGroup group{scenario.groups[g].name, {}, "", 0};
    std::size_t planned = 0;
    for (const ExperimentId id : scenario.dataset.of_group(g)) {
      planned += scenario.groups[g].plan_for(scenario.dataset[id].bytes) != nullptr;
      if (scenario.split.set[id.index] != Set::out_of_scope)
        group.sizes.push_back(scenario.dataset[id].bytes);
    }
    if (group.sizes.empty()) continue;
    group.program = all_sizes[g];
    if (group.sizes.size() != planned || group.program.empty()) {
      const auto hash = group_program_hash(scenario, g, group.sizes);
      if (!hash) return hash.problems();
      group.program = *hash;
    }
    file.groups.push_back(std::move(group));
  }
  return {};
}

/// What somebody whose calibration ended early should know.
constexpr const char* kWhatIsKept = "all evaluations are kept: the same command with --resume goes on";
constexpr const char* kInterruptedBetween =
    "\ninterrupted; all evaluations are kept: the same command with --resume goes on\n";

/// What is calibrated, and from where.
struct Task {
  const Scenario& scenario;
  const std::vector<StageOptions>& stages;
  const std::vector<double>& start;
};

/// Everything once the folder is ours and its cache open. Returns the exit code.
int calibrate_into(const fs::path& folder, const Task& task, const CalibrateOptions& options,
                   EvaluationCache& cache, Manifest manifest) {
  const auto& [scenario, stages, start] = task;
  const std::vector<ExperimentId> simulated = simulated_experiments(scenario);
  const auto simulator = ScenarioSimulator::build(scenario, simulated, options.shortcuts);
  if (!simulator) return report(simulator.problems());
  say(fmt::format("{}: {} experiments in {} groups, programs built in {:.1f} s", scenario.title,
                  simulated.size(), scenario.groups.size(), manifest.watch.seconds()));
  manifest.watch.end("programs");

  const EvaluationContext context{scenario.parameters, scenario.dataset, *simulator, cache};
  CalibrationRecord record{stages, {}, {}, options.seed};
  {
    const InterruptFlag interrupt;
    CalibrationProgress progress(interrupt);
    auto results = run_stages(
        context, start, stages,
        [&](const StageOptions& stage) { return optimizer_for(options.optimizer, stage); }, &progress);
    if (!results) return report(results.problems());
    record.results = *std::move(results);
  }
  if (record.results.back().stop_reason == StopReason::interrupted) {
    warn(fmt::format("interrupted in stage {}; {}", record.stages[record.results.size() - 1].name,
                     kWhatIsKept));
    return exit_code::kInterrupted;
  }
  manifest.watch.end(kStagesPhase);
  for (std::size_t s = 0; s < record.results.size(); ++s) {
    const StageResult& result = record.results[s];
    auto sensitivity = analyse_sensitivity(context, record.stages[s], result.parameters);
    if (!sensitivity) return report(sensitivity.problems());
    warn_of_doubts(scenario, record.stages[s], *sensitivity);
    record.sensitivities.push_back(*std::move(sensitivity));
    say(fmt::format("stage {}: {} {:.4g} after {} candidates, {} runs, {:.1f} s; {}", record.stages[s].name,
                    name_of(record.stages[s].loss), result.loss, result.history.size(), result.counts.runs,
                    result.history.back().elapsed, result.stop_words));
  }
  manifest.watch.end("sensitivity");

  CalibratedFile found = calibrated_file(scenario, record);
  const auto written =
      parse_calibrated(calibrated_toml(scenario, found), "calibrated.toml", scenario.parameters);
  CALIPER_CHECK(bool(written));
  say(fmt::format("validating on {} experiments", simulated.size()));
  // Validated is what the file says, to its last digit.
  Assessment assessment = assess(scenario, *simulator, parameters_of(scenario, *written));
  if (Problems problems = add_groups(scenario, assessment.program_hashes, found); !problems.empty())
    return report(problems);
  const std::string text = calibrated_toml(scenario, found);
  manifest.watch.end("validation");
  const InterruptFlag interrupt;
  const ControlRun control{context,      start,       record.stages, options.optimizer,
                           options.seed, kWhatIsKept, interrupt,     options.shuffle};
  if (const auto code = run_controls(scenario, control, assessment)) return *code;
  manifest.watch.end("control");
  return conclude(folder, scenario, assessment, &record, text, manifest, options.json);
}

}  // namespace

int run_calibrate(const CalibrateOptions& options) {
  Manifest manifest{"calibrate", options.command_line, utc_now(), {}};
  const auto scenario = load(options.scenario);
  if (!scenario) return report(scenario.problems());
  if (Problems problems = leaks_of(*scenario, options.scenario); !problems.empty()) return report(problems);
  const auto stages = stages_of(*scenario, options);
  if (!stages) return report(stages.problems());
  const auto start = read_parameters(*scenario, options.parameters);
  if (!start) return report(start.problems());
  const fs::path folder = options.out;
  if (Problems problems = prepare_folder(folder); !problems.empty()) return report(problems);
  const auto lock = FileLock::acquire(folder / ".lock");
  if (!lock) return report(lock.problems());
  remove_leftovers(folder);
  if (const std::string other = other_calibration(folder, *scenario, options.seed); !other.empty())
    warn(fmt::format("{}: {}; its results will be replaced, its evaluations are used where they fit",
                     folder.string(), other));
  const InterruptExit exit_when_interrupted(kInterruptedBetween);  // from here on there is something to keep
  auto cache = open_cache(folder, options.resume);
  if (!cache) return report(cache.problems());
  manifest.watch.end("reading");
  const int code = calibrate_into(folder, {*scenario, *stages, *start}, options, *cache, std::move(manifest));
  if (code != exit_code::kDone && code != exit_code::kInterrupted) warn(kWhatIsKept);
  return code;
}

}  // namespace caliper
