// calipersim simulate: completion times of a scenario's groups at given or measured sizes.
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

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

/// One completion time that was asked for.
struct Row {
  std::uint32_t group;
  std::uint64_t bytes;
  double measured = NAN;  ///< s
  RunResult run;
  std::string stuck;
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
        of_group.push_back({g, experiment.bytes, experiment.seconds, {}, {}});
    }
    for (const std::uint64_t bytes : sizes) {
      Row row{g, bytes, NAN, {}, {}};
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

Problems simulate(const Scenario& scenario, ParameterView parameters, std::vector<Row>& rows,
                  OperationTimes* times, std::string* trace) {
  std::vector<Problems> problems(rows.size());
  WorkProgress progress("simulating", rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    auto program = program_of(scenario, rows[i].group, rows[i].bytes);
    if (!program) {
      problems[i] = program.problems();
      return;
    }
    const Program& whole = program->whole();
    if (trace) {  // it shows every rank, so nothing is folded for it
      rows[i].run = run_flow_level(whole, whole.numbers(parameters), times);
    } else {
      const std::string where =
          fmt::format("{} at {}", scenario.groups[rows[i].group].name, format_bytes(rows[i].bytes));
      auto run = run_program(*program, parameters, where);
      if (!run) {
        problems[i] = run.problems();
        return;
      }
      rows[i].run = *std::move(run);
    }
    if (rows[i].run.stuck)
      rows[i].stuck = rows[i].run.stuck->describe(whole);
    else if (trace)
      *trace = chrome_trace(whole, *times);
    progress.done_one();
  });
  Problems all;
  for (Problems& found : problems) append(all, std::move(found));
  return all;
}

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string as_json(const Scenario& scenario, const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const ScenarioGroup& group = scenario.groups[row.group];
    const double time = row.run.stuck ? NAN : row.run.seconds;
    list.push_back({{"group", group.name},
                    {"collective", name_of(group.collective)},
                    {"ranks", group.ranks.size()},
                    {"size_bytes", row.bytes},
                    {"time_us", number(time * 1e6)},
                    {"algbw_GBps", number(rate(static_cast<double>(row.bytes), time))},
                    {"busbw_GBps", number(rate(static_cast<double>(row.bytes) * bus_factor(group), time))},
                    {"measured_us", number(row.measured * 1e6)},
                    {"out_of_scope", group.out_of_scope_reason(row.bytes)},
                    {"slices", row.run.slices},
                    {"events", row.run.events}});
    if (row.run.stuck) list.back()["stuck"] = row.stuck;
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
    const double time = row.run.stuck ? NAN : row.run.seconds;
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
    const double time = row.run.stuck ? NAN : row.run.seconds;
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

  OperationTimes times;
  std::string trace;
  const bool traced = !options.trace.empty();
  if (Problems problems =
          simulate(scenario, *parameters, *rows, traced ? &times : nullptr, traced ? &trace : nullptr);
      !problems.empty())
    return report(problems);

  if (traced && !trace.empty())
    if (Problems problems = write_file(options.trace, trace); !problems.empty()) return report(problems);
  if (!options.out.empty()) {
    const bool json = options.out.ends_with(".json");
    if (Problems problems =
            write_file(options.out, json ? as_json(scenario, *rows) : as_csv(scenario, *rows));
        !problems.empty())
      return report(problems);
  }
  fmt::print("{}", options.json ? as_json(scenario, *rows) : as_table(scenario, *rows));
  warn_of_scope(scenario, *rows);
  bool stuck = false;
  for (const Row& row : *rows) {
    if (!row.run.stuck) continue;
    stuck = true;
    complain(
        fmt::format("{} at {}: {}", scenario.groups[row.group].name, format_bytes(row.bytes), row.stuck));
  }
  return stuck ? exit_code::kStuck : exit_code::kDone;
}

}  // namespace caliper
