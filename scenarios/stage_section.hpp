// [parameters] and [[stage]] of a scenario: what is fixed, what is tuned, on which sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"
#include "scenarios/size_selection.hpp"
#include "scenarios/toml_section.hpp"

namespace caliper {

/// Sizes of one group that a stage fits or that are asked to be held out; not yet resolved to experiments.
struct FitRule {
  std::uint32_t group;
  SizeRule sizes;
  std::uint32_t line;
};

struct StageSection {
  ScenarioStage stage;
  std::vector<FitRule> fits;
  std::uint32_t line;  ///< of its `fit`
};

/// Names of groups, in order; for looking them up.
using GroupNames = std::vector<std::string>;

/// Index of a group; an unknown one is reported at `key`.
std::optional<std::uint32_t> find_group(TomlSection& section, std::string_view key, std::string_view name,
                                        const GroupNames& groups);
/// [{ group, sizes }, ...] at `key`. @param owner  for messages: "stage 'scale-up'"
std::vector<FitRule> read_fit_rules(TomlSection& section, std::string_view key, const std::string& owner,
                                    const GroupNames& groups);

/// [parameters."ID"]: auxiliary ones only, within their bounds.
std::vector<FixedParameter> read_fixed(TomlSection& root, const ParameterTable& table);

/// Problems: a parameter that is direct, unknown, fixed, or tuned twice; two stages of one name.
std::vector<StageSection> read_stages(TomlSection& root, const ParameterTable& table,
                                      std::span<const FixedParameter> fixed, const GroupNames& groups);

}  // namespace caliper
