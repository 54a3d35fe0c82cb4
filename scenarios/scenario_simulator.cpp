#include "scenarios/scenario_simulator.hpp"

#include <set>
#include <utility>

#include <tbb/parallel_for.h>

#include "base/hash.hpp"
#include "scenarios/version.hpp"

namespace caliper {
namespace {

Outcome outcome_of(const SizeAnswer& answer) {
  Outcome outcome;
  outcome.reason = answer.failure;
  if (!answer.failure.empty()) return outcome;
  outcome.status = OutcomeStatus::time;
  outcome.seconds = answer.seconds;
  return outcome;
}

}  // namespace

const ScenarioSimulator::Place& ScenarioSimulator::place(ExperimentId experiment) const {
  CALIPER_CHECK(has(experiment));
  return places_[experiment.index];
}

Result<ScenarioSimulator> ScenarioSimulator::build(const Scenario& scenario,
                                                   std::span<const ExperimentId> experiments,
                                                   Shortcuts shortcuts,
                                                   std::optional<std::uint32_t> channels) {
  ScenarioSimulator simulator;
  simulator.places_.resize(scenario.dataset.experiments.size());
  std::map<std::uint32_t, std::vector<ExperimentId>> by_group;
  for (const ExperimentId id : experiments) by_group[scenario.dataset[id].group].push_back(id);
  Problems problems;
  for (const auto& [group, of_group] : by_group) {
    auto programs = GroupPrograms::build(scenario, group, sizes_of(scenario, of_group), shortcuts, channels);
    if (programs)
      simulator.groups_.emplace(group, *std::move(programs));
    else
      append(problems, programs.problems());
  }
  if (!problems.empty()) return problems;

  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> first_of_line;
  for (const ExperimentId id : experiments) {
    const Experiment& experiment = scenario.dataset[id];
    const GroupPrograms& programs = simulator.groups_.at(experiment.group);
    Place& place = simulator.places_[id.index];
    place.group = experiment.group;
    place.row = programs.row_of(experiment.bytes);
    place.call =
        first_of_line.try_emplace({place.group, programs.line_of(place.row)}, id.index).first->second;
  }
  tbb::parallel_for(std::size_t{0}, experiments.size(), [&](std::size_t i) {
    Place& place = simulator.places_[experiments[i].index];
    // Another version of the simulator may answer otherwise, and a size that is run by itself by a last
    // digit: their evaluations are not to be taken for ours.
    place.hash = Hasher()
                     .add(version_text())
                     .add(std::uint64_t{shortcuts.curves})
                     .add(std::uint64_t{shortcuts.steady_state})
                     .add(simulator.groups_.at(place.group).hash(place.row))
                     .hex();
  });
  return simulator;
}

void ScenarioSimulator::evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                                 std::span<Outcome> outcomes) const {
  struct Asked {
    std::vector<std::size_t> rows, slots;
  };
  std::map<std::uint32_t, Asked> by_group;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    Asked& asked = by_group[place(experiments[i]).group];
    asked.rows.push_back(place(experiments[i]).row);
    asked.slots.push_back(i);
  }
  const std::vector<std::pair<std::uint32_t, Asked>> groups(by_group.begin(), by_group.end());
  tbb::parallel_for(std::size_t{0}, groups.size(), [&](std::size_t g) {
    const auto& [group, asked] = groups[g];
    const std::vector<SizeAnswer> answers = groups_.at(group).answer(parameters, asked.rows);
    for (std::size_t i = 0; i < answers.size(); ++i) outcomes[asked.slots[i]] = outcome_of(answers[i]);
  });
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
  const std::set<std::uint64_t> distinct(sizes.begin(), sizes.end());
  const auto programs =
      GroupPrograms::build(scenario, group, {distinct.begin(), distinct.end()}, Shortcuts{.curves = false});
  if (!programs) return programs.problems();
  Hasher hasher;
  for (const std::uint64_t bytes : sizes) hasher.add(bytes).add(programs->hash(programs->row_of(bytes)));
  return hasher.hex();
}

}  // namespace caliper
