// Where the two columns meet: the experiments of a scenario, answered by the simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/simulator.hpp"
#include "collectives/execution.hpp"
#include "collectives/plan.hpp"
#include "engine/fold.hpp"
#include "scenarios/scenario.hpp"

namespace caliper {

/// What NCCL runs for a group at a size. A channel count given here replaces the one of the scenario (to show
/// what another would predict; nothing is chosen by it). Problems: the scenario has no plan for the size, the
/// rules cannot derive one.
Result<Execution> execution_of(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes,
                               std::optional<std::uint32_t> channels = std::nullopt);
Result<FoldedProgram> program_of(const Scenario& scenario, std::uint32_t group, std::uint64_t bytes,
                                 std::optional<std::uint32_t> channels = std::nullopt);

/// Problems: a program that is too long to be waited for, even folded.
Result<RunResult> run_program(const FoldedProgram& program, ParameterView parameters, std::string_view where);

/// Programs are built once; a candidate only changes numbers.
class ScenarioSimulator final : public Simulator {
 public:
  /// Builds the programs of the given experiments, on all threads; others cannot be evaluated.
  static Result<ScenarioSimulator> build(const Scenario& scenario, std::span<const ExperimentId> experiments,
                                         std::optional<std::uint32_t> channels = std::nullopt);

  void evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                std::span<Outcome> outcomes) const override;
  std::string program_hash(ExperimentId experiment) const override;
  bool has(ExperimentId experiment) const { return row_[experiment.index] != kNoProgram; }

 private:
  static constexpr std::uint32_t kNoProgram = 0xffffffff;
  std::vector<std::uint32_t> row_;  // [experiments of the dataset]
  std::vector<std::optional<FoldedProgram>> programs_;
  std::vector<std::string> hashes_;
};

/// The experiments that the scenario has a plan for, in or out of scope, ascending.
std::vector<ExperimentId> simulated_experiments(const Scenario& scenario);

/// Identity of what is executed for a group over a list of sizes: 64 hex digits. Equal for all parameter
/// values. Problems: a size without plan.
Result<std::string> group_program_hash(const Scenario& scenario, std::uint32_t group,
                                       std::span<const std::uint64_t> sizes);

}  // namespace caliper
