// The joined parameter table of the whole simulator.
#pragma once

#include "base/parameters.hpp"

namespace caliper {

/// Rows of `gpu.*` (collectives), then `nvlink.*` and `net.*` (topology).
/// @param beyond_ring_simple  with the rows on which trees, LL and LL128 depend; without a plan of these
/// nothing
///                            does, and neither results nor baselines list them
ParameterTable parameter_table(bool beyond_ring_simple);

}  // namespace caliper
