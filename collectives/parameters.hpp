// Rows that the collectives contribute to the parameter table.
#pragma once

#include <vector>

#include "base/parameters.hpp"

namespace caliper {

/// gpu.*: what a thread block costs.
std::vector<AuxiliaryParameter> collectives_parameters();
/// Rows of what is not Ring/Simple. They stand behind all others of a table, so that programs of Ring/Simple,
/// which name parameters by their row, stay what they were.
std::vector<AuxiliaryParameter> other_protocol_parameters();
/// What a captured or derived execution and a group of a scenario fix.
std::vector<DirectParameter> collectives_direct_parameters();

}  // namespace caliper
