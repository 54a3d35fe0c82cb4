// [[group]] of a scenario, with [defaults.group]: everything but the measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "scenarios/toml_section.hpp"

namespace caliper {

/// The key of a measured file, resolved by read_measured.
struct MeasuredFile {
  std::string file;                    ///< as written
  std::uint32_t line;                  ///< in the scenario
  std::optional<std::uint32_t> ranks;  ///< stated beside it
  std::optional<std::uint32_t> table;  ///< which of the file's, from 1; absent: the one that fits the group
};

/// A log that a plan is captured in.
struct PlanLog {
  std::string file;
  std::optional<std::string> communicator;  ///< absent: the only one of as many ranks
  std::uint32_t line = 0;
};

struct GroupSection {
  ScenarioGroup group;  ///< `ranks` empty where the placement cannot give them
  std::uint32_t line = 0;
  std::vector<std::uint32_t> plan_lines;          ///< [plans]
  std::vector<std::optional<PlanLog>> plan_logs;  ///< [plans]
  std::vector<MeasuredFile> measured;
  bool states_nccl = false;  ///< false: the version has to come from the measured files
  bool ranges_sound = true;  ///< false: a plan or a range out of scope is in error, and was left out
};

/// What is known of the machine while groups are read.
struct GroupContext {
  const Machine* machine;  ///< null where the system could not be read
  std::span<const Placement> placements;
};

/// In the order of the file. What cannot be read is left at its default and has been reported.
std::vector<GroupSection> read_groups(TomlSection& root, const GroupContext& context);

}  // namespace caliper
