// Rows that the machine contributes to the parameter table.
#pragma once

#include <vector>

#include "base/parameters.hpp"

namespace caliper {

/// nvlink.* and net.*; each row says where its default comes from.
std::vector<AuxiliaryParameter> topology_parameters();
/// What a system file and a placement state.
std::vector<DirectParameter> topology_direct_parameters();

}  // namespace caliper
