// From timed cells to experiments: the repeats of one size become one completion time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "calibration/dataset.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

/// Which repeats count and what becomes of them. `in_place` and `out_of_place` take the cells of that kind
/// and, where several runs give several, their median.
enum class Pool : std::uint8_t { min, median, mean, in_place, out_of_place };

std::string_view name_of(Pool pool);
/// Names as above. Problem (its `where` is empty): another name.
Result<Pool> parse_pool(std::string_view name);

struct Pooled {
  std::vector<Experiment> experiments;  ///< by size; repeats in order of logs and lines
  std::vector<std::uint64_t> left_out;  ///< sizes that were measured, but not in the kind that was asked for
};

/// Pools the measurements of one group, of however many files.
/// @param group  becomes Experiment::group
Pooled pool_measurements(std::span<const MeasurementLog> logs, Pool pool, std::uint32_t group);

}  // namespace caliper
