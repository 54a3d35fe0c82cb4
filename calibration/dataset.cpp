#include "calibration/dataset.hpp"

#include <algorithm>

namespace caliper {

std::vector<ExperimentId> Dataset::of_group(std::uint32_t group) const {
  const auto members = std::ranges::equal_range(experiments, group, {}, &Experiment::group);
  std::vector<ExperimentId> ids;
  for (auto it = members.begin(); it != members.end(); ++it)
    ids.push_back({static_cast<std::uint32_t>(it - experiments.begin())});
  return ids;
}

}  // namespace caliper
