// The meaning of a program, by the book: every step is an event, and all rates are solved again whenever a
// transfer starts or ends. Slow, and independent of how the engine gets its answer.
#pragma once

#include <span>

#include "engine/program.hpp"

namespace caliper::testing {

/// Completion time, s; NaN where the program is stuck.
double event_by_event(const Program& program, std::span<const double> numbers);

}  // namespace caliper::testing
