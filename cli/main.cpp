// calipersim: one binary, one file per command.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "cli/command.hpp"
#include "scenarios/version.hpp"

namespace {

int run_program(int argc, char** argv) {
  CLI::App app{"Simulates HPC and AI collectives, calibrates the simulation on measurements, and says how far to trust it."};
  app.set_version_flag("--version", caliper::version_text());
  app.require_subcommand(1);
  app.fallthrough(false);
  caliper::Run run;
  const std::string command_line = caliper::quoted_command_line(argc, argv);
  caliper::add_simulate(app, run);
  caliper::add_calibrate(app, run, command_line);
  caliper::add_validate(app, run, command_line);
  caliper::add_explain(app, run);
  caliper::add_import(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, version or the problem
    return code == 0 ? caliper::exit_code::kDone : caliper::exit_code::kBadInput;
  }
  return run();
}

}  // namespace

int main(int argc, char** argv) {
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
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory: simulate fewer or smaller sizes at once");
    return caliper::exit_code::kBadInput;
  } catch (const std::exception& error) {
    spdlog::critical("internal error: {}; please report it", error.what());
    return 70;
  }
}
