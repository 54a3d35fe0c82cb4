// The joined parameter table of the whole simulator.
#pragma once

#include "base/parameters.hpp"

namespace caliper {

/// Rows of `gpu.*` (collectives), then `nvlink.*` and `net.*` (topology).
ParameterTable parameter_table();

}  // namespace caliper
