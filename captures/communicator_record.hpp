// The record of one communicator out of its own lines.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "captures/communicators.hpp"

namespace caliper {

/// "2.20.5" as printed, by process; with those whose process is not known.
struct StatedVersions {
  std::map<std::pair<std::string, std::uint64_t>, std::set<std::string>> of_process;
  std::set<std::string> all;
};
StatedVersions stated_versions(const LogFacts& facts);

/// @param record  for file names
Result<CapturedCommunicator> record_communicator(const CommunicatorLines& lines,
                                                 const StatedVersions& versions,
                                                 const ExecutionRecord& record);

/// Lists up to `most` numbers as "0-3, 7".
std::string ranges_of(const std::set<std::uint32_t>& numbers, std::size_t most = 8);

}  // namespace caliper
