// The measured files of groups: read, held against what the scenario says of the group, pooled to
// experiments.
#pragma once

#include <vector>

#include "calibration/dataset.hpp"
#include "scenarios/group_section.hpp"
#include "scenarios/input_files.hpp"

namespace caliper {

struct MeasuredGroups {
  Dataset
      dataset;  ///< its groups are those given, in order; a group that was not measured has no experiments
  std::vector<bool> complete;  ///< [group], false where a file could not be read: its sizes say nothing
  std::vector<SkippedRow> skipped;
};

/// Completes a group's NCCL version from its files where the scenario states none. Problems go to `file`: a
/// missing file, one that holds no table or several of which it is not clear which is meant, facts that
/// contradict the group, sizes in scope without a plan.
MeasuredGroups read_measured(TomlFile& file, std::vector<GroupSection>& groups,
                             const std::vector<Placement>& placements, InputFiles& inputs);

}  // namespace caliper
