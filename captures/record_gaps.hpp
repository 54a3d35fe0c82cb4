// What the lines of a communicator do not say.
#pragma once

#include "captures/execution_record.hpp"

namespace caliper {

/// Adds to communicator.gaps all that a simulation of it would need and no line says, with the rule that
/// fills it in, or "nothing".
void add_gaps(CapturedCommunicator& communicator, const ExecutionRecord& record);

}  // namespace caliper
