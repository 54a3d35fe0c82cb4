// Rows that the collectives contribute to the parameter table.
#pragma once

#include <vector>

#include "base/parameters.hpp"

namespace caliper {

/// gpu.*: what a thread block costs.
std::vector<AuxiliaryParameter> collectives_parameters();
/// What a captured or derived execution and a group of a scenario fix.
std::vector<DirectParameter> collectives_direct_parameters();

}  // namespace caliper
