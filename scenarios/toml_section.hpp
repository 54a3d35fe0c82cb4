// Reading one table of a TOML file: each key is read once, checked, and reported by file:line; what nobody
// reads is the user's typing error.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "scenarios/toml_document.hpp"

namespace caliper {

/// A file that is being read: its name in messages, and all problems found so far.
struct TomlFile {
  std::string name;
  Problems problems;

  std::string at(std::uint32_t line) const;  ///< "name:line"
  void report(std::uint32_t line, std::string what, std::string hint = {});
  /// Takes over problems that a parser of ours found in one value; where they say no place, `line` is it.
  void report(std::uint32_t line, Problems found);
};

enum class Need : std::uint8_t { required, optional };

/// Inclusive.
struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// Getters return nothing where the key is missing or wrong, and then have reported it (missing: only if
/// required). Quantities are strings with a unit, plain numbers are TOML numbers; results are in SI.
class TomlSection {
 public:
  /// File and table outlive the section.
  /// @param name  as it is to appear in messages: "[node]", "[[group]] 'ar-4x4'"
  /// @param line  of its header
  TomlSection(TomlFile& file, const TomlTable& table, std::string name, std::uint32_t line);

  /// Keys that are missing here are looked up there. `defaults` outlives the section.
  void fall_back_to(TomlSection& defaults) { defaults_ = &defaults; }
  void rename(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }
  std::uint32_t line() const { return line_; }
  /// Of the table in which a key stands: this one or the defaults.
  const std::string& name_at(std::string_view key) const;
  /// Line of a key; where it is missing, of the header.
  std::uint32_t line_of(std::string_view key) const;

  std::optional<std::string> text(std::string_view key, Need need = Need::required);  ///< not blank
  std::optional<std::uint32_t> count(std::string_view key, Need need = Need::required,
                                     std::uint32_t lower = 1, std::uint32_t upper = 1'000'000'000);
  std::optional<double> number(std::string_view key, Need need = Need::required, Bounds bounds = {});
  /// For Dimension::number the same as `number`. Bounds are in SI.
  std::optional<double> quantity(std::string_view key, Dimension dimension, Need need = Need::required,
                                 Bounds bounds = {});
  std::vector<std::string> texts(std::string_view key,
                                 Need need = Need::required);  ///< array of strings, not empty
  std::vector<std::uint32_t> counts(std::string_view key, Need need = Need::required);
  std::optional<TomlSection> table(std::string_view key, Need need = Need::required);
  /// [[key]], in order; a single table or anything else is reported. Missing: none.
  std::vector<TomlSection> tables(std::string_view key);
  /// The tables inside table `key`, each with its name: [key.NAME]. Missing: none.
  struct Named;
  std::vector<Named> named_tables(std::string_view key);
  /// A value whose shape the caller checks.
  const TomlEntry* value(std::string_view key, Need need = Need::required);

  /// Reports keys that nobody asked for.
  void finish();

  TomlFile& file() { return *file_; }
  void report(std::string_view key, std::string what, std::string hint = {});
  /// "'key' is X, not Y"
  void report_kind(const TomlEntry& entry, std::string_view wanted);

 private:
  const TomlEntry* find(std::string_view key) const;
  const TomlEntry* take(std::string_view key, Need need);

  TomlFile* file_;
  const TomlTable* table_;
  std::string name_;
  std::uint32_t line_;
  std::set<std::string, std::less<>> asked_;
  TomlSection* defaults_ = nullptr;
};

struct TomlSection::Named {
  std::string key;
  TomlSection section;
};

/// A TOML number, whole or not.
std::optional<double> as_number(const TomlValue& value);

void report_choice(TomlSection& section, std::string_view key, std::string_view text,
                   std::span<const std::string> names);

/// `text` as one of `values`, compared by their names (name_of); otherwise a problem at `key` that lists
/// them.
template <class T>
std::optional<T> one_of(TomlSection& section, std::string_view key, std::string_view text,
                        std::span<const T> values) {
  std::vector<std::string> names;
  for (const T value : values) {
    names.emplace_back(name_of(value));
    if (names.back() == text) return value;
  }
  report_choice(section, key, text, names);
  return std::nullopt;
}

}  // namespace caliper
