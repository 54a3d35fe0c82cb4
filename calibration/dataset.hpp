// What was measured: groups of experiments that differ in nothing but their size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace caliper {

/// Row of Dataset::experiments.
struct ExperimentId {
  std::uint32_t index;
  auto operator<=>(const ExperimentId&) const = default;
};

/// One experiment x and its observation y(x).
struct Experiment {
  std::uint32_t group;          ///< row of Dataset::groups
  std::uint64_t bytes;          ///< message size in nccl-tests' convention (full buffer), as measured
  double seconds;               ///< pooled completion time
  std::vector<double> repeats;  ///< each repeat that was pooled, s, in the order of the files
};

/// Everything that is the same for all sizes of a group. Text is for people; the simulator has its own
/// description.
struct ExperimentGroup {
  std::string name;
  std::string collective;  ///< "all_reduce"
  std::uint32_t ranks;
  std::string placement;
  double noise;  ///< relative disagreement of repeats (validation/noise.hpp); NaN where no size has two
  std::string data_type = {};  ///< "float32"; empty where it is not known
};

/// Experiments stand sorted by group, then size; no size twice in a group.
struct Dataset {
  std::vector<ExperimentGroup> groups;
  std::vector<Experiment> experiments;

  const Experiment& operator[](ExperimentId id) const { return experiments[id.index]; }
  std::vector<ExperimentId> of_group(std::uint32_t group) const;
  /// The same as rows, by size.
  std::span<const Experiment> members(std::uint32_t group) const;
};

}  // namespace caliper
