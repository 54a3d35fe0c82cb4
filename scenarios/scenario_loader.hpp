// Scenario files (FORMAT.md) to scenarios.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "scenarios/scenario.hpp"

namespace caliper {

/// Reads a scenario and everything it names: system, measurements, rank files.
/// @param systems  folder in which systems are found by name
/// Problems, all of the file at once, each with "file:line": syntax, unknown keys (with a suggestion), wrong
/// units and kinds, names of nothing, files that are missing or contradict the scenario, a split that is
/// none.
Result<Scenario> load_scenario(const std::filesystem::path& file, const std::filesystem::path& systems);

/// The same of text that is at hand; paths in it are relative to the folder of `file`.
Result<Scenario> read_scenario(std::string_view content, const std::filesystem::path& file,
                               const std::filesystem::path& systems);

}  // namespace caliper
