// A TOML file as plain values that remember their line. The parsing library stays behind this header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace caliper {

struct TomlValue;
struct TomlEntry;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;  ///< in the order of the file

/// A date or a time: no format of ours has one, so that only its presence is kept.
struct TomlDate {};

struct TomlValue {
  std::uint32_t line;  ///< of the value, from 1
  std::variant<std::string, bool, std::int64_t, double, TomlDate, TomlArray, TomlTable> content;
};

struct TomlEntry {
  std::string key;
  std::uint32_t line;  ///< of the key, from 1
  TomlValue value;
};

/// "a string", "a table": for messages.
std::string_view kind_of(const TomlValue& value);

/// The root table of a document.
/// @param file  as it is to appear in messages
/// Problems: a syntax error, a key that stands twice, text that is not UTF-8; "file:line".
Result<TomlTable> parse_toml(std::string_view content, std::string_view file);

}  // namespace caliper
