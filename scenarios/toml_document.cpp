#include "scenarios/toml_document.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace caliper {
namespace {

std::uint32_t line_of(const toml::source_region& region) {
  return std::max<std::uint32_t>(region.begin.line, 1);
}

TomlValue converted(const toml::node& node);

TomlTable converted(const toml::table& table) {
  TomlTable entries;
  for (const auto& [key, value] : table)
    entries.push_back({std::string(key.str()), line_of(key.source()), converted(value)});
  // The library keeps tables sorted by key; people read files from top to bottom, and so do messages.
  std::ranges::stable_sort(entries, {}, &TomlEntry::line);
  return entries;
}

TomlArray converted(const toml::array& array) {
  TomlArray values;
  for (const toml::node& element : array) values.push_back(converted(element));
  return values;
}

TomlValue converted(const toml::node& node) {
  const std::uint32_t line = line_of(node.source());
  if (const auto* text = node.as_string()) return {line, text->get()};
  if (const auto* flag = node.as_boolean()) return {line, flag->get()};
  if (const auto* integer = node.as_integer()) return {line, integer->get()};
  if (const auto* number = node.as_floating_point()) return {line, number->get()};
  if (const auto* array = node.as_array()) return {line, converted(*array)};
  if (const auto* table = node.as_table()) return {line, converted(*table)};
  return {line, TomlDate{}};
}

}  // namespace

std::string_view kind_of(const TomlValue& value) {
  constexpr std::array<std::string_view, 7> kKinds = {
      "a string", "true or false", "an integer", "a number", "a date or time", "an array", "a table"};
  return kKinds[value.content.index()];
}

Result<TomlTable> parse_toml(std::string_view content, std::string_view file) {
  try {
    return converted(toml::parse(content, file));
  } catch (const toml::parse_error& error) {
    return Error{fmt::format("{}:{}", file, line_of(error.source())),
                 fmt::format("is not valid TOML: {}", error.description()), ""};
  } catch (const std::exception& error) {
    return Error{fmt::format("{}:1", file), fmt::format("cannot be parsed: {}", error.what()), ""};
  }
}

}  // namespace caliper
