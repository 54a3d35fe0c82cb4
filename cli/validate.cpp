// calipersim validate: how well given parameters predict a scenario's measurements.
#include <chrono>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "scenarios/result_folder.hpp"

namespace caliper {
namespace {

struct Options {
  std::string scenario, parameters, out;
  int jobs = 0;
  bool json = false;
};

int run(const Options& options, const std::string& command_line) {
  const auto begin = std::chrono::steady_clock::now();
  Manifest manifest{"validate", command_line, utc_now(), 0};
  const auto scenario = load(options.scenario);
  if (!scenario) return report(scenario.problems());
  const auto file = read_calibrated(options.parameters, scenario->parameters);
  if (!file) return report(file.problems());
  if (Problems problems = check_executions(*scenario, *file, options.parameters); !problems.empty())
    return report(problems);
  const auto simulator = ScenarioSimulator::build(*scenario, simulated_experiments(*scenario));
  if (!simulator) return report(simulator.problems());
  if (Problems problems = prepare_folder(options.out); !problems.empty()) return report(problems);
  const Assessment assessment = assess(*scenario, *simulator, parameters_of(*scenario, *file));
  const ReportData data = report_data(*scenario, options.scenario, assessment, nullptr, command_line);
  manifest.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (Problems problems = write_results(options.out, *scenario, assessment, nullptr, "", data, manifest);
      !problems.empty())
    return report(problems);
  const std::filesystem::path folder = options.out;
  if (options.json) fmt::print("{}", summary_json(*scenario, assessment, nullptr, folder));
  else fmt::print("{}\n{}\n\nReport: {}\n", held_out_table(assessment), verdict(data), (folder / "report.html").string());
  return exit_code::kDone;
}

}  // namespace

void add_validate(CLI::App& app, Run& run_later, const std::string& command_line) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("validate", "Compare predictions of given parameters with measurements");
  command->add_option("SCENARIO", options->scenario, "Scenario file")->required();
  command->add_option("-p,--params", options->parameters, "calibrated.toml")->required();
  command->add_option("-o,--out", options->out, "Folder for predictions and report")->required();
  command->add_option("-j,--jobs", options->jobs, "Threads; default: all. Changes no result")->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &run_later, command_line] {
    run_later = [options, command_line] {
      const auto limit = thread_limit(options->jobs);
      return run(*options, command_line);
    };
  });
}

}  // namespace caliper
