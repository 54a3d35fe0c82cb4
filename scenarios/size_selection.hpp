// Rules that choose sizes of a group: what a stage fits, what is asked to be held out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "calibration/dataset.hpp"
#include "scenarios/size_range.hpp"
#include "scenarios/toml_section.hpp"

namespace caliper {

/// { every = 2, from = 1 } or { every = 2, from = "64 MiB" }: of the sizes in scope, ascending, the one at
/// index `from` (or the first that is not below the size), and each `every`-th after it.
struct EverySize {
  std::uint32_t every;
  std::variant<std::uint32_t, std::uint64_t> from;  ///< index, or bytes
};

/// { count = 389, spacing = "index" | "log" }: so many of the sizes in scope, first and last among them,
/// spaced evenly by their position, or as evenly as they allow by the logarithm of their size.
enum class Spacing : std::uint8_t { index, log };
std::string_view name_of(Spacing spacing);
struct CountOfSizes {
  std::uint32_t count;
  Spacing spacing;
};

/// A range takes the sizes in scope that lie in it; a list takes exactly its sizes, in scope or not.
using SizeRule = std::variant<SizeRange, EverySize, CountOfSizes, std::vector<std::uint64_t>>;

/// The rule at `key`; what is wrong with it is reported there.
std::optional<SizeRule> read_size_rule(TomlSection& section, std::string_view key);

/// Ascending, each once.
/// @param group     all experiments of one group, by size
/// @param in_scope  those of them that are in scope
/// Problems (without a place): a listed size that was not measured, a count of more sizes than there are.
Result<std::vector<ExperimentId>> select_sizes(const SizeRule& rule, const Dataset& dataset,
                                               std::span<const ExperimentId> group,
                                               std::span<const ExperimentId> in_scope);

}  // namespace caliper
