// Lines of a log as they looked on the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caliper {

struct TerminalLine {
  std::string_view text;
  std::uint32_t number;  ///< of the file, from 1; pieces between carriage returns share it
};

/// The lines of a text without what a terminal or a launcher would not show as part of them: ANSI escape
/// sequences vanish, a carriage return inside a line starts a new piece (progress displays), Open MPI's tags
/// "[1,0]<stdout>:", which stand before every piece that was written at once, and bars ('|', Markdown tables)
/// become blanks. Views point into the text, or into the object.
class TerminalLines {
 public:
  explicit TerminalLines(std::string_view content);
  TerminalLines(const TerminalLines&) = delete;
  TerminalLines& operator=(const TerminalLines&) = delete;
  const std::vector<TerminalLine>& lines() const { return lines_; }

 private:
  std::string cleaned_;  ///< empty where the content needed none of it
  std::vector<TerminalLine> lines_;
};

}  // namespace caliper
