// All facts of a set of logs, in the order of their lines.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captures/log_line.hpp"
#include "captures/log_text.hpp"

namespace caliper {

struct SourcedFact {
  LogFact fact;
  std::optional<LogSource> source;
  LineRef at;
};

struct LogFacts {
  std::vector<SourcedFact> facts;
  std::vector<LineRef>
      broken;  ///< lines that begin as one that matters and do not go on as one, most of them torn
  std::size_t messages = 0;  ///< of NCCL, of any kind
};

LogFacts read_log_facts(std::span<const LogInput> inputs);

/// The rank that prints a connection: the one that sends, but for "[receive]".
std::uint32_t printing_rank(const ConnectionLine& line);

}  // namespace caliper
