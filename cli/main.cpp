// calipersim: one binary, one file per command.
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "cli/command.hpp"
#include "cli/controls.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "scenarios/version.hpp"

namespace {

using namespace caliper;

/// What the chosen command is to do; set while the command line is parsed.
using Run = std::function<int()>;

struct CommandLine {
  std::string text;  ///< as given
  int jobs = 0;      ///< threads, 0: all
};

/// A file we write has a name that says what it is; so no scenario or log is written over by a slip.
CLI::Validator ends_in(std::vector<std::string> endings) {
  return CLI::Validator(
      [endings](const std::string& name) {
        for (const std::string& ending : endings)
          if (name.ends_with(ending)) return std::string();
        return fmt::format("'{}' must end in {}", name, fmt::join(endings, " or "));
      },
      "");
}

CLI::App* add_command(CLI::App& app, const char* name, const char* about, std::string& scenario) {
  CLI::App* command = app.add_subcommand(name, about);
  command->add_option("SCENARIO", scenario, "Scenario file")->required();
  return command;
}

void add_jobs(CLI::App* command, CommandLine& line) {
  command->add_option("-j,--jobs", line.jobs, "Threads; default: all. Changes no result")
      ->check(CLI::Range(1, 1024));
}

void add_choice_of_runs(CLI::App* command, std::vector<std::string>& groups, std::vector<std::string>& sizes,
                        const char* default_size) {
  command->add_option("-g,--group", groups, "Only this group (repeatable)");
  command->add_option("-s,--size", sizes,
                      std::string("Message size such as 64MiB (repeatable); default: ") + default_size);
}

void add_shuffle(CLI::App* command, bool& shuffle) {
  command->add_flag("!--no-shuffle", shuffle,
                    "Skip the control that calibrates on times of other sizes and has to predict badly");
}

void add_shortcuts(CLI::App* command, Shortcuts& shortcuts) {
  command->add_flag("!--every-size", shortcuts.curves,
                    "Run each size, also where times of others give its own to 1e-9");
  command->add_flag("!--exact", shortcuts.steady_state,
                    "Compute every step of long runs, also where they repeat themselves to 1e-12");
}

void add_simulate(CLI::App& app, CommandLine& line, Run& run) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      add_command(app, "simulate", "Completion times of the groups of a scenario", options->scenario);
  add_choice_of_runs(command, options->groups, options->sizes, "the measured ones");
  command->add_option("-p,--params", options->parameters,
                      "calibrated.toml; default: the scenario's defaults");
  command->add_option("--fidelity", options->fidelity, "Level of the network model")
      ->check(CLI::IsMember({"flow"}))
      ->capture_default_str();
  command->add_option("-o,--out", options->out, "Write results to FILE.csv or FILE.json")
      ->check(ends_in({".csv", ".json"}));
  command->add_option("--trace", options->trace, "Write a timeline of a single run for Perfetto to FILE.json")
      ->check(ends_in({".json"}));
  add_shortcuts(command, options->shortcuts);
  command->add_flag("--json", options->json, "Print JSON");
  add_jobs(command, line);
  command->callback([options, &run] { run = [options] { return run_simulate(*options); }; });
}

void add_calibrate(CLI::App& app, CommandLine& line, Run& run) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = add_command(
      app, "calibrate", "Tune the auxiliary parameters of a scenario and validate them", options->scenario);
  command->add_option("-o,--out", options->out, "Folder for parameters, predictions and report")->required();
  command->add_option("--stage", options->stage,
                      "Only this stage; the others' parameters stay as they start");
  command->add_option("-p,--params", options->parameters,
                      "Start from this calibrated.toml instead of the defaults");
  command
      ->add_option(
          "--optimizer", options->optimizer,
          "composite: through the residuals; qlogei: batch Bayesian optimisation of the loss; sobol: "
          "space filling")
      ->check(CLI::IsMember(kOptimizers))
      ->capture_default_str();
  command->add_option("--iterations", options->iterations, "Of each stage, instead of the scenario's budget")
      ->check(CLI::Range(1, 100000));
  command->add_option("--seed", options->seed, "Of all random choices")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62))
      ->capture_default_str();
  command->add_flag("--resume", options->resume, "Keep the evaluations of an earlier run in the folder");
  add_shuffle(command, options->shuffle);
  add_shortcuts(command, options->shortcuts);
  command->add_flag("--json", options->json, "Print JSON");
  add_jobs(command, line);
  command->callback([options, &line, &run] {
    options->command_line = line.text;
    run = [options] { return run_calibrate(*options); };
  });
}

void add_validate(CLI::App& app, CommandLine& line, Run& run) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = add_command(
      app, "validate", "Compare predictions of given parameters with measurements", options->scenario);
  command->add_option("-p,--params", options->parameters, "calibrated.toml")->required();
  command->add_option("-o,--out", options->out, "Folder for predictions and report")->required();
  add_shuffle(command, options->shuffle);
  add_shortcuts(command, options->shortcuts);
  command->add_flag("--json", options->json, "Print JSON");
  add_jobs(command, line);
  command->callback([options, &line, &run] {
    options->command_line = line.text;
    run = [options] { return run_validate(*options); };
  });
}

void add_check(CLI::App& app, CommandLine& line, Run& run) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = add_command(
      app, "check", "Does a scenario still predict what its baseline says? Exit code 1: something has moved",
      options->scenario);
  command->add_option("-p,--params", options->parameters,
                      "calibrated.toml; default: the scenario's defaults");
  auto* baseline =
      command
          ->add_option("-b,--baseline", options->baseline,
                       "baseline.toml to compare with; without: only prove that the scenario can run")
          ->check(ends_in({".toml"}));
  auto* update = command->add_flag("--update", options->update, "Write the baseline anew")->needs(baseline);
  command->add_option("--reason", options->reason, "With --update: why predictions may differ from before")
      ->needs(update);
  command->add_option("--junit", options->junit, "Write the result for a CI server to FILE.xml")
      ->check(ends_in({".xml"}))
      ->needs(baseline)
      ->excludes(update);
  command->add_flag("--json", options->json, "Print JSON");
  add_jobs(command, line);
  command->callback([options, &run] { run = [options] { return run_check(*options); }; });
}

void add_signature(CLI::App& app, CommandLine& line, Run& run) {
  auto options = std::make_shared<SignatureOptions>();
  CLI::App* command = app.add_subcommand(
      "signature",
      "One hash of the times of a fixed set of small scenarios: has the program's behaviour changed?");
  command->add_option("--cases", options->cases, "Folder with cases.toml; default: the shipped one");
  command->add_option("--compare", options->compare,
                      "Output of an earlier run: say what moved; exit code 1 if anything did");
  command->add_flag("--json", options->json, "Print JSON");
  add_jobs(command, line);
  command->callback([options, &run] { run = [options] { return run_signature(*options); }; });
}

void add_explain(CLI::App& app, Run& run) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = add_command(
      app, "explain", "What is fixed, what is tuned, which plan runs, what limits it", options->scenario);
  add_choice_of_runs(command, options->groups, options->sizes, "the largest measured one");
  command->add_option("-p,--params", options->parameters,
                      "What limits it under calibrated.toml; default: under the scenario's defaults");
  command->add_option("--svg", options->svg,
                      "Draw the rings of the plan to FILE.svg; of one group at one size");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &run] { run = [options] { return run_explain(*options); }; });
}

void add_import_nccl_log(CLI::App* command, Run& run) {
  auto options = std::make_shared<ImportLogOptions>();
  CLI::App* log =
      command->add_subcommand("nccl-log",
                              "Captured execution: NCCL_DEBUG=INFO logs of NCCL 2.4 to 2.30 to a record of "
                              "rings, trees, transports, NICs and "
                              "calls, with the line that says each and a list of what no line says");
  log->add_option("INPUT", options->inputs, "Files that together are the log of one job")->required();
  log->add_option("-o,--out", options->out, "Record: FILE.toml")->required()->check(ends_in({".toml"}));
  log->add_option("--ranks", options->ranks, "GPUs of the job: communicators of another size are left out")
      ->check(CLI::Range(1, 1 << 20));
  log->add_flag("--json", options->json, "Print JSON");
  log->callback([options, &run] { run = [options] { return run_import_nccl_log(*options); }; });
}

void add_import_nccl_xml(CLI::App* command, Run& run) {
  auto options = std::make_shared<ImportXmlOptions>();
  CLI::App* xml = command->add_subcommand("nccl-xml",
                                          "Node or rings: NCCL's and RCCL's topology and graph XML "
                                          "(NCCL_TOPO_DUMP_FILE, NCCL_GRAPH_DUMP_FILE) to TOML");
  xml->add_option("INPUT", options->input, "XML file")->required();
  xml->add_option("-o,--out", options->out, "FILE.toml")->required()->check(ends_in({".toml"}));
  xml->add_flag("--json", options->json, "Print JSON");
  xml->callback([options, &run] { run = [options] { return run_import_nccl_xml(*options); }; });
}

void add_import(CLI::App& app, Run& run) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Foreign files into the project's formats");
  command->require_subcommand(1);
  CLI::App* nccl_tests =
      command->add_subcommand("nccl-tests", "Measurements: nccl-tests' text or JSON output to CSV");
  nccl_tests->add_option("INPUT", options->inputs, "Logs, JSON files or CSV files, or folders of them")
      ->required();
  nccl_tests
      ->add_option("-o,--out", options->out,
                   "CSV file; a folder for several tables: one CSV each, and the scenario")
      ->required();
  nccl_tests->add_option("--system", options->system,
                         "Write scenario.toml for this machine too: a name, or the path of a system file");
  nccl_tests->add_flag("--json", options->json, "Print JSON");
  nccl_tests->callback([options, &run] { run = [options] { return run_import_nccl_tests(*options); }; });
  add_import_nccl_log(command, run);
  add_import_nccl_xml(command, run);
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "Simulates HPC and AI collectives, calibrates the simulation on measurements, says how far to trust "
      "it."};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  Run run;
  CommandLine line{quoted_command_line(argc, argv)};
  add_simulate(app, line, run);
  add_calibrate(app, line, run);
  add_validate(app, line, run);
  add_check(app, line, run);
  add_signature(app, line, run);
  add_explain(app, run);
  add_import(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the problem
    return code == 0 ? exit_code::kDone : exit_code::kBadInput;
  }
  const auto limit = thread_limit(line.jobs);
  return run();
}

}  // namespace

int main(int argc, char** argv) {
  // A file that may not grow any more is then an error of the write, which is told, not the end of the
  // process.
  std::signal(SIGXFSZ, SIG_IGN);
  // Results go to stdout, everything else to stderr.
  spdlog::set_default_logger(spdlog::stderr_color_mt("calipersim"));
  spdlog::set_pattern("%^%v%$");
  try {
    const int code = run_program(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      spdlog::error("writing to standard output failed");
      return caliper::exit_code::kBadInput;
    }
    return code;
  } catch (const std::system_error& error) {  // fmt's, of a stdout that takes no more
    spdlog::error("writing to standard output failed: {}", error.code().message());
    return caliper::exit_code::kBadInput;
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory: simulate fewer or smaller sizes at once");
    return caliper::exit_code::kBadInput;
  } catch (const std::exception& error) {
    spdlog::critical("internal error: {}; please report it", error.what());
    return 70;
  }
}
