// Curves against every size: no segment is accepted that is not straight.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/random.hpp"
#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/plan_line.hpp"
#include "collectives/test_machine.hpp"
#include "engine/flow_run.hpp"
#include "engine/fold.hpp"
#include "tests/support/compare_curve.hpp"
#include "tests/support/random_program.hpp"

using namespace caliper;

using testing::compare_curve;
using testing::ComparedCurves;

TEST_CASE("curves: asymmetric rings that share links: unlike sizes, costs, windows and modes, several jobs") {
  ComparedCurves total;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::uint64_t start = hash64(seed, 9, 0) % 200;
    std::vector<double> x;
    for (std::uint64_t i = 0; i < 120; ++i) x.push_back(static_cast<double>(start + i));
    compare_curve(
        x,
        [&](std::size_t i) {
          const Program program = testing::random_program(seed, 1, start + i);
          return run_flow_level(program, program.numbers({}));
        },
        total);
  }
  MESSAGE(fmt::format("{} of {} points computed, {} wrong", total.computed, total.points, total.wrong));
  CHECK(total.wrong == 0);
  CHECK(total.computed < total.points);
}

TEST_CASE("curves: plans on their lines, up to four channels a NIC, random numbers") {
  const ParameterTable table = full_table();
  const Machine machine = a100_machine(4);
  ComparedCurves total;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto draw = [&](std::uint64_t what, std::uint64_t below) { return hash64(seed, 10, what) % below; };
    const auto channels = static_cast<std::uint32_t>(1 + draw(0, 16));
    const auto execution =
        derive_execution(machine, node_major(4, 4), static_cast<Collective>(draw(1, 3)), PartitionFamily::c,
                         4, channels, static_cast<NicLayout>(draw(2, 3)));
    REQUIRE(execution);
    std::vector<Plan> plans;
    for (std::uint64_t i = 1; i <= 100; ++i)
      plans.push_back(make_plan(*execution, i * (65536u << draw(3, 4))));
    std::vector<double> values = table.defaults();
    for (ParameterIndex p = 0; p < table.size(); ++p)
      values[p] = table[p].lower + (table[p].upper - table[p].lower) * unit_draw(seed, 11, p) * 0.3;
    for (const auto& [first, last] : lines_of(plans)) {
      if (last - first < 8) continue;
      std::vector<double> x;
      for (std::size_t i = first; i <= last; ++i) x.push_back(static_cast<double>(plans[i].bytes));
      compare_curve(
          x,
          [&, first = first](std::size_t i) {
            return FoldedProgram(lower(plans[first + i], machine, table)).run(values);
          },
          total);
    }
  }
  MESSAGE(fmt::format("{} of {} points computed, {} wrong", total.computed, total.points, total.wrong));
  CHECK(total.wrong == 0);
  CHECK(total.points > 500);
  CHECK(total.computed < total.points);
}
