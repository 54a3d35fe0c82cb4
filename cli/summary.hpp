// The end of a calibration or validation as people read it on a terminal, and as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "scenarios/result_folder.hpp"

namespace caliper {

/// The phase of a calibration that its stages take; their own seconds say more of it.
inline constexpr const char* kStagesPhase = "stages";

/// Writes the folder (write_results) and prints the held-out groups, the verdict and where the report is; as
/// JSON the same for programs; where the time went on stderr. Returns the exit code.
int conclude(const std::filesystem::path& folder, const Scenario& scenario, const Assessment& assessment,
             const CalibrationRecord* calibration, const std::string& calibrated, Manifest manifest,
             bool json);

/// Now, UTC, ISO 8601 to the second.
std::string utc_now();

}  // namespace caliper
