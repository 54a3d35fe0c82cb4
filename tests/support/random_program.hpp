// Programs that nobody would write: rings over random shared links, with unlike sizes, costs, windows and
// modes.
#pragma once

#include <cstdint>

#include "engine/program.hpp"

namespace caliper::testing {

/// Several rings of 2 to 10 workers, a job each: every worker passes slices on. Links are shared among all
/// rings, some edges have no route, some slices are empty, some workers hand their slices on to two receivers
/// in turn. Never stuck. Numbers are constants. `alike` rings of a seed are copies of one another.
Program random_program(std::uint64_t seed, std::uint32_t alike = 1);

}  // namespace caliper::testing
