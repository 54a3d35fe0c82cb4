// Writing TOML.
#pragma once

#include <string>
#include <string_view>

namespace caliper {

/// A basic string with its quotes, or a quoted key; whatever needs it is escaped.
std::string toml_string(std::string_view text);

}  // namespace caliper
