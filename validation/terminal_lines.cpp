#include "validation/terminal_lines.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr char kEscape = '\x1b';

/// Past the escape sequence that begins at `at`: CSI ("ESC [ ... letter"), OSC ("ESC ] ... BEL or ESC \"), or
/// two characters. Never past the end of the line, so that a torn sequence takes no row with it.
std::size_t end_of_escape(std::string_view text, std::size_t at) {
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  if (at + 1 >= line_end) return line_end;
  const char kind = text[at + 1];
  std::size_t end = at + 2;
  if (kind == '[') {
    while (end < line_end && (text[end] < '@' || text[end] > '~')) ++end;
    return std::min(end + 1, line_end);
  }
  if (kind != ']') return end;
  while (end < line_end && text[end] != '\a' && text[end] != kEscape) ++end;
  const std::size_t terminator = end < line_end && text[end] == kEscape ? 2 : 1;
  return std::min(end + terminator, line_end);
}

std::string without_escapes(std::string_view content) {
  std::string text;
  text.reserve(content.size());
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t escape = std::min(content.find(kEscape, at), content.size());
    text.append(content.substr(at, escape - at));
    at = escape < content.size() ? end_of_escape(content, escape) : escape;
  }
  return text;
}

/// "[1,0]<stdout>:", "[job@1,0]<stderr>:"
void blank_output_tags(std::string& text) {
  for (const std::string_view tag : {"]<stdout>:", "]<stderr>:", "]<stddiag>:"})
    for (std::size_t at = 0; (at = text.find(tag, at)) != std::string::npos;) {
      const std::size_t end = at + tag.size();
      const std::size_t open = text.rfind('[', at), line = text.rfind('\n', at);
      const bool in_line = open != std::string::npos && (line == std::string::npos || open > line);
      const std::size_t start = in_line ? open : at;
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(start),
                text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
      at = end;
    }
}

bool needs_cleaning(std::string_view content) {
  return content.find(kEscape) != std::string_view::npos || content.find("]<std") != std::string_view::npos ||
         content.find('|') != std::string_view::npos;
}

}  // namespace

TerminalLines::TerminalLines(std::string_view content) {
  if (needs_cleaning(content)) {
    cleaned_ = without_escapes(content);
    blank_output_tags(cleaned_);
    std::replace(cleaned_.begin(), cleaned_.end(), '|', ' ');
    content = cleaned_;
  }
  std::uint32_t number = 0;
  for (const std::string_view line : split_lines(content)) {
    ++number;
    for (const std::string_view piece : split(line, '\r')) lines_.push_back({piece, number});
  }
}

}  // namespace caliper
