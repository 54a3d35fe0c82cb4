// What compare.sh does with the runs: joins them to bench.json, and makes table and picture of it.
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "bench/comparison.hpp"

namespace {

using namespace caliper;
using caliper::bench::Comparison;

constexpr double kTolerance = 1e-6;  ///< of completion times, relative

int fail(const Problems& problems, int code) {
  fmt::print(stderr, "{}\n", describe(problems));
  return code;
}

struct Options {
  std::string runs, json, commit = "unknown", picture, markdown, link;
  double load = 0;
};

Result<Comparison> read_comparison(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return text.problems();
  return bench::parse_comparison(*text, file);
}

/// Runs to bench.json. It is written also when simulators do not agree: then one wants to see the figures.
int collect(const Options& options) {
  const auto text = read_file(options.runs);
  if (!text) return fail(text.problems(), 2);
  auto runs = bench::parse_runs(*text, options.runs);
  if (!runs) return fail(runs.problems(), 2);
  Comparison comparison{bench::this_machine(options.commit, options.load), *std::move(runs)};
  if (auto problems = write_file(options.json, bench::to_json(comparison).dump(1) + '\n'); !problems.empty())
    return fail(problems, 2);
  const Problems wrong = bench::disagreements(comparison.runs, kTolerance);
  return wrong.empty() ? 0 : fail(wrong, 1);
}

int show(const Options& options) {
  const auto comparison = read_comparison(options.json);
  if (!comparison) return fail(comparison.problems(), 2);
  fmt::print("{}", bench::table(*comparison));
  return 0;
}

int plot(const Options& options) {
  const auto comparison = read_comparison(options.json);
  if (!comparison) return fail(comparison.problems(), 2);
  const auto problems = write_file(options.picture, bench::chart(*comparison));
  return problems.empty() ? 0 : fail(problems, 2);
}

int update(const Options& options) {
  const auto comparison = read_comparison(options.json);
  if (!comparison) return fail(comparison.problems(), 2);
  if (bench::growth_of(comparison->runs).empty())
    return fail({{options.json, "holds no growth", "measure again, without --quick"}}, 2);
  const auto old = read_file(options.markdown);
  if (!old) return fail(old.problems(), 2);
  const auto text = bench::with_table(*old, *comparison, options.link, options.markdown);
  if (!text) return fail(text.problems(), 2);
  const auto problems = write_file(options.markdown, *text);
  return problems.empty() ? 0 : fail(problems, 2);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Joins measured runs, and shows them");
  app.require_subcommand(1);
  Options options;
  int code = 0;
  const auto command = [&](const char* name, const char* about, int (*run)(const Options&)) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->callback([&options, &code, run] { code = run(options); });
    return sub;
  };
  CLI::App* sub =
      command("collect", "Lines of runs to bench.json; exit code 1: simulators disagree", collect);
  sub->add_option("RUNS", options.runs, "Lines of the programs")->required();
  sub->add_option("JSON", options.json, "bench.json to write")->required();
  sub->add_option("--commit", options.commit, "Of the source that was measured");
  sub->add_option("--load-before", options.load, "Load average before the first run");
  sub = command("show", "Print the table", show);
  sub->add_option("JSON", options.json, "bench.json")->required();
  sub = command("plot", "Draw bench.json", plot);
  sub->add_option("JSON", options.json, "bench.json")->required();
  sub->add_option("SVG", options.picture, "Picture to write")->required();
  sub = command("update", "Put table and picture between the markers of a Markdown file", update);
  sub->add_option("JSON", options.json, "bench.json")->required();
  sub->add_option("MARKDOWN", options.markdown, "File to change")->required();
  sub->add_option("--picture", options.link, "Address of the picture in it")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  return code;
}
