// A baseline that knows nothing of networks: read the time of a size off the nearest fitted sizes of the same
// group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace caliper {

struct SizedTime {
  std::uint64_t bytes;  ///< > 0
  double seconds;       ///< finite and > 0
};

/// Between two fitted sizes a straight line of log time over log size, on which every power law lies; outside
/// of them the bandwidth of the nearest fitted size. Applies to groups that have fitted sizes, and says
/// nothing of other collectives, scales or placements: where it is nearer, the size was not hard to predict.
/// @param fitted  of one group, ascending, no size twice; nothing where there is none, or for 0 bytes
std::optional<double> nearest_size_time(std::span<const SizedTime> fitted, std::uint64_t bytes);

}  // namespace caliper
