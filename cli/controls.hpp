// What calibrate and validate do alike besides validating: the optimiser by name, and the controls that a
// validation has to pass.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibration/label_shuffle.hpp"
#include "cli/progress.hpp"
#include "scenarios/assessment.hpp"

namespace caliper {

/// The optimisers that a user can name; the first is the default.
inline const std::vector<std::string> kOptimizers = {"composite", "qlogei", "sobol"};
std::unique_ptr<Optimizer> optimizer_for(const std::string& name, const StageOptions& stage);

/// Problems where held-out records are among the fitted ones (calibration/disjointness.hpp).
Problems leaks_of(const Scenario& scenario, const std::string& where);

/// How the label-shuffle control is to run.
struct ControlRun {
  const EvaluationContext& context;
  std::vector<double> start;         ///< full set where the calibration starts
  std::vector<StageOptions> stages;  ///< those that were or would be run
  std::string optimizer;             ///< name
  std::uint64_t seed;
  const char* when_interrupted;  ///< what to do then, for people
  const InterruptFlag& interrupt;
  bool shuffle;  ///< false: skipped on request
};

/// Runs it and files its result in the assessment; warns of a control that did not fail. Returns the exit
/// code where it was interrupted or could not run.
std::optional<int> run_controls(const Scenario& scenario, const ControlRun& run, Assessment& assessment);

}  // namespace caliper
