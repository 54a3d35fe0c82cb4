#include "scenarios/size_selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/units.hpp"

namespace caliper {
namespace {

constexpr std::string_view kForms =
    "\"all\", a range \"64 MiB .. 1 GiB\", a list [\"64 MiB\", \"1 GiB\"], { every = 2, from = 0 } or "
    "{ count = 10, spacing = \"log\" }";

std::optional<std::uint64_t> read_bytes(TomlSection& section, std::string_view key, const TomlValue& value) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (!text) {
    section.report(key, fmt::format("a size in '{}' is {}", key, kind_of(value)), "write it like \"64 MiB\"");
    return std::nullopt;
  }
  const auto bytes = parse_bytes(*text);
  if (bytes) return *bytes;
  for (const Error& error : bytes.problems()) section.report(key, error.what, error.hint);
  return std::nullopt;
}

std::optional<SizeRule> read_list(TomlSection& section, std::string_view key, const TomlArray& array) {
  std::vector<std::uint64_t> sizes;
  for (const TomlValue& element : array)
    if (const auto bytes = read_bytes(section, key, element)) sizes.push_back(*bytes);
  if (array.empty()) section.report(key, fmt::format("'{}' lists no size", key), std::string(kForms));
  if (array.empty() || sizes.size() != array.size()) return std::nullopt;
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::optional<SizeRule> read_every(TomlSection& rule) {
  const auto every = rule.count("every");
  std::optional<SizeRule> result;
  const TomlEntry* from = rule.value("from", Need::optional);
  if (from && std::holds_alternative<std::string>(from->value.content)) {
    const auto bytes = read_bytes(rule, "from", from->value);
    if (bytes && every) result = EverySize{*every, *bytes};
  } else {
    const auto index = rule.count("from", Need::optional, 0);
    if (every && (index || !from)) result = EverySize{*every, index.value_or(0)};
  }
  rule.finish();
  return result;
}

std::optional<SizeRule> read_count(TomlSection& rule) {
  constexpr std::array kSpacings = {Spacing::index, Spacing::log};
  const auto count = rule.count("count");
  std::optional<Spacing> spacing;
  if (const auto name = rule.text("spacing")) spacing = one_of<Spacing>(rule, "spacing", *name, kSpacings);
  rule.finish();
  if (!count || !spacing) return std::nullopt;
  return CountOfSizes{*count, *spacing};
}

std::optional<SizeRule> read_range(TomlSection& section, std::string_view key, const std::string& text) {
  const auto range = parse_size_range(text);
  if (range) return *range;
  for (const Error& error : range.problems()) section.report(key, error.what, error.hint);
  return std::nullopt;
}

std::vector<ExperimentId> select(const SizeRange& range, const Dataset& dataset,
                                 std::span<const ExperimentId> in_scope) {
  std::vector<ExperimentId> chosen;
  std::ranges::copy_if(in_scope, std::back_inserter(chosen),
                       [&](ExperimentId id) { return range.contains(dataset[id].bytes); });
  return chosen;
}

std::vector<ExperimentId> select(const EverySize& rule, const Dataset& dataset,
                                 std::span<const ExperimentId> in_scope) {
  std::size_t at = 0;
  if (const auto* bytes = std::get_if<std::uint64_t>(&rule.from)) {
    while (at < in_scope.size() && dataset[in_scope[at]].bytes < *bytes) ++at;
  } else {
    at = std::get<std::uint32_t>(rule.from);
  }
  std::vector<ExperimentId> chosen;
  for (; at < in_scope.size(); at += rule.every) chosen.push_back(in_scope[at]);
  return chosen;
}

Result<std::vector<ExperimentId>> select(const CountOfSizes& rule, const Dataset& dataset,
                                         std::span<const ExperimentId> in_scope) {
  if (rule.count > in_scope.size())
    return Error{"", fmt::format("asks for {} sizes of the {} in scope", rule.count, in_scope.size()),
                 "write \"all\", or a smaller count"};
  const std::size_t last = in_scope.size() - 1;
  const auto log_size = [&](std::size_t at) {
    return std::log2(static_cast<double>(dataset[in_scope[at]].bytes));
  };
  std::vector<ExperimentId> chosen;
  std::size_t at =
      0;  // nearest size to the wish, never one that is taken, never so far that too few are left
  for (std::size_t i = 0; i < rule.count; ++i) {
    const double share = rule.count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(rule.count - 1);
    const std::size_t limit = last - (rule.count - 1 - i);
    if (rule.spacing == Spacing::index) {
      at = std::clamp(static_cast<std::size_t>(std::llround(share * static_cast<double>(last))), at, limit);
    } else {
      const double wish = log_size(0) + share * (log_size(last) - log_size(0));
      while (at < limit && std::abs(log_size(at + 1) - wish) <= std::abs(log_size(at) - wish)) ++at;
    }
    chosen.push_back(in_scope[at++]);
  }
  return chosen;
}

Result<std::vector<ExperimentId>> select(const std::vector<std::uint64_t>& sizes, const Dataset& dataset,
                                         std::span<const ExperimentId> group) {
  std::vector<ExperimentId> chosen;
  Problems problems;
  for (const std::uint64_t bytes : sizes) {
    const auto found = std::ranges::find(group, bytes, [&](ExperimentId id) { return dataset[id].bytes; });
    if (found != group.end())
      chosen.push_back(*found);
    else
      problems.push_back({"", fmt::format("{} was not measured", format_bytes(bytes)),
                          "list measured sizes, or use a rule"});
  }
  if (!problems.empty()) return problems;
  return chosen;
}

}  // namespace

std::string_view name_of(Spacing spacing) { return spacing == Spacing::index ? "index" : "log"; }

std::optional<SizeRule> read_size_rule(TomlSection& section, std::string_view key) {
  const TomlEntry* entry = section.value(key);
  if (!entry) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&entry->value.content))
    return read_range(section, key, *text);
  if (const auto* array = std::get_if<TomlArray>(&entry->value.content))
    return read_list(section, key, *array);
  if (auto rule =
          std::holds_alternative<TomlTable>(entry->value.content) ? section.table(key) : std::nullopt) {
    rule->rename(fmt::format("'{}' of {}", key, section.name()));
    if (rule->value("every", Need::optional)) return read_every(*rule);
    if (rule->value("count", Need::optional)) return read_count(*rule);
    section.report(key, fmt::format("'{}' has neither 'every' nor 'count'", key), std::string(kForms));
    return std::nullopt;
  }
  section.report_kind(*entry, kForms);
  return std::nullopt;
}

Result<std::vector<ExperimentId>> select_sizes(const SizeRule& rule, const Dataset& dataset,
                                               std::span<const ExperimentId> group,
                                               std::span<const ExperimentId> in_scope) {
  if (const auto* range = std::get_if<SizeRange>(&rule)) return select(*range, dataset, in_scope);
  if (const auto* every = std::get_if<EverySize>(&rule)) return select(*every, dataset, in_scope);
  if (const auto* count = std::get_if<CountOfSizes>(&rule)) return select(*count, dataset, in_scope);
  return select(std::get<std::vector<std::uint64_t>>(rule), dataset, group);
}

}  // namespace caliper
