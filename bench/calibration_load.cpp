// What calibration_load.sh does with the simulated times and with the calibration: measurements with noise,
// the command timed, figures.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/stopwatch.hpp"
#include "bench/load_data.hpp"
#include "bench/load_figures.hpp"

namespace {

using namespace caliper;
namespace fs = std::filesystem;

int fail(const Problems& problems) {
  fmt::print(stderr, "{}\n", describe(problems));
  return 2;
}

struct Options {
  std::string work, systems, commit = "unknown";
  std::vector<std::string> command;
  double noise = 0.005, load = 0;
  std::uint64_t seed = 1;
  unsigned threads = 2;
};

/// WORK/truth.csv to WORK/measurements/GROUP.csv.
int measure(const Options& options) {
  const fs::path table = fs::path(options.work) / "truth.csv";
  const auto text = read_file(table);
  if (!text) return fail(text.problems());
  const auto points = bench::parse_simulated(*text, table.string());
  if (!points) return fail(points.problems());
  const fs::path folder = fs::path(options.work) / "measurements";
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return fail({{folder.string(), "cannot be made: " + code.message(), ""}});
  for (const auto& [group, csv] : bench::measurements(*points, options.noise, options.seed))
    if (Problems problems = write_file(folder / (group + ".csv"), csv); !problems.empty())
      return fail(problems);
  return 0;
}

/// Runs the command, and writes what it took to WORK/run.json. Returns the command's exit code.
int run(const Options& options) {
  std::vector<char*> arguments;
  std::vector<std::string> words = options.command;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const Stopwatch watch;
  const pid_t child = fork();
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return fail({{words[0], "cannot be run", "are there too many processes?"}});
  const double wall = watch.seconds();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const nlohmann::ordered_json record = {{"wall_s", wall},
                                         {"user_s", seconds(usage.ru_utime)},
                                         {"system_s", seconds(usage.ru_stime)},
                                         {"peak_rss_MiB", static_cast<double>(usage.ru_maxrss) / 1024}};
  if (Problems problems = write_file(fs::path(options.work) / "run.json", record.dump(1) + '\n');
      !problems.empty())
    return fail(problems);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// WORK to WORK/load.json, and the figures to the terminal.
int collect(const Options& options) {
  auto figures = bench::load_figures(options.work, options.systems, options.threads);
  if (!figures) return fail(figures.problems());
  figures->setting = bench::this_machine(options.commit, options.load);
  if (Problems problems =
          write_file(fs::path(options.work) / "load.json", bench::to_json(*figures).dump(1) + '\n');
      !problems.empty())
    return fail(problems);
  fmt::print("{}", bench::describe(*figures));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Steps of calibration_load.sh");
  app.require_subcommand(1);
  Options options;
  int code = 0;
  const auto command = [&](const char* name, const char* about, int (*step)(const Options&)) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->add_option("WORK", options.work, "Folder of the load")->required();
    sub->callback([&options, &code, step] { code = step(options); });
    return sub;
  };
  CLI::App* sub = command("measure", "truth.csv to synthetic measurements", measure);
  sub->add_option("--noise", options.noise, "Relative standard deviation")->capture_default_str();
  sub->add_option("--seed", options.seed, "Of the noise")->capture_default_str();
  sub = command("run", "Run a command and write down its time and memory", run);
  sub->add_option("COMMAND", options.command, "With its arguments, after --")->required();
  sub = command("collect", "Figures of the load to load.json and to the terminal", collect);
  sub->add_option("--systems", options.systems, "Folder of the system files")->required();
  sub->add_option("--threads", options.threads, "That the calibration had")->capture_default_str();
  sub->add_option("--commit", options.commit, "Of the source that was measured");
  sub->add_option("--load-before", options.load, "Load average before the run");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  return code;
}
