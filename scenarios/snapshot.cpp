#include "scenarios/snapshot.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/version.hpp"

namespace caliper {
namespace {

/// fn(i, program) for each experiment, on all threads; a program lives as long as its call. All problems,
/// each once: what is wrong with a group is wrong at all of its sizes.
template <class Fn>
Problems for_each_program(const Scenario& scenario, std::span<const ExperimentId> experiments,
                          const OnDone& on_done, Fn fn) {
  std::vector<Problems> found(experiments.size());
  tbb::parallel_for(std::size_t{0}, experiments.size(), [&](std::size_t i) {
    const Experiment& experiment = scenario.dataset[experiments[i]];
    const auto program = program_of(scenario, experiment.group, experiment.bytes);
    if (program)
      fn(i, *program);
    else
      found[i] = program.problems();
    on_done();
  });
  Problems problems;
  std::set<std::string> known;
  for (const Problems& of_experiment : found)
    for (const Error& problem : of_experiment)
      if (known.insert(describe(problem)).second) problems.push_back(problem);
  return problems;
}

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
  return for_each_program(scenario, simulated_experiments(scenario), on_done,
                          [](std::size_t, const FoldedProgram&) {});
}

Result<Snapshot> take_snapshot(const Scenario& scenario, ParameterView parameters, const OnDone& on_done) {
  const std::vector<ExperimentId> experiments = simulated_experiments(scenario);
  std::vector<Answer> answers(experiments.size());
  Problems problems =
      for_each_program(scenario, experiments, on_done, [&](std::size_t i, const FoldedProgram& program) {
        const Experiment& experiment = scenario.dataset[experiments[i]];
        const std::string where =
            fmt::format("{} at {}", scenario.groups[experiment.group].name, format_bytes(experiment.bytes));
        answers[i].program = program.whole().hash();
        const auto run = run_program(program, parameters, where);
        if (!run)
          answers[i].stuck = describe(run.problems().front());
        else if (run->stuck)
          answers[i].stuck = fmt::format("{}: {}", where, run->stuck->describe(program.whole()));
        else
          answers[i].seconds = run->seconds;
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
