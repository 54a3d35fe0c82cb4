// A program run at flow level: transfers are fluid, links are shared max-min fairly, time is a double in
// seconds.
#pragma once

#include <span>

#include "engine/run_result.hpp"

namespace caliper {

/// @param numbers  Program::numbers() of a parameter set; costs >= 0, capacities and rate caps > 0
/// @param times    filled when not null, which allocates while it runs
///
/// What waits for known times only is computed as soon as those are known, ahead of the clock: begin = max of
/// when the worker, the slice and the credit are there. Events exist for transfers alone whose rate depends
/// on others: their start and their end. Rates are solved once for each distinct time, behind all that
/// happens at it; no comparison has a tolerance, so equal input gives equal bits. Cost: O(operations + shared
/// transfers * log pending). Nothing is allocated once the run has begun.
RunResult run_flow_level(const Program& program, std::span<const double> numbers,
                         OperationTimes* times = nullptr);

/// The same, but what repeats itself in long loops is computed once and then skipped (steady_state.hpp): the
/// completion time is that of run_flow_level() to 1e-9. Costs nothing where no loop is long.
RunResult run_to_steady_state(const Program& program, std::span<const double> numbers);

}  // namespace caliper
