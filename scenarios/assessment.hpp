// Predictions beside measurements: what a validation is made of.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario_simulator.hpp"
#include "validation/credibility.hpp"
#include "validation/noise.hpp"
#include "validation/prediction.hpp"

namespace caliper {

struct Assessment {
  std::vector<double> calibrated;       ///< full parameter set that was assessed
  std::vector<Prediction> predictions;  ///< one per experiment, in the order of the dataset
  std::vector<GroupSummary> summaries;
  Credibility credibility;                  ///< without the label-shuffle control, which runs stages
  std::vector<std::string> program_hashes;  ///< [groups]: group_program_hash over all sizes that have a plan
};

/// Simulates every experiment that has a plan with the starting and with the calibrated parameters, and fits
/// the trivial baselines to the same calibration points.
///
/// Alpha-beta: for each shape (nodes x GPUs a node) that a stage fits, one alpha and one beta. It predicts
/// the groups of that shape; groups of several nodes that have no fit of their own shape take the one with
/// the most ranks of several nodes, by the ring terms. Groups that neither covers have no baseline. Nearest
/// size: held-out points of groups that have fitted ones (validation/nearest_size.hpp).
/// @param simulator  has all of simulated_experiments(scenario)
Assessment assess(const Scenario& scenario, const ScenarioSimulator& simulator,
                  std::vector<double> calibrated);

/// The stages as the scenario declares them, ready to run.
std::vector<StageOptions> declared_stages(const Scenario& scenario, std::uint64_t seed);

/// Held-out sizes of a group, at most kMostSampled of them: every one, else an even selection by index that
/// has the first and the last.
std::vector<ExperimentId> held_out_sample(const Dataset& dataset, const Split& split, std::uint32_t group);
constexpr std::size_t kMostSampled = 32;

/// Mean error over the held_out_sample of every group for a channel count other than the scenario's, with the
/// same parameters. [groups]; NaN where the group holds nothing out or cannot be run so.
std::vector<double> held_out_error_with_channels(const Scenario& scenario, ParameterView parameters,
                                                 std::uint32_t channels);

}  // namespace caliper
