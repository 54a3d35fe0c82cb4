// calipersim validate: how well given parameters predict a scenario's measurements.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/controls.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "scenarios/result_folder.hpp"

namespace caliper {
/// Of the label-shuffle control.
constexpr std::uint64_t kSeed = 1;

int run_validate(const ValidateOptions& options) {
  Manifest manifest{"validate", options.command_line, utc_now(), {}};
  const auto scenario = load(options.scenario);
  if (!scenario) return report(scenario.problems());
  if (Problems problems = leaks_of(*scenario, options.scenario); !problems.empty()) return report(problems);
  const auto file = read_calibrated(options.parameters, scenario->parameters);
  if (!file) return report(file.problems());
  // Told first: another fact of the machine may be why another program is executed.
  for (const std::string& doubt : doubts_about(*scenario, *file)) warn(doubt);
  if (Problems problems = check_executions(*scenario, *file, options.parameters); !problems.empty())
    return report(problems);
  if (std::filesystem::exists(std::filesystem::path(options.out) / "evaluations.sqlite"))
    return report({{options.out, "holds a calibration", "choose another folder for its validation"}});
  manifest.watch.end("reading");
  const auto simulator =
      ScenarioSimulator::build(*scenario, simulated_experiments(*scenario), options.shortcuts);
  if (!simulator) return report(simulator.problems());
  manifest.watch.end("programs");
  if (Problems problems = prepare_folder(options.out); !problems.empty()) return report(problems);
  Assessment assessment = assess(*scenario, *simulator, parameters_of(*scenario, *file));
  manifest.watch.end("validation");
  EvaluationCache cache = EvaluationCache::in_memory();
  const EvaluationContext context{scenario->parameters, scenario->dataset, *simulator, cache};
  const InterruptFlag interrupt;
  const ControlRun control{context,
                           scenario->starting_parameters(),
                           declared_stages(*scenario, kSeed),
                           kOptimizers.front(),
                           kSeed,
                           "--no-shuffle skips it",
                           interrupt,
                           options.shuffle};
  if (const auto code = run_controls(*scenario, control, assessment)) return *code;
  manifest.watch.end("control");
  return conclude(options.out, *scenario, assessment, nullptr, "", manifest, options.json);
}

}  // namespace caliper
