// Programs that nobody would write: rings over random shared links, with unlike sizes, costs, windows and
// modes.
#pragma once

#include <cstdint>

#include "engine/program.hpp"

namespace caliper::testing {

/// Several rings of 2 to 10 workers, a job each: every worker passes slices on. Links are shared among all
/// rings, some edges have no route, some slices are empty, and a relay hands what it holds to two receivers
/// in turn. Never stuck. Numbers are constants. `alike` rings of a seed are copies of one another. Each slice
/// that is not empty grows with `along` at a pace of its own: programs of a seed lie on a line.
Program random_program(std::uint64_t seed, std::uint32_t alike = 1, std::uint64_t along = 0);

}  // namespace caliper::testing
