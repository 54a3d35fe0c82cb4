// calibrated.toml: what a calibration found, for which executions it was found, and nothing that changes from
// run to run.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "scenarios/scenario.hpp"

namespace caliper {

/// An auxiliary parameter as the file says it.
struct CalibratedParameter {
  ParameterIndex parameter;
  double value;                                       ///< SI
  std::string stage;                                  ///< that tuned it; empty: fixed or default
  std::optional<std::pair<double, double>> interval;  ///< 95 %, SI
};

/// What was executed for a group when the parameters were found.
struct CalibratedGroup {
  std::string name;
  std::vector<std::uint64_t> sizes;
  std::string program;     ///< group_program_hash over the sizes
  std::uint32_t line = 0;  ///< in the file that was read
};

struct CalibratedFile {
  std::vector<CalibratedParameter> parameters;  ///< in table order
  std::vector<CalibratedGroup> groups;
  std::vector<std::pair<std::string, std::string>>
      direct;  ///< id and value; read from a file, not written from here
};

/// Values are written with six significant digits: what the file says is what was validated.
std::string calibrated_toml(const Scenario& scenario, const CalibratedFile& content);

/// Problems, each with file:line: unknown or direct parameters, wrong units, values outside the bounds.
Result<CalibratedFile> read_calibrated(const std::filesystem::path& path, const ParameterTable& table);
/// As it would be read back; for values that are to be used as they are written.
Result<CalibratedFile> parse_calibrated(std::string_view content, const std::string& name,
                                        const ParameterTable& table);

/// A full set: the scenario's starting parameters with those of the file in place.
std::vector<double> parameters_of(const Scenario& scenario, const CalibratedFile& file);
/// parameters_of the file at `path`; the scenario's starting parameters for an empty path.
/// @param doubts  doubts_about the file, where not null
Result<std::vector<double>> read_parameters(const Scenario& scenario, const std::string& path,
                                            std::vector<std::string>* doubts = nullptr);

/// What may make the file unfit for the scenario without being wrong: facts of the machine that differ,
/// parameters that it does not say, groups in scope that it was not calibrated with. A sentence each.
std::vector<std::string> doubts_about(const Scenario& scenario, const CalibratedFile& file);

/// Problems: a group that the scenario runs by another program than the file was calibrated with.
Problems check_executions(const Scenario& scenario, const CalibratedFile& file, const std::string& name);

}  // namespace caliper
