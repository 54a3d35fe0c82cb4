// System files: the facts of a machine, each with its source (FORMAT.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "topology/machine.hpp"

namespace caliper {

/// @param name  becomes SystemSpec::name
/// @param file  as it is to appear in messages
/// Problems, all of the file at once, each with "file:line": syntax, unknown or missing keys, wrong units, a
/// fact without a source. Whether the facts fit together is for Machine::build to say.
Result<SystemSpec> read_system(std::string_view content, std::string name, const std::string& file);

/// read_system, then Machine::build, whose problems are told at the line of the fact or group that they name.
Result<Machine> read_machine(std::string_view content, std::string name, const std::string& file);

/// The file of a system: a path (it holds a '/' or ends in ".toml"; relative to `base`), or the name of one
/// in `systems`. Problem (its `where` is empty): no such file; for a name, the hint says what there is.
Result<std::filesystem::path> find_system(const std::string& name_or_path, const std::filesystem::path& base,
                                          const std::filesystem::path& systems);

}  // namespace caliper
