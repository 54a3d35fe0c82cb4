// The end of a calibration or validation as people read it on a terminal, and as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "scenarios/assessment.hpp"
#include "scenarios/report_data.hpp"

namespace caliper {

/// Held-out groups: noise floor, mean error by default, by alpha-beta and calibrated, p95 and largest.
std::string held_out_table(const Assessment& assessment);

/// Files and statistics. @param calibration  may be null
std::string summary_json(const Scenario& scenario, const Assessment& assessment,
                         const CalibrationRecord* calibration, const std::filesystem::path& folder);

/// Now, UTC, ISO 8601 to the second.
std::string utc_now();

}  // namespace caliper
