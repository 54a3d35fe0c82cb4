// A program run at flow level: transfers are fluid, links are shared max-min fairly, time is a double in
// seconds.
#pragma once

#include <span>

#include "engine/run_result.hpp"

namespace caliper {

/// @param numbers  Program::numbers() of a parameter set; costs >= 0, capacities and rate caps > 0
/// @param times    filled when not null
/// Cost: O((operations + transfers) log pending), plus sharing within the components that a start or an end
/// touches. Nothing is allocated in the event loop. Events of one time are handled in the order of their
/// keys, rates are solved once behind them; no comparison has a tolerance, so equal input gives equal bits.
RunResult run_flow_level(const Program& program, std::span<const double> numbers,
                         OperationTimes* times = nullptr);

}  // namespace caliper
