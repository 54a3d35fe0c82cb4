#include "scenarios/snapshot.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/version.hpp"

namespace caliper {
namespace {

/// The number that is read back when it was written with so many significant digits.
double as_written(double value, int digits) {
  return parse_double(fmt::format("{:.{}g}", value, digits)).value_or(value);
}

std::vector<BaselineParameter> parameters_as_written(const Scenario& scenario, ParameterView values) {
  std::vector<BaselineParameter> parameters;
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i) {
    const AuxiliaryParameter& row = scenario.parameters[i];
    const auto value =
        parse_quantity(format_quantity(values[i], row.dimension, kParameterDigits), row.dimension);
    CALIPER_CHECK(value);
    parameters.push_back({row.id, row.dimension, *value});
  }
  return parameters;
}

std::vector<BaselineErrors> errors_of(const Scenario& scenario, std::span<const ExperimentId> experiments,
                                      std::span<const double> seconds) {
  std::vector<BaselineErrors> errors;
  for (const Set set : {Set::calibration, Set::validation}) {
    std::vector<double> simulated, measured;
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      if (scenario.split.set[experiments[i].index] != set) continue;
      simulated.push_back(seconds[i]);
      measured.push_back(scenario.dataset[experiments[i]].seconds);
    }
    if (simulated.empty()) continue;
    ErrorStatistics error = error_statistics(simulated, measured);
    for (double* value : {&error.mean, &error.p50, &error.p95, &error.max})
      *value = as_written(*value, kErrorDigits);
    errors.push_back({set, error});
  }
  return errors;
}

struct Answer {
  std::string program;
  double seconds = ErrorStatistics::kUnset;
  std::string stuck;
};

/// fn(experiments, programs) for each group with experiments that have a plan, in order. All problems, each
/// once: what is wrong with a group is wrong at all of its sizes.
template <class Fn>
Problems for_each_group(const Scenario& scenario, Fn fn) {
  Problems problems;
  std::map<std::uint32_t, std::vector<ExperimentId>> groups;
  for (const ExperimentId id : simulated_experiments(scenario))
    groups[scenario.dataset[id].group].push_back(id);
  for (const auto& [group, experiments] : groups) {
    auto programs = GroupPrograms::build(scenario, group, sizes_of(scenario, experiments));
    if (programs)
      fn(experiments, *programs);
    else
      append(problems, programs.problems());
  }
  return problems;
}

std::vector<Answer> answers_of(const Scenario& scenario, std::span<const ExperimentId> experiments,
                               const GroupPrograms& programs, ParameterView parameters) {
  std::vector<std::size_t> rows;
  for (const ExperimentId id : experiments) rows.push_back(programs.row_of(scenario.dataset[id].bytes));
  const std::vector<SizeAnswer> sizes = programs.answer(parameters, rows);
  std::vector<Answer> answers(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Experiment& experiment = scenario.dataset[experiments[i]];
    answers[i].program = programs.hash(rows[i]);
    if (sizes[i].failure.empty())
      answers[i].seconds = sizes[i].seconds;
    else
      answers[i].stuck = fmt::format("{} at {}: {}", scenario.groups[experiment.group].name,
                                     format_bytes(experiment.bytes), sizes[i].failure);
  }
  return answers;
}

BaselineGroup group_of(const Scenario& scenario, std::uint32_t g, std::span<const ExperimentId> experiments,
                       std::span<const Answer> answers) {
  BaselineGroup group{scenario.groups[g].name, "", {}, {}, {}};
  std::vector<double> seconds;
  Hasher hasher;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const std::uint64_t bytes = scenario.dataset[experiments[i]].bytes;
    hasher.add(bytes).add(answers[i].program);
    seconds.push_back(answers[i].seconds);
    if (answers[i].stuck.empty())
      group.times.push_back({bytes, as_written(answers[i].seconds * 1e6, kTimeDigits),
                             scenario.split.set[experiments[i].index]});
  }
  group.program = hasher.hex();
  group.errors = errors_of(scenario, experiments, seconds);
  return group;
}

}  // namespace

Problems prove_programs(const Scenario& scenario, const OnDone& on_done) {
  return for_each_group(scenario, [&](const std::vector<ExperimentId>& experiments, const GroupPrograms&) {
    for (std::size_t i = 0; i < experiments.size(); ++i) on_done();
  });
}

Result<Snapshot> take_snapshot(const Scenario& scenario, ParameterView parameters, const OnDone& on_done) {
  const std::vector<ExperimentId> experiments = simulated_experiments(scenario);
  std::vector<Answer> answers;
  Problems problems =
      for_each_group(scenario, [&](const std::vector<ExperimentId>& of_group, const GroupPrograms& programs) {
        const std::vector<Answer> more = answers_of(scenario, of_group, programs, parameters);
        answers.insert(answers.end(), more.begin(), more.end());
        for (std::size_t i = 0; i < of_group.size(); ++i) on_done();
      });
  if (!problems.empty()) return problems;

  Snapshot snapshot;
  Baseline& baseline = snapshot.baseline;
  baseline.title = scenario.title;
  baseline.made_by = version_text();
  baseline.scenario_sha256 = scenario.inputs.front().sha256;
  baseline.parameters = parameters_as_written(scenario, parameters);
  for (std::size_t begin = 0; begin < experiments.size();) {
    const std::uint32_t g = scenario.dataset[experiments[begin]].group;
    std::size_t end = begin;
    while (end < experiments.size() && scenario.dataset[experiments[end]].group == g) ++end;
    const auto part = [&](auto& all) { return std::span(all).subspan(begin, end - begin); };
    baseline.groups.push_back(group_of(scenario, g, part(experiments), part(answers)));
    begin = end;
  }
  for (const Answer& answer : answers)
    if (!answer.stuck.empty()) snapshot.stuck.push_back(answer.stuck);
  return snapshot;
}

}  // namespace caliper
