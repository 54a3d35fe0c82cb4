// Which experiments are fitted, which are held out, which are outside the declared scope: disjoint, declared
// before any fit, hashed into the manifest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "calibration/dataset.hpp"

namespace caliper {

enum class Set : std::uint8_t { calibration, validation, out_of_scope };
std::string_view name_of(Set set);  ///< "cal", "val", "out_of_scope"

/// The experiments of one group that one stage fits.
struct FitGroup {
  std::uint32_t group;
  std::vector<ExperimentId> experiments;  ///< ascending, not empty
};

/// All experiments of the fits, in their order: the order of residuals everywhere.
std::vector<ExperimentId> experiments_of(std::span<const FitGroup> fits);

/// What a scenario declares, resolved to experiments.
struct SplitRules {
  std::vector<std::string> stage_names;
  std::vector<std::vector<FitGroup>> stage_fits;  ///< [stage]
  std::vector<ExperimentId> validated;  ///< explicitly asked for; empty: all in scope that no stage fits
  std::vector<std::string> out_of_scope_reason;  ///< [experiment], empty text: in scope
};

struct Split {
  std::vector<Set> set;                           ///< [experiment]
  std::vector<std::string> out_of_scope_reason;   ///< [experiment], not empty where out of scope
  std::vector<std::vector<FitGroup>> stage_fits;  ///< [stage]

  std::vector<ExperimentId> members(Set which) const;
  /// Of every (group name, size, set) and nothing else: two splits that treat each experiment alike hash
  /// alike, whatever the order of their groups.
  std::string hash(const Dataset& dataset) const;
};

/// Out of scope wins over a wish to validate (whole groups are asked for, parts of them may be out of scope);
/// where validation is asked for explicitly, what nobody asked for is out of scope and its reason says so.
/// Problems: a stage that fits nothing, a group named twice by one stage, a size both fitted and asked to be
/// held out, a size fitted that is out of scope.
Result<Split> make_split(const Dataset& dataset, const SplitRules& rules);

}  // namespace caliper
