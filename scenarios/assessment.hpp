// Predictions beside measurements: what a validation is made of.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario_simulator.hpp"
#include "validation/noise.hpp"
#include "validation/prediction.hpp"

namespace caliper {

struct Assessment {
  std::vector<double> calibrated;       ///< full parameter set that was assessed
  std::vector<Prediction> predictions;  ///< one per experiment, in the order of the dataset
  std::vector<GroupSummary> summaries;
  std::vector<std::string> program_hashes;  ///< [groups]: group_program_hash over all sizes that have a plan
};

/// Simulates every experiment that has a plan with the starting and with the calibrated parameters, and fits
/// the trivial baseline to the same calibration points.
///
/// Baseline: for each shape (nodes x GPUs a node) that a stage fits, one alpha and one beta. It predicts the
/// groups of that shape; groups of several nodes that have no fit of their own shape take the one with the
/// most ranks of several nodes, by the ring terms. Groups that neither covers have no baseline.
/// @param simulator  has all of simulated_experiments(scenario)
Assessment assess(const Scenario& scenario, const ScenarioSimulator& simulator,
                  std::vector<double> calibrated);

/// Held-out mean error of every group for a channel count other than the scenario's, with the same
/// parameters. [groups]; NaN where the group holds nothing out or cannot be run so.
std::vector<double> held_out_error_with_channels(const Scenario& scenario, ParameterView parameters,
                                                 std::uint32_t channels);

}  // namespace caliper
