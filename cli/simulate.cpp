// calipersim simulate: completion times of a scenario's groups at given or measured sizes.
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "engine/flow_run.hpp"
#include "engine/trace.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "validation/alpha_beta.hpp"

namespace caliper {
namespace {

constexpr std::uint64_t kMostTraced = 20'000'000;       // operations; some 4 GB of JSON
constexpr std::uint64_t kManyOperations = 100'000'000;  // seconds

/// One completion time that was asked for.
struct Row {
  std::uint32_t group;
  std::uint64_t bytes;
  double measured = NAN;  ///< s
  SizeAnswer answer{NAN, {}};
  std::uint64_t slices = 0, all_workers = 0;
};

double rate(double bytes, double seconds) { return seconds > 0 ? bytes / seconds / 1e9 : NAN; }

double bus_factor(const ScenarioGroup& group) {
  const auto terms = ring_terms(name_of(group.collective), static_cast<std::uint32_t>(group.ranks.size()));
  return terms ? terms->bus_factor : 0;
}

/// The sizes asked for, or the measured ones that have a plan; both where a size asked for was measured.
Result<std::vector<Row>> rows_of(const Scenario& scenario, const std::vector<std::uint32_t>& groups,
                                 const std::vector<std::uint64_t>& sizes) {
  std::vector<Row> rows;
  Problems problems;
  for (const std::uint32_t g : groups) {
    std::vector<Row> of_group;
    for (const ExperimentId id : scenario.dataset.of_group(g)) {
      const Experiment& experiment = scenario.dataset[id];
      if (sizes.empty() && scenario.groups[g].plan_for(experiment.bytes))
        of_group.push_back({g, experiment.bytes, experiment.seconds});
    }
    for (const std::uint64_t bytes : sizes) {
      Row row{g, bytes};
      for (const ExperimentId id : scenario.dataset.of_group(g))
        if (scenario.dataset[id].bytes == bytes) row.measured = scenario.dataset[id].seconds;
      of_group.push_back(row);
    }
    if (of_group.empty())
      problems.push_back({fmt::format("group '{}'", scenario.groups[g].name),
                          "has no measured size to simulate", "name sizes with --size 64MiB"});
    rows.insert(rows.end(), of_group.begin(), of_group.end());
  }
  if (!problems.empty()) return problems;
  return rows;
}

/// A row of the scenario's groups each, in their order.
Problems simulate(const Scenario& scenario, ParameterView parameters, Shortcuts shortcuts,
                  std::vector<Row>& rows) {
  Problems problems;
  WorkProgress progress("simulating", rows.size());
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    std::set<std::uint64_t> sizes;
    for (; end < rows.size() && rows[end].group == rows[begin].group; ++end) sizes.insert(rows[end].bytes);
    const auto programs =
        GroupPrograms::build(scenario, rows[begin].group, {sizes.begin(), sizes.end()}, shortcuts);
    if (programs) {
      std::vector<std::size_t> wanted;
      for (std::size_t i = begin; i < end; ++i) wanted.push_back(programs->row_of(rows[i].bytes));
      const auto answers = programs->answer(parameters, wanted, [&] { progress.done_one(); });
      for (std::size_t i = begin; i < end; ++i) {
        rows[i].answer = answers[i - begin];
        rows[i].slices = slice_count(programs->plan(wanted[i - begin]));
        rows[i].all_workers = worker_count(programs->plan(wanted[i - begin]));
      }
    } else {
      append(problems, programs.problems());
    }
    begin = end;
  }
  return problems;
}

/// A trace shows every rank, so nothing is folded for it.
Result<std::string> trace_of(const Scenario& scenario, ParameterView parameters, const Row& row) {
  const auto programs = GroupPrograms::build(scenario, row.group, {row.bytes});
  if (!programs) return programs.problems();
  if (const std::uint64_t operations = operation_count(programs->plan(0)); operations > kMostTraced)
    return Error{"--trace", fmt::format("would show {} operations", operations),
                 fmt::format("at most {} can be shown: choose a smaller size or fewer ranks", kMostTraced)};
  const Program& whole = programs->program(0).whole();
  OperationTimes times;
  run_flow_level(whole, whole.numbers(parameters), &times);
  return chrome_trace(whole, times);
}

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string as_json(const Scenario& scenario, const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const ScenarioGroup& group = scenario.groups[row.group];
    const double time = row.answer.seconds;
    list.push_back({{"group", group.name},
                    {"collective", name_of(group.collective)},
                    {"ranks", group.ranks.size()},
                    {"size_bytes", row.bytes},
                    {"time_us", number(time * 1e6)},
                    {"algbw_GBps", number(rate(static_cast<double>(row.bytes), time))},
                    {"busbw_GBps", number(rate(static_cast<double>(row.bytes) * bus_factor(group), time))},
                    {"measured_us", number(row.measured * 1e6)},
                    {"out_of_scope", group.out_of_scope_reason(row.bytes)},
                    {"slices", row.slices},
                    {"workers", row.all_workers},
                    {"simulated_workers", row.answer.workers}});
    if (row.answer.stuck) list.back()["stuck"] = row.answer.failure;
  }
  return nlohmann::ordered_json{{"results", list}}.dump(2) + "\n";
}

std::string as_csv(const Scenario& scenario, const std::vector<Row>& rows) {
  std::string csv = "group,collective,ranks,size_bytes,time_us,algbw_GBps,busbw_GBps,measured_us\n";
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.6f}", value) : std::string();
  };
  for (const Row& row : rows) {
    const ScenarioGroup& group = scenario.groups[row.group];
    const double time = row.answer.seconds;
    csv += fmt::format("{},{},{},{},{},{},{},{}\n", group.name, name_of(group.collective), group.ranks.size(),
                       row.bytes, cell(time * 1e6), cell(rate(static_cast<double>(row.bytes), time)),
                       cell(rate(static_cast<double>(row.bytes) * bus_factor(group), time)),
                       cell(row.measured * 1e6));
  }
  return csv;
}

std::string as_table(const Scenario& scenario, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> table = {
      {"group", "size", "time us", "algbw GB/s", "busbw GB/s", "measured us", "error", "scope"}};
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.2f}", value) : std::string("-");
  };
  for (const Row& row : rows) {
    const ScenarioGroup& group = scenario.groups[row.group];
    const double time = row.answer.seconds;
    table.push_back({group.name, format_bytes(row.bytes), cell(time * 1e6),
                     cell(rate(static_cast<double>(row.bytes), time)),
                     cell(rate(static_cast<double>(row.bytes) * bus_factor(group), time)),
                     cell(row.measured * 1e6), percent((time - row.measured) / row.measured),
                     group.out_of_scope_reason(row.bytes).empty() ? "" : "out"});
  }
  return text_table(table);
}

/// Each reason for which the scenario calls sizes out of scope, once, with how many rows it is about.
void warn_of_scope(const Scenario& scenario, const std::vector<Row>& rows) {
  std::map<std::string, std::size_t> reasons;
  for (const Row& row : rows)
    if (const std::string why = scenario.groups[row.group].out_of_scope_reason(row.bytes); !why.empty())
      ++reasons[why];
  for (const auto& [why, count] : reasons)
    warn(fmt::format("{} of {} rows are out of scope, do not rely on them: {}", count, rows.size(), why));
}

/// Where a run took long because its workers are not alike, what would be quicker.
void warn_of_unlike_workers(const Scenario& scenario, const std::vector<Row>& rows) {
  for (const Row& row : rows)
    if (row.answer.operations > kManyOperations)
      warn(
          fmt::format("{} at {}: {} of {} workers had to be simulated, {} operations; a size that ranks and "
                      "channels divide has equal chunks and goes quicker",
                      scenario.groups[row.group].name, format_bytes(row.bytes), row.answer.workers,
                      row.all_workers, row.answer.operations));
}

}  // namespace

int run_simulate(const SimulateOptions& options) {
  const auto selection = select(options.scenario, options.groups, options.sizes);
  if (!selection) return report(selection.problems());
  const Scenario& scenario = selection->scenario;
  auto rows = rows_of(scenario, selection->groups, selection->sizes);
  if (!rows) return report(rows.problems());
  if (!options.trace.empty() && rows->size() != 1)
    return report({{"--trace", fmt::format("is for one run, this would be {}", rows->size()),
                    "choose one with --group and --size"}});
  std::vector<std::string> doubts;
  const auto parameters = read_parameters(scenario, options.parameters, &doubts);
  if (!parameters) return report(parameters.problems());
  for (const std::string& doubt : doubts) warn(doubt);

  if (Problems problems = simulate(scenario, *parameters, options.shortcuts, *rows); !problems.empty())
    return report(problems);
  Problems too_long;
  for (const Row& row : *rows)
    if (!row.answer.failure.empty() && !row.answer.stuck)
      too_long.push_back(
          {fmt::format("group '{}' at {}", scenario.groups[row.group].name, format_bytes(row.bytes)),
           row.answer.failure, ""});
  if (!too_long.empty()) return report(too_long);

  if (!options.trace.empty() && !rows->front().answer.stuck) {
    const auto trace = trace_of(scenario, *parameters, rows->front());
    if (!trace) return report(trace.problems());
    if (Problems problems = write_file(options.trace, *trace); !problems.empty()) return report(problems);
  }
  if (!options.out.empty()) {
    const bool json = options.out.ends_with(".json");
    if (Problems problems =
            write_file(options.out, json ? as_json(scenario, *rows) : as_csv(scenario, *rows));
        !problems.empty())
      return report(problems);
  }
  fmt::print("{}", options.json ? as_json(scenario, *rows) : as_table(scenario, *rows));
  warn_of_scope(scenario, *rows);
  warn_of_unlike_workers(scenario, *rows);
  bool stuck = false;
  for (const Row& row : *rows) {
    if (!row.answer.stuck) continue;
    stuck = true;
    complain(fmt::format("{} at {}: {}", scenario.groups[row.group].name, format_bytes(row.bytes),
                         row.answer.failure));
  }
  return stuck ? exit_code::kStuck : exit_code::kDone;
}

}  // namespace caliper
