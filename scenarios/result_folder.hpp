// The folder that a calibration or validation leaves: one file per reader, each written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/stopwatch.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/report_data.hpp"

namespace caliper {

/// Makes the folder and tries that files can be written in it, before any long work.
Problems prepare_folder(const std::filesystem::path& folder);

/// How the finished calibration that the manifest of a folder tells of differs from one of this scenario and
/// seed, in words; empty where it does not, or where there is none.
std::string other_calibration(const std::filesystem::path& folder, const Scenario& scenario,
                              std::uint64_t seed);

/// history.csv: one line per candidate of every stage; empty where a calibration was not run.
std::string history_csv(const Scenario& scenario, const CalibrationRecord& calibration);

/// What the folder was made from and by: input and output hashes, versions, seed, command line, times, host.
/// With the same inputs the other files come out the same bit for bit; what changes from run to run stands
/// only here.
struct Manifest {
  std::string command;  ///< "calibrate"
  std::string command_line;
  std::string started;  ///< UTC, ISO 8601
  PhaseWatch watch;     ///< running since the command began
};

/// Writes predictions.csv, validation.json, report.html and, of a calibration, calibrated.toml and
/// history.csv; last of all manifest.json. Making their content ends the phase "report".
/// @param calibrated  text of calibrated.toml; empty: not written
Problems write_results(const std::filesystem::path& folder, const Scenario& scenario,
                       const Assessment& assessment, const CalibrationRecord* calibration,
                       const std::string& calibrated, const ReportData& report, Manifest& manifest);

}  // namespace caliper
