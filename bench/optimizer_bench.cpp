// Our optimisers on problems with known minima, beside those of others at the same budget: 2 (d + 1) points,
// then 30 batches of two, ten seeds. Prints the table of docs/optimizers.md.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "calibration/composite_optimizer.hpp"
#include "calibration/qlogei_optimizer.hpp"
#include "calibration/sobol_optimizer.hpp"
#include "calibration/test_problems.hpp"

namespace {

using namespace caliper;
using test::Problem;

constexpr std::array kShown{5, 10, 20, 30};  // batches
constexpr int kBatches = 30;

/// The best loss after each batch, and what a proposal took.
struct Race {
  std::vector<double> best;  // [batches + 1]
  double seconds = 0;
};

Race race(const Problem& problem, const Optimizer& optimizer) {
  Race result;
  std::vector<Evaluation> history;
  const auto evaluate = [&](const Eigen::VectorXd& point) {
    history.push_back(
        {point, problem.loss(point), problem.residuals ? problem.residuals(point) : Eigen::VectorXd()});
  };
  const auto note = [&] {
    result.best.push_back(std::ranges::min_element(history, {}, &Evaluation::loss)->loss);
  };
  const auto first = optimizer.initial_points(static_cast<std::size_t>(problem.dimensions));
  evaluate(first.front());  // in place of the default configuration that a stage begins with
  for (const Eigen::VectorXd& point : first) evaluate(point);
  note();
  for (int batch = 0; batch < kBatches; ++batch) {
    const Stopwatch watch;
    const auto points = optimizer.propose(history);
    result.seconds += watch.seconds();
    for (const Eigen::VectorXd& point : points) evaluate(point);
    note();
  }
  return result;
}

std::unique_ptr<Optimizer> make(const std::string& name, const Problem& problem, std::uint64_t seed) {
  if (name == "composite")
    return std::make_unique<CompositeOptimizer>(CompositeOptions{.seed = seed, .groups = problem.groups});
  if (name == "qlogei") return std::make_unique<QlogeiOptimizer>(QlogeiOptions{.seed = seed});
  return std::make_unique<SobolOptimizer>(SobolOptions{.seed = seed});
}

/// Linear between order statistics.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

/// What is left to the minimum; values of both are known to some 1e-15 of their size.
std::string left(double value, const Problem& problem) {
  return fmt::format("{:.2g}", std::max(0.0, value - problem.minimum));
}

void print_ours(const std::string& name, const Problem& problem, int seeds) {
  std::vector<Race> races;
  double seconds = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    races.push_back(race(problem, *make(name, problem, static_cast<std::uint64_t>(seed))));
    seconds += races.back().seconds;
  }
  const auto at = [&](int batch, double share) {
    std::vector<double> values;
    for (const Race& one : races) values.push_back(one.best[static_cast<std::size_t>(batch)]);
    return left(quantile(std::move(values), share), problem);
  };
  fmt::print("| {} | **{}** |", problem.name, name);
  for (const int batch : kShown) fmt::print(" {} |", at(batch, 0.5));
  fmt::print(" {} .. {} | {:.1f} |\n", at(kBatches, 0.25), at(kBatches, 0.75),
             1e3 * seconds / (seeds * kBatches));
  std::fflush(stdout);
}

using Rows = std::map<std::string, std::map<std::string, std::map<int, std::array<double, 3>>>>;

Result<Rows> read_others(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return text.problems();
  Rows rows;
  for (const std::string_view line : split_lines(*text)) {
    const auto fields = split(line, ',');
    if (line.starts_with('#') || fields.size() != 7 || fields[0] == "problem") continue;
    const auto number = [&](std::size_t i) { return parse_double(fields[i]).value_or(0); };
    rows[std::string(fields[0])][std::string(fields[1])][static_cast<int>(number(2))] = {number(4), number(5),
                                                                                         number(6)};
  }
  return rows;
}

void print_others(const Rows& rows, const Problem& problem) {
  const auto found = rows.find(problem.name);
  if (found == rows.end()) return;
  for (const auto& [name, batches] : found->second) {
    fmt::print("| {} | {} |", problem.name, name);
    for (const int batch : kShown) fmt::print(" {} |", left(batches.at(batch)[0], problem));
    fmt::print(" {} .. {} | |\n", left(batches.at(kBatches)[1], problem),
               left(batches.at(kBatches)[2], problem));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Optimisers compared");
  std::string others = CALIPERSIM_TEST_DATA "/optimizer-reference.csv";
  int seeds = 10;
  app.add_option("--seeds", seeds, "Runs of each of ours")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--others", others, "CSV of the others' losses");
  CLI11_PARSE(app, argc, argv);
  const auto rows = read_others(others);
  if (!rows) {
    fmt::print(stderr, "{}\n", describe(rows.problems()));
    return 2;
  }
  fmt::print(
      "| problem | optimiser | 5 batches | 10 | 20 | 30 | quartiles at 30 | ms a batch |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const auto& list : {test::calibration_problems(), test::classical_problems()})
    for (const Problem& problem : list) {
      if (problem.residuals) print_ours("composite", problem, seeds);
      print_ours("qlogei", problem, seeds);
      print_ours("sobol", problem, seeds);
      print_others(*rows, problem);
    }
  return 0;
}
