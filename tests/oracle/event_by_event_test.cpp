// The engine against the meaning of programs, event by event.
#include "tests/support/event_by_event.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "engine/flow_run.hpp"
#include "engine/fold.hpp"
#include "tests/support/random_program.hpp"

using namespace caliper;

TEST_CASE("event by event: random programs take the same time") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Program program = testing::random_program(seed);
    const std::vector<double> numbers = program.numbers({});
    const RunResult run = run_flow_level(program, numbers);
    CAPTURE(seed);
    REQUIRE(!run.stuck);
    REQUIRE(run.seconds == doctest::Approx(testing::event_by_event(program, numbers)).epsilon(1e-9));
  }
}

TEST_CASE("event by event: copies of rings are folded and take the same time") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t alike = 2 + seed % 4;
    const FoldedProgram program(testing::random_program(seed, alike));
    const std::vector<double> numbers = program.whole().numbers({});
    CAPTURE(seed);
    CHECK(program.folding(numbers).program.workers.size() <= program.whole().workers.size() / alike);
    const RunResult plain = run_flow_level(program.whole(), numbers);
    REQUIRE(!plain.stuck);
    REQUIRE(program.run({}).seconds == doctest::Approx(plain.seconds).epsilon(1e-12));
    REQUIRE(plain.seconds ==
            doctest::Approx(testing::event_by_event(program.whole(), numbers)).epsilon(1e-9));
  }
}
