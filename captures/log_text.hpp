// NCCL's messages out of a log as it lies about: between other output, behind launchers' prefixes, torn by
// each other.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captures/execution_record.hpp"

namespace caliper {

struct LogInput {
  std::string name;  ///< as it is to appear in messages
  std::string_view content;
};

/// The thread that wrote a message.
struct LogSource {
  std::string host;
  std::uint64_t process = 0, thread = 0;
  auto operator<=>(const LogSource&) const = default;
};

struct LogPiece {
  std::optional<LogSource> source;  ///< none: its header is torn off
  std::string_view text;            ///< behind "NCCL INFO "
  bool torn;                        ///< other output follows in the line, or the file ends in it
  LineRef at;
};

/// Messages in the order of the files. A line may hold several, each behind its own header
/// "host:process:thread [device] NCCL INFO "; all but the last of them are torn. A message of 1,000 bytes and
/// more has met NCCL's limit of a line and counts as torn. Other kinds (WARN, TRACE, CALL) only end the
/// message before them. "NCCL version ..." is a message with and without header.
class LogText {
 public:
  explicit LogText(std::span<const LogInput> inputs);
  LogText(const LogText&) = delete;
  LogText& operator=(const LogText&) = delete;
  const std::vector<LogPiece>& pieces() const { return pieces_; }

 private:
  std::deque<std::string> cleaned_;  ///< files without escape sequences and output tags, where they had any
  std::vector<LogPiece> pieces_;
};

}  // namespace caliper
