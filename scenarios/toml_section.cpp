#include "scenarios/toml_section.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

std::string in_words(double value, Dimension dimension) { return format_quantity(value, dimension, 6); }

/// "between 1 and 60", "at least 1", "at most 60"
std::string in_words(Bounds bounds, Dimension dimension) {
  if (std::isinf(bounds.upper)) return fmt::format("at least {}", in_words(bounds.lower, dimension));
  if (std::isinf(bounds.lower)) return fmt::format("at most {}", in_words(bounds.upper, dimension));
  return fmt::format("between {} and {}", in_words(bounds.lower, dimension),
                     in_words(bounds.upper, dimension));
}

}  // namespace

std::string TomlFile::at(std::uint32_t line) const { return fmt::format("{}:{}", name, line); }

void TomlFile::report(std::uint32_t line, std::string what, std::string hint) {
  Error error{at(line), std::move(what), std::move(hint)};
  // A default that is wrong is read once per group that it serves, and reported once.
  const auto same = [&](const Error& other) {
    return other.where == error.where && other.what == error.what;
  };
  if (std::ranges::none_of(problems, same)) problems.push_back(std::move(error));
}

void TomlFile::report(std::uint32_t line, Problems found) {
  for (Error& error : found) {
    if (error.where.empty())
      report(line, std::move(error.what), std::move(error.hint));
    else
      problems.push_back(std::move(error));
  }
}

std::optional<double> as_number(const TomlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.content)) return *number;
  return std::nullopt;
}

void report_choice(TomlSection& section, std::string_view key, std::string_view text,
                   std::span<const std::string> names) {
  section.report(key, fmt::format("'{}' is '{}'", key, text),
                 fmt::format("one of: {}", fmt::join(names, ", ")));
}

TomlSection::TomlSection(TomlFile& file, const TomlTable& table, std::string name, std::uint32_t line)
    : file_(&file), table_(&table), name_(std::move(name)), line_(line) {}

const TomlEntry* TomlSection::find(std::string_view key) const {
  const auto found = std::ranges::find(*table_, key, &TomlEntry::key);
  if (found != table_->end()) return &*found;
  return defaults_ ? defaults_->find(key) : nullptr;
}

const TomlEntry* TomlSection::take(std::string_view key, Need need) {
  asked_.emplace(key);
  if (defaults_) defaults_->asked_.emplace(key);
  const TomlEntry* entry = find(key);
  if (!entry && need == Need::required)
    file_->report(line_, fmt::format("'{}' is missing in {}", key, name_),
                  fmt::format("add a line '{} = ...'", key));
  return entry;
}

const std::string& TomlSection::name_at(std::string_view key) const {
  const bool own = std::ranges::find(*table_, key, &TomlEntry::key) != table_->end();
  return !own && defaults_ && defaults_->find(key) ? defaults_->name_ : name_;
}

std::uint32_t TomlSection::line_of(std::string_view key) const {
  const TomlEntry* entry = find(key);
  return entry ? entry->line : line_;
}

void TomlSection::report(std::string_view key, std::string what, std::string hint) {
  file_->report(line_of(key), std::move(what), std::move(hint));
}

void TomlSection::report_kind(const TomlEntry& entry, std::string_view wanted) {
  file_->report(entry.line,
                fmt::format("'{}' in {} is {}", entry.key, name_at(entry.key), kind_of(entry.value)),
                fmt::format("it has to be {}", wanted));
}

const TomlEntry* TomlSection::value(std::string_view key, Need need) { return take(key, need); }

std::optional<std::string> TomlSection::text(std::string_view key, Need need) {
  const TomlEntry* entry = take(key, need);
  if (!entry) return std::nullopt;
  const auto* text = std::get_if<std::string>(&entry->value.content);
  if (!text) {
    report_kind(*entry, "a string in quotes");
    return std::nullopt;
  }
  if (trim(*text).empty()) {
    report(key, fmt::format("'{}' in {} is empty", key, name_at(key)),
           "write something, or leave the line out");
    return std::nullopt;
  }
  return *text;
}

std::optional<std::uint32_t> TomlSection::count(std::string_view key, Need need, std::uint32_t lower,
                                                std::uint32_t upper) {
  const TomlEntry* entry = take(key, need);
  if (!entry) return std::nullopt;
  const auto* integer = std::get_if<std::int64_t>(&entry->value.content);
  if (!integer) {
    report_kind(*entry, "a whole number");
    return std::nullopt;
  }
  if (*integer < lower || *integer > upper) {
    report(key, fmt::format("'{}' in {} is {}", key, name_at(key), *integer),
           fmt::format("it has to be between {} and {}", lower, upper));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*integer);
}

std::optional<double> TomlSection::number(std::string_view key, Need need, Bounds bounds) {
  const TomlEntry* entry = take(key, need);
  if (!entry) return std::nullopt;
  const auto number = as_number(entry->value);
  if (!number) {
    report_kind(*entry, "a plain number such as 0.98");
    return std::nullopt;
  }
  if (!std::isfinite(*number) || *number < bounds.lower || *number > bounds.upper) {
    report(key, fmt::format("'{}' in {} is {}", key, name_at(key), *number),
           std::isfinite(*number) ? fmt::format("it has to be {}", in_words(bounds, Dimension::number))
                                  : "it has to be finite");
    return std::nullopt;
  }
  return number;
}

std::optional<double> TomlSection::quantity(std::string_view key, Dimension dimension, Need need,
                                            Bounds bounds) {
  if (dimension == Dimension::number) return number(key, need, bounds);
  const TomlEntry* entry = take(key, need);
  if (!entry) return std::nullopt;
  const auto* text = std::get_if<std::string>(&entry->value.content);
  if (!text) {
    constexpr std::string_view kExample[] = {"\"1.2 us\"", "\"512 MiB\"", "\"25 GB/s\" or \"200 Gbit/s\""};
    report_kind(*entry,
                fmt::format("a quantity with its unit such as {}", kExample[static_cast<int>(dimension)]));
    return std::nullopt;
  }
  const auto parsed = parse_quantity(*text, dimension);
  if (!parsed) {
    for (const Error& error : parsed.problems())
      report(key, fmt::format("'{}' in {}: {}", key, name_at(key), error.what), error.hint);
    return std::nullopt;
  }
  if (!(*parsed >= bounds.lower && *parsed <= bounds.upper)) {
    report(key, fmt::format("'{}' in {} is {}", key, name_at(key), *text),
           fmt::format("it has to be {}", in_words(bounds, dimension)));
    return std::nullopt;
  }
  return *parsed;
}

std::vector<std::string> TomlSection::texts(std::string_view key, Need need) {
  const TomlEntry* entry = take(key, need);
  if (!entry) return {};
  std::vector<std::string> texts;
  if (const auto* array = std::get_if<TomlArray>(&entry->value.content))
    for (const TomlValue& element : *array)
      if (const auto* text = std::get_if<std::string>(&element.content)) texts.push_back(*text);
  const auto* array = std::get_if<TomlArray>(&entry->value.content);
  if (!array || array->empty() || texts.size() != array->size()) {
    report(key, fmt::format("'{}' in {} is no list of strings", key, name_at(key)),
           fmt::format("write {} = [\"...\", \"...\"]", key));
    return {};
  }
  return texts;
}

std::vector<std::uint32_t> TomlSection::counts(std::string_view key, Need need) {
  const TomlEntry* entry = take(key, need);
  if (!entry) return {};
  std::vector<std::uint32_t> numbers;
  const auto* array = std::get_if<TomlArray>(&entry->value.content);
  if (array)
    for (const TomlValue& element : *array)
      if (const auto* integer = std::get_if<std::int64_t>(&element.content))
        if (*integer >= 0 && *integer <= 1'000'000'000)
          numbers.push_back(static_cast<std::uint32_t>(*integer));
  if (!array || array->empty() || numbers.size() != array->size()) {
    report(key, fmt::format("'{}' in {} is no list of whole numbers from 0", key, name_at(key)),
           fmt::format("write {} = [0, 1, ...]", key));
    return {};
  }
  return numbers;
}

std::optional<TomlSection> TomlSection::table(std::string_view key, Need need) {
  const TomlEntry* entry = take(key, need);
  if (!entry) return std::nullopt;
  const auto* table = std::get_if<TomlTable>(&entry->value.content);
  if (!table) {
    report_kind(*entry, fmt::format("a table, [{}]", key));
    return std::nullopt;
  }
  return TomlSection(*file_, *table, fmt::format("[{}]", key), entry->line);
}

std::vector<TomlSection> TomlSection::tables(std::string_view key) {
  const TomlEntry* entry = take(key, Need::optional);
  if (!entry) return {};
  const auto* array = std::get_if<TomlArray>(&entry->value.content);
  if (!array) {
    report_kind(*entry, fmt::format("one table or several, each headed [[{}]]", key));
    return {};
  }
  std::vector<TomlSection> sections;
  for (const TomlValue& element : *array) {
    if (const auto* table = std::get_if<TomlTable>(&element.content))
      sections.emplace_back(*file_, *table, fmt::format("[[{}]]", key), element.line);
    else
      file_->report(element.line, fmt::format("an element of '{}' in {} is {}", key, name_, kind_of(element)),
                    "it has to be a table");
  }
  return sections;
}

std::vector<TomlSection::Named> TomlSection::named_tables(std::string_view key) {
  auto outer = table(key, Need::optional);
  if (!outer) return {};
  std::vector<Named> sections;
  for (const TomlEntry& entry : *outer->table_) {
    if (const auto* inner = std::get_if<TomlTable>(&entry.value.content))
      sections.push_back(
          {entry.key, TomlSection(*file_, *inner, fmt::format("[{}.{}]", key, entry.key), entry.line)});
    else
      outer->report_kind(entry, fmt::format("a table, [{}.NAME]", key));
  }
  return sections;
}

void TomlSection::finish() {
  const std::vector<std::string> known(asked_.begin(), asked_.end());
  for (const TomlEntry& entry : *table_)
    if (!asked_.contains(entry.key))
      file_->report(entry.line, fmt::format("unknown key '{}' in {}", entry.key, name_),
                    suggestion(entry.key, known));
}

}  // namespace caliper
