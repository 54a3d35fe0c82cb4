#include "calibration/dataset.hpp"

#include <algorithm>

namespace caliper {

std::span<const Experiment> Dataset::members(std::uint32_t group) const {
  const auto found = std::ranges::equal_range(experiments, group, {}, &Experiment::group);
  return {found.begin(), found.end()};
}

std::vector<ExperimentId> Dataset::of_group(std::uint32_t group) const {
  std::vector<ExperimentId> ids;
  for (const Experiment& experiment : members(group))
    ids.push_back({static_cast<std::uint32_t>(&experiment - experiments.data())});
  return ids;
}

}  // namespace caliper
