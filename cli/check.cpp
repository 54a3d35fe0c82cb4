// calipersim check: does a scenario still predict what its baseline says? Without a baseline: can it run at
// all?
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "scenarios/baseline_file.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/snapshot.hpp"
#include "validation/junit.hpp"

namespace caliper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A scenario with the parameters to check it with.
struct Subject {
  Scenario scenario;
  std::vector<double> parameters;
  std::size_t runs;
};

Result<Subject> subject_of(const CheckOptions& options) {
  auto scenario = load(options.scenario);
  if (!scenario) return scenario.problems();
  std::vector<std::string> doubts;
  auto parameters = read_parameters(*scenario, options.parameters, &doubts);
  if (!parameters) return parameters.problems();
  for (const std::string& doubt : doubts) warn(doubt);
  const std::size_t runs = simulated_experiments(*scenario).size();
  return Subject{*std::move(scenario), *std::move(parameters), runs};
}

Problems programs_of_calibration(const CheckOptions& options, const Scenario& scenario) {
  if (options.parameters.empty()) return {};
  const auto file = read_calibrated(options.parameters, scenario.parameters);
  return file ? check_executions(scenario, *file, options.parameters) : file.problems();
}

Problems prove(const Subject& subject) {
  WorkProgress progress("proving", subject.runs);
  return prove_programs(subject.scenario, [&] { progress.done_one(); });
}

Result<Snapshot> simulate(const Subject& subject) {
  WorkProgress progress("simulating", subject.runs);
  return take_snapshot(subject.scenario, subject.parameters, [&] { progress.done_one(); });
}

int check_without_baseline(const CheckOptions& options, const Subject& subject) {
  Problems problems = prove(subject);
  if (problems.empty()) problems = programs_of_calibration(options, subject.scenario);
  if (!problems.empty()) return report(problems);
  const std::size_t groups = subject.scenario.groups.size();
  if (options.json)
    fmt::print("{}\n", Json{{"scenario", options.scenario},
                            {"result", "fine"},
                            {"groups", groups},
                            {"programs", subject.runs}}
                           .dump(2));
  else
    fmt::print("{}: fine; {} groups, {} programs proven\n", options.scenario, groups, subject.runs);
  return exit_code::kDone;
}

/// The tolerances and the history of a baseline go over to the one that replaces it.
void inherit(Baseline& now, const Baseline& before) {
  now.tolerances = before.tolerances;
  now.updates = before.updates;
  for (BaselineGroup& group : now.groups)
    for (const BaselineGroup& known : before.groups)
      if (known.name == group.name) group.tolerances = known.tolerances;
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// "3 of 210 values moved since the baseline of 2026-12-01: first baseline"
std::string summary_line(std::span<const CheckRow> rows, const BaselineUpdate& since) {
  const auto moved = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const CheckRow& row) { return is_regression(row.verdict); }));
  const std::string what =
      moved == 0 ? fmt::format("none of {} moved", counted(rows.size(), "value", "values"))
                 : fmt::format("{} of {} moved", moved, counted(rows.size(), "value", "values"));
  return fmt::format("{} since the baseline of {}: {}", what, since.date, since.reason);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string check_json(const CheckOptions& options, std::span<const CheckRow> rows,
                       const BaselineUpdate& since) {
  Json json{{"scenario", options.scenario},
            {"baseline", {{"file", options.baseline}, {"date", since.date}, {"reason", since.reason}}},
            {"result", options.update         ? "updated"
                       : has_regression(rows) ? "moved"
                                              : "passed"},
            {"values", rows.size()},
            {"moved", Json::array()}};
  for (const CheckRow& row : rows)
    if (row.verdict != Verdict::same)
      json["moved"].push_back({{"group", row.group},
                               {"metric", row.metric},
                               {"subject", row.subject},
                               {"baseline", row.baseline},
                               {"now", row.now},
                               {"change", number(row.change)},
                               {"tolerance", number(row.tolerance)},
                               {"verdict", name_of(row.verdict)}});
  return json.dump(2) + "\n";
}

std::string check_text(std::span<const CheckRow> rows, const BaselineUpdate& since) {
  const auto table = check_table(rows);
  return (table.size() > 1 ? text_table(table) + "\n" : "") + summary_line(rows, since) + "\n";
}

/// Writes the new baseline and says what moved since the old one, if there was one.
int update_baseline(const CheckOptions& options, Baseline now, const Baseline* before) {
  std::vector<CheckRow> rows;
  if (before) {
    if (before->title != now.title)
      return report(
          {{options.baseline, fmt::format("is the baseline of '{}', not of '{}'", before->title, now.title),
            "name another file; or edit its title where the scenario was renamed"}});
    inherit(now, *before);
    rows = compare(*before, now);
  }
  now.updates.push_back({utc_now().substr(0, 10), options.reason, largest_move(rows)});
  if (Problems problems = write_file(options.baseline, baseline_toml(now)); !problems.empty())
    return report(problems);
  if (options.json)
    fmt::print("{}", check_json(options, rows, before ? before->updates.back() : now.updates.back()));
  else if (before)
    fmt::print("{}", check_text(rows, before->updates.back()));
  std::fflush(stdout);  // the result, then what to do about it, also where both go into one log
  say(fmt::format("{}: {}", options.baseline, before ? "updated" : "made"));
  return exit_code::kDone;
}

int compare_with(const CheckOptions& options, const Scenario& scenario, const Baseline& before,
                 const Baseline& now) {
  const std::vector<CheckRow> rows = compare(before, now);
  if (!options.junit.empty())
    if (Problems problems = write_file(options.junit, junit_xml(junit_suite(scenario.title, rows)));
        !problems.empty())
      return report(problems);
  const BaselineUpdate& since = before.updates.back();
  fmt::print("{}", options.json ? check_json(options, rows, since) : check_text(rows, since));
  if (!has_regression(rows)) return exit_code::kDone;
  std::fflush(stdout);  // the result, then what to do about it, also where both go into one log
  say("if this is intended: the same command with --update --reason \"why\" takes it as the new baseline");
  return exit_code::kRegression;
}

/// The baseline to compare with; nothing where an update is to make the first one.
Result<std::optional<Baseline>> baseline_of(const CheckOptions& options) {
  std::error_code code;
  if (!fs::exists(options.baseline, code)) {
    if (options.update) return std::optional<Baseline>();
    return Error{options.baseline, "there is no such baseline",
                 "--update --reason \"first baseline\" makes it"};
  }
  auto baseline = read_baseline(options.baseline);
  if (!baseline) return baseline.problems();
  return std::optional(*std::move(baseline));
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (options.update && trim(options.reason).empty())
    return report({{"--reason", "is missing or empty", "say why predictions may be other ones than before"}});
  const auto subject = subject_of(options);
  if (options.baseline.empty())
    return subject ? check_without_baseline(options, *subject) : report(subject.problems());
  const auto before = baseline_of(options);
  Problems problems;
  if (!subject) append(problems, subject.problems());
  if (!before) append(problems, before.problems());
  if (!problems.empty()) return report(problems);
  if (subject->runs == 0)
    return report({{options.scenario, "there is nothing to compare: no group has a measured size with a plan",
                    "measurements say at which sizes a scenario is simulated"}});
  const auto now = simulate(*subject);
  if (!now) return report(now.problems());
  for (const std::string& stuck : now->stuck) complain(stuck);
  if (!now->stuck.empty()) return exit_code::kStuck;
  if (options.update)
    for (const Error& problem : programs_of_calibration(options, subject->scenario)) warn(describe(problem));
  const Baseline* known = *before ? &**before : nullptr;
  return options.update ? update_baseline(options, now->baseline, known)
                        : compare_with(options, subject->scenario, *known, now->baseline);
}

}  // namespace caliper
