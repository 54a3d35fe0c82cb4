// A run as a timeline for Perfetto or chrome://tracing.
#pragma once

#include <string>

#include "engine/run_result.hpp"

namespace caliper {

/// Trace Event Format (JSON): a process per rank, a thread per channel and role; one slice for the cost of an
/// operation and one for its transfer; times in us.
std::string chrome_trace(const Program& program, const OperationTimes& times);

}  // namespace caliper
