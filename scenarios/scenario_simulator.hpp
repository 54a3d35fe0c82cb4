// Where the two columns meet: the experiments of a scenario, answered by the simulator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/simulator.hpp"
#include "scenarios/group_programs.hpp"

namespace caliper {

/// Programs are built once; a candidate only changes numbers.
class ScenarioSimulator final : public Simulator {
 public:
  /// Makes the plans of the given experiments, on all threads; others cannot be evaluated.
  static Result<ScenarioSimulator> build(const Scenario& scenario, std::span<const ExperimentId> experiments,
                                         Shortcuts shortcuts = {},
                                         std::optional<std::uint32_t> channels = std::nullopt);

  void evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                std::span<Outcome> outcomes) const override;
  std::string program_hash(ExperimentId experiment) const override { return place(experiment).hash; }
  /// Sizes of a group that lie on a line are answered together.
  std::uint32_t call_of(ExperimentId experiment) const override { return place(experiment).call; }
  bool has(ExperimentId experiment) const { return places_[experiment.index].group != kNoGroup; }

 private:
  static constexpr std::uint32_t kNoGroup = 0xffffffff;
  struct Place {
    std::uint32_t group = kNoGroup;
    std::size_t row = 0;     // of the group's programs
    std::uint32_t call = 0;  // first experiment of its line
    std::string hash;
  };
  const Place& place(ExperimentId experiment) const;

  std::vector<Place> places_;                      // [experiments of the dataset]
  std::map<std::uint32_t, GroupPrograms> groups_;  // by group
};

/// The experiments that the scenario has a plan for, in or out of scope, ascending.
std::vector<ExperimentId> simulated_experiments(const Scenario& scenario);

/// Identity of what is executed for a group over a list of sizes: 64 hex digits. Equal for all parameter
/// values. Problems: a size without plan.
Result<std::string> group_program_hash(const Scenario& scenario, std::uint32_t group,
                                       std::span<const std::uint64_t> sizes);

}  // namespace caliper
