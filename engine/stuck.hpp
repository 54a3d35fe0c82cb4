// Who waits for whom where a run ended before its program did.
#pragma once

#include <span>

#include "engine/flow_state.hpp"
#include "engine/run_result.hpp"

namespace caliper {

/// @param seconds  simulated time at which nothing was left to happen
StuckReport explain_stuck(const Program& program, std::span<const WorkerRun> workers,
                          std::span<const EdgeRun> edges, double seconds);

}  // namespace caliper
