#include "captures/execution_record.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace caliper {

std::string_view name_of(RingRule rule) {
  switch (rule) {
    case RingRule::listed:
      return "listed";
    case RingRule::neighbours:
      return "neighbours";
    case RingRule::connections:
      return "connections";
    case RingRule::sequence:
      return "sequence";
    case RingRule::none:
      return "none";
  }
  CALIPER_CHECK(false);
}

std::string_view name_of(TransportKind kind) {
  switch (kind) {
    case TransportKind::p2p:
      return "P2P";
    case TransportKind::shm:
      return "SHM";
    case TransportKind::net:
      return "NET";
  }
  CALIPER_CHECK(false);
}

std::string ExecutionRecord::where(LineRef line) const {
  CALIPER_CHECK(line.file < files.size());
  return fmt::format("{}:{}", files[line.file], line.line);
}

}  // namespace caliper
