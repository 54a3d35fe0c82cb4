// What the commands share: exit codes, how results and talk are printed, how a scenario is loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "scenarios/scenario.hpp"

namespace caliper {

/// Exit codes of the program (design of the command line; 70 is BSD's EX_SOFTWARE).
namespace exit_code {
inline constexpr int kDone = 0;
inline constexpr int kRegression = 1;  ///< what was to stay as it is has moved
inline constexpr int kBadInput = 2;
inline constexpr int kStuck = 3;
inline constexpr int kInterrupted = 130;
}  // namespace exit_code

/// A line on stderr: what is going on, and what the user should act upon.
void say(const std::string& line);
void warn(const std::string& line);
void complain(const std::string& line);

/// Prints the problems on stderr, one a line, and returns exit_code::kBadInput.
int report(const Problems& problems);

/// A folder of scenarios/ that belongs to the program, "systems": as it is installed, or as it stands in the
/// source tree that the program was built in.
std::filesystem::path shipped_folder(const std::string& name);

/// Where systems are found by name: $CALIPERSIM_SYSTEMS, else beside the program.
std::filesystem::path systems_folder();

/// Loads a scenario with the systems that are shipped beside the program.
Result<Scenario> load(const std::filesystem::path& scenario);

/// A scenario and what of it was asked for on the command line.
struct Selection {
  Scenario scenario;
  std::vector<std::uint32_t> groups;  ///< those named; all where none is
  std::vector<std::uint64_t> sizes;   ///< bytes; empty where none is named
};
/// Problems: those of the scenario, unknown groups, texts that are no size such as "64MiB".
Result<Selection> select(const std::string& scenario, const std::vector<std::string>& groups,
                         const std::vector<std::string>& sizes);

/// Writes a file that an import makes. One that exists with other content is never written over.
Problems write_import(const std::filesystem::path& path, const std::string& text);

/// A table of text for people: columns aligned, the first to the left, the others to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);
/// "1.23 %" of a fraction, "-" where it is not finite.
std::string percent(double fraction);

/// The command line as it was given, quoted where a shell needs it, for the manifest.
std::string quoted_command_line(int argc, char** argv);

}  // namespace caliper
