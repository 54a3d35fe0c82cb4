// Everything that a calibration or validation knows, as the plain values of a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/sensitivity.hpp"
#include "calibration/stage.hpp"
#include "scenarios/assessment.hpp"
#include "validation/report.hpp"

namespace caliper {

/// What a calibration adds to an assessment.
struct CalibrationRecord {
  std::vector<StageOptions> stages;
  std::vector<StageResult> results;        ///< [stages run]
  std::vector<Sensitivity> sensitivities;  ///< [stages run]
  std::uint64_t seed;
};

/// A function of the inputs and the seed alone: paths of this machine, times and counts that depend on a
/// cache are left to the manifest.
/// @param calibration  null for a validation of parameters that were found elsewhere
ReportData report_data(const Scenario& scenario, const Assessment& assessment,
                       const CalibrationRecord* calibration);

}  // namespace caliper
