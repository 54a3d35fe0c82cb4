// Trees, whose workers wait for several edges at once: the engine against the meaning of programs, folded
// against plain, critical paths that add up.
#include <doctest/doctest.h>

#include "base/random.hpp"
#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/test_machine.hpp"
#include "engine/critical_path.hpp"
#include "engine/flow_run.hpp"
#include "engine/fold.hpp"
#include "tests/support/cells_machine.hpp"
#include "tests/support/event_by_event.hpp"

using namespace caliper;

namespace {

/// Nodes, GPUs, protocol, size, channels, window and numbers drawn from a seed.
struct DrawnTree {
  Program program;
  std::vector<double> values;
};

DrawnTree drawn_tree(std::uint64_t seed, const std::vector<Machine>& machines, const ParameterTable& table) {
  const auto draw = [&](std::uint64_t what, std::uint64_t below) { return hash64(seed, 21, what) % below; };
  const Machine& machine = machines[draw(0, machines.size())];
  const auto nodes = static_cast<std::uint32_t>(1 + draw(1, 16));
  const auto gpus = static_cast<std::uint32_t>(1 + draw(2, 4));
  const auto execution = derive_execution(machine, node_major(nodes, gpus), Collective::all_reduce,
                                          static_cast<PartitionFamily>(draw(3, 3)), 4,
                                          static_cast<std::uint32_t>(1 + draw(4, 8)), NicLayout::pxn,
                                          {Algorithm::tree, static_cast<Protocol>(draw(5, 3))});
  REQUIRE(execution);
  Plan plan = make_plan(*execution, 4 * draw(6, 1u << (4 + draw(7, 19))));
  plan.window = static_cast<std::uint32_t>(1 + draw(8, 8));
  std::vector<double> values = table.defaults();
  for (std::size_t p = 0; p < values.size(); ++p) values[p] *= 1 - 0.2 * unit_draw(seed, 22, p);
  return {lower(plan, machine, table), std::move(values)};
}

std::vector<Machine> all_machines() {
  std::vector<Machine> all;
  all.push_back(a100_machine(16));
  all.push_back(testing::cells_machine({"a[0-8]", "b[0-6]"}, 9));
  all.push_back(testing::cells_machine({"a[00-15]"}, 5));
  return all;
}

}  // namespace

TEST_CASE(
    "trees: the engine takes the time of the meaning of programs, folded or not, to its steady state or "
    "not") {
  const std::vector<Machine> machines = all_machines();
  const ParameterTable table = full_table();
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const DrawnTree tree = drawn_tree(seed, machines, table);
    const std::vector<double> numbers = tree.program.numbers(tree.values);
    const RunResult plain = run_flow_level(tree.program, numbers);
    REQUIRE(!plain.stuck);
    if (tree.program.operation_count() < 40'000)
      REQUIRE(plain.seconds == doctest::Approx(testing::event_by_event(tree.program, numbers)).epsilon(1e-9));
    const FoldedProgram folded{Program(tree.program)};
    const Folding& folding = folded.folding(numbers);
    const RunResult exact = FoldedProgram::run(folding, numbers, false);
    CHECK(exact.seconds == doctest::Approx(plain.seconds).epsilon(1e-12));
    CHECK(exact.operations == plain.operations);
    CHECK(exact.slices == plain.slices);
    CHECK(exact.bytes == plain.bytes);
    CHECK(FoldedProgram::run(folding, numbers, true).seconds == doctest::Approx(plain.seconds).epsilon(1e-9));
  }
}

TEST_CASE("trees: a critical path passes through the edge that was waited for and adds up bit for bit") {
  const std::vector<Machine> machines = all_machines();
  const ParameterTable table = full_table();
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const DrawnTree tree = drawn_tree(seed, machines, table);
    const std::vector<double> numbers = tree.program.numbers(tree.values);
    OperationTimes times;
    const RunResult run = run_flow_level(tree.program, numbers, &times);
    REQUIRE(run.seconds == run_flow_level(tree.program, numbers).seconds);
    const CriticalPath path = critical_path(tree.program, numbers, times);
    double sum = 0;
    bool follows = true;
    for (const PathPart& part : path.parts) {
      follows &= part.begin == sum;
      sum += part.seconds;
    }
    CHECK(follows);
    CHECK(sum == run.seconds);
  }
}
