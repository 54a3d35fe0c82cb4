#include "scenarios/toml_text.hpp"

#include <fmt/format.h>

namespace caliper {

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (code < 0x20 || code == 0x7f)
      result += fmt::format("\\u{:04X}", code);
    else
      result += c;
  }
  return result + "\"";
}

}  // namespace caliper
