// Checks of an execution, wherever it comes from.
#pragma once

#include "base/error.hpp"
#include "collectives/execution.hpp"

namespace caliper {

/// check_rings or check_trees, as the algorithm asks; that the algorithm knows the collective.
Problems check_channels(const Execution& execution);

/// check_channels, and that nodes and GPUs exist in the machine, ranks of a node talk over NVLinks and each
/// crossing uses the NICs local to its GPUs.
Problems check_execution(const Machine& machine, const Execution& execution);

}  // namespace caliper
