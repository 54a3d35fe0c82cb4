// [validate] of a scenario, and the declared split: which experiments are fitted, held out, out of scope.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/measured_section.hpp"
#include "scenarios/stage_section.hpp"

namespace caliper {

struct ValidateSection {
  std::uint32_t line;
  bool all;                           ///< everything in scope that no stage fits, beside the points
  std::vector<std::uint32_t> groups;  ///< of which everything in scope that no stage fits is held out
  std::vector<FitRule> points;        ///< held out; a stage that fits one of them is in error
};

ValidateSection read_validate(TomlSection& root, const GroupNames& groups);

/// Nothing, and problems in `file`, where a rule selects nothing or two contradict each other.
std::optional<Split> declare_split(TomlFile& file, const std::vector<GroupSection>& groups,
                                   const MeasuredGroups& measured, const std::vector<StageSection>& stages,
                                   const ValidateSection& validate);

}  // namespace caliper
