#include "scenarios/scenario_simulator.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/hash.hpp"
#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/proof.hpp"
#include "engine/flow_run.hpp"
#include "scenarios/version.hpp"

namespace caliper {
namespace {

/// Of a folded program, at some 30 million a second: a few minutes.
constexpr std::uint64_t kMostOperations = 5'000'000'000;

Outcome outcome_of(const FoldedProgram& program, ParameterView parameters) {
  const auto run = run_program(program, parameters, "simulation");
  Outcome outcome;
  if (!run) {
    outcome.reason = describe(run.problems().front());
  } else if (run->stuck) {
    outcome.reason = run->stuck->describe(program.whole());
  } else {
    outcome.status = OutcomeStatus::time;
    outcome.seconds = run->seconds;
  }
  return outcome;
}

/// fn(i) for i in [0, count) on all threads; the problems of the lowest i that has any.
template <class Fn>
Problems for_all(std::size_t count, Fn fn) {
  std::vector<Problems> problems(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { problems[i] = fn(i); });
  for (Problems& found : problems)
    if (!found.empty()) return std::move(found);
  return {};
}

}  // namespace

Result<Execution> execution_of(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes,
                               std::optional<std::uint32_t> channels) {
  const ScenarioGroup& g = scenario.groups[group];
  if (bytes > kMaxMessageBytes)
    return Error{fmt::format("group '{}'", g.name), fmt::format("{} is no message size", format_bytes(bytes)),
                 fmt::format("at most {}", format_bytes(kMaxMessageBytes))};
  const std::uint64_t unit =
      g.element_bytes * (g.collective == Collective::all_reduce ? std::uint64_t{1} : g.ranks.size());
  if (bytes % unit != 0)
    return Error{fmt::format("group '{}'", g.name),
                 fmt::format("{} is no whole number of {} elements{}", format_bytes(bytes), g.data_type,
                             g.collective == Collective::all_reduce ? "" : " of every rank"),
                 fmt::format("{} is", format_bytes(bytes < unit ? unit : bytes - bytes % unit))};
  const PlanRange* range = g.plan_for(bytes);
  if (!range)
    return Error{fmt::format("group '{}'", g.name), fmt::format("has no plan for {}", format_bytes(bytes)),
                 "a [[group.plan]] says what NCCL runs for a range of sizes"};
  auto execution = derive_execution(scenario.machine, g.ranks, g.collective, g.family, g.element_bytes,
                                    channels ? channels : range->channels, g.nic_layout);
  if (!execution) return execution.problems();
  if (range->channels && !channels) execution->channels_origin = range->source;
  return execution;
}

Result<FoldedProgram> program_of(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes,
                                 std::optional<std::uint32_t> channels) {
  const auto execution = execution_of(scenario, group, bytes, channels);
  if (!execution) return execution.problems();
  const Plan plan = make_plan(*execution, bytes);
  const std::string where = fmt::format("group '{}' at {}", scenario.groups[group].name, format_bytes(bytes));
  if (const auto violation = prove(plan))
    return Error{where, fmt::format("the plan is wrong ({}): {}", name_of(violation->what), violation->text),
                 "correct the rings or the partition that the scenario states"};
  return FoldedProgram(lower(plan, scenario.machine, scenario.parameters));
}

Result<RunResult> run_program(const FoldedProgram& program, ParameterView parameters,
                              std::string_view where) {
  const std::vector<double> numbers = program.whole().numbers(parameters);
  const Program& folded = program.folding(numbers).program;
  if (const std::uint64_t operations = folded.operation_count(); operations > kMostOperations)
    return Error{
        std::string(where),
        fmt::format("would take {} operations, and no more than {} of {} workers are alike", operations,
                    program.whole().workers.size() - folded.workers.size(), program.whole().workers.size()),
        fmt::format("at most {} are simulated: a size that ranks and channels divide has equal chunks "
                    "and is simulated once for all that are alike",
                    kMostOperations)};
  return program.run(parameters);
}

Result<ScenarioSimulator> ScenarioSimulator::build(const Scenario& scenario,
                                                   std::span<const ExperimentId> experiments,
                                                   std::optional<std::uint32_t> channels) {
  ScenarioSimulator simulator;
  simulator.row_.assign(scenario.dataset.experiments.size(), kNoProgram);
  simulator.programs_.resize(experiments.size());
  simulator.hashes_.resize(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i)
    simulator.row_[experiments[i].index] = static_cast<std::uint32_t>(i);
  Problems problems = for_all(experiments.size(), [&](std::size_t i) -> Problems {
    const Experiment& experiment = scenario.dataset[experiments[i]];
    auto program = program_of(scenario, experiment.group, experiment.bytes, channels);
    if (!program) return program.problems();
    // Another version of the simulator may answer otherwise: its evaluations are not to be taken for ours.
    simulator.hashes_[i] = Hasher().add(version_text()).add(program->whole().hash()).hex();
    simulator.programs_[i] = *std::move(program);
    return {};
  });
  if (!problems.empty()) return problems;
  return simulator;
}

void ScenarioSimulator::evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                                 std::span<Outcome> outcomes) const {
  tbb::parallel_for(std::size_t{0}, experiments.size(), [&](std::size_t i) {
    CALIPER_CHECK(has(experiments[i]));
    const FoldedProgram& program = *programs_[row_[experiments[i].index]];
    outcomes[i] = outcome_of(program, parameters);
  });
}

std::string ScenarioSimulator::program_hash(ExperimentId experiment) const {
  CALIPER_CHECK(has(experiment));
  return hashes_[row_[experiment.index]];
}

std::vector<ExperimentId> simulated_experiments(const Scenario& scenario) {
  std::vector<ExperimentId> experiments;
  for (std::uint32_t i = 0; i < scenario.dataset.experiments.size(); ++i) {
    const Experiment& experiment = scenario.dataset.experiments[i];
    if (scenario.groups[experiment.group].plan_for(experiment.bytes)) experiments.push_back({i});
  }
  return experiments;
}

Result<std::string> group_program_hash(const Scenario& scenario, std::uint32_t group,
                                       std::span<const std::uint64_t> sizes) {
  std::vector<std::string> hashes(sizes.size());
  Problems problems = for_all(sizes.size(), [&](std::size_t i) -> Problems {
    const auto program = program_of(scenario, group, sizes[i]);
    if (!program) return program.problems();
    hashes[i] = program->whole().hash();
    return {};
  });
  if (!problems.empty()) return problems;
  Hasher hasher;
  for (std::size_t i = 0; i < sizes.size(); ++i) hasher.add(sizes[i]).add(hashes[i]);
  return hasher.hex();
}

}  // namespace caliper
