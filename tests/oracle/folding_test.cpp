// Plans folded: how many classes real placements leave, and that a folded run is the plain one.
#include <doctest/doctest.h>

#include "base/random.hpp"
#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/test_machine.hpp"
#include "engine/flow_run.hpp"
#include "engine/flow_setup.hpp"
#include "engine/fold.hpp"
#include "tests/support/cells_machine.hpp"
#include "tests/support/event_by_event.hpp"

using namespace caliper;
using caliper::testing::cells_machine;

namespace {

Program all_reduce(const Machine& machine, std::uint32_t nodes, std::uint32_t channels, std::uint64_t bytes) {
  const auto execution = derive_execution(machine, node_major(nodes, 4), Collective::all_reduce,
                                          PartitionFamily::c, 4, channels, NicLayout::oracle);
  REQUIRE(execution);
  return lower(make_plan(*execution, bytes), machine, full_table());
}

struct Classes {
  std::size_t blocks = 0, proxies = 0;
};

Classes classes_of(const Program& program) {
  const auto numbers = program.numbers(full_table().defaults());
  const Folding folding = fold(program, links_that_can_fill(program, numbers));
  Classes classes;
  std::uint64_t members = 0;
  for (const ProgramWorker& worker : folding.program.workers) {
    ++(folding.program.roles[worker.role] == "proxy" ? classes.proxies : classes.blocks);
    members += worker.stands_for;
  }
  CHECK(members == program.workers.size());
  return classes;
}

void check_folded_is_plain(const Program& program, ParameterView parameters) {
  const auto numbers = program.numbers(parameters);
  const RunResult plain = run_flow_level(program, numbers);
  const RunResult folded = FoldedProgram(program).run(parameters);
  REQUIRE(!plain.stuck);
  REQUIRE(!folded.stuck);
  CHECK(folded.seconds == doctest::Approx(plain.seconds).epsilon(1e-12));
  CHECK(plain.seconds == doctest::Approx(testing::event_by_event(program, numbers)).epsilon(1e-9));
  CHECK(folded.operations == plain.operations);
  CHECK(folded.slices == plain.slices);
  CHECK(folded.bytes == plain.bytes);
}

}  // namespace

TEST_CASE(
    "folding: 512 blocks of 64 GPUs and 8 channels leave as many classes as the placement is irregular") {
  const std::uint64_t bytes = 64u << 20;  // equal chunks
  // One leaf: a ring enters a node, passes two GPUs, leaves it.
  CHECK(classes_of(all_reduce(a100_machine(16), 16, 8, bytes)).blocks == 4);
  // Two cells of 8: each node by its distance from the boundary, both cells alike.
  CHECK(classes_of(all_reduce(cells_machine({"a[0-7]", "b[0-7]"}, 8), 16, 8, bytes)).blocks == 32);
  // 9 + 7: nothing is alike but the channels.
  CHECK(classes_of(all_reduce(cells_machine({"a[0-8]", "b[0-6]"}, 9), 16, 8, bytes)).blocks == 64);
  // One cell over leaves of 5, 5, 5 and 1 nodes.
  CHECK(classes_of(all_reduce(cells_machine({"a[00-15]"}, 5), 16, 8, bytes)).blocks == 64);
}

TEST_CASE("folding: where chunks are unequal, ring positions are too, and still channels are alike") {
  // Each position meets the short last chunk at a step of its own. All channels but the last are cut alike.
  const Classes classes = classes_of(all_reduce(a100_machine(16), 16, 8, 100'000'000));
  CHECK(classes.blocks >= 64);
  CHECK(classes.blocks < 512);
}

TEST_CASE(
    "folding: folded is plain for all placements, sizes, channel counts and numbers, degraded links too") {
  const ParameterTable table = full_table();
  std::size_t folds = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto draw = [&](std::uint64_t what, std::uint64_t below) { return hash64(seed, 7, what) % below; };
    const std::uint32_t nodes = static_cast<std::uint32_t>(1 + draw(0, 9));
    // A random number of them in the first cell, leaves of 1 to 5 nodes.
    const auto first = static_cast<std::uint32_t>(1 + draw(1, nodes));
    std::vector<std::string> groups{fmt::format("a[0-{}]", first - 1)};
    if (first < nodes) groups.push_back(fmt::format("b[0-{}]", nodes - first - 1));
    const Machine machine = cells_machine(groups, static_cast<std::uint32_t>(1 + draw(2, 5)));
    const auto collective = static_cast<Collective>(draw(3, 3));
    const auto layout = static_cast<NicLayout>(draw(4, 3));
    const auto channels = static_cast<std::uint32_t>(1 + draw(5, 12));
    const auto execution = derive_execution(machine, node_major(nodes, 4), collective,
                                            static_cast<PartitionFamily>(draw(6, 3)), 4, channels, layout);
    REQUIRE(execution);
    const std::uint64_t unit = 16u * nodes;
    const std::uint64_t bytes = draw(7, 2) ? unit * (1 + draw(8, 1u << 18)) : unit << draw(8, 19);
    Program program = lower(make_plan(*execution, bytes), machine, table);
    std::vector<double> values = table.defaults();
    for (const char* id : {"net.efficiency", "net.duplex", "nvlink.efficiency"})
      values[table.index_of(id)] = 0.6 + 0.4 * unit_draw(seed, 8, table.index_of(id));
    values[table.index_of("gpu.reduce_cost")] = 1 + unit_draw(seed, 8, 99);
    if (draw(9, 3) == 0) {  // one link slower: its capacity is a number of its own
      ProgramLink& link = program.links[draw(10, program.links.size())];
      program.expressions.push_back(0.5 * program.expressions[link.capacity.v]);
      link.capacity = {static_cast<std::uint32_t>(program.expressions.size() - 1)};
    }
    CAPTURE(seed);
    check_folded_is_plain(program, values);
    folds += FoldedProgram(program).folding(program.numbers(values)).program.workers.size() <
             program.workers.size();
  }
  CHECK(folds > 30);
}

TEST_CASE(
    "folding: 65,536 GPUs on one leaf, 8 channels: as few classes as on 64, and the closed form's pace") {
  const std::uint32_t nodes = 16384;
  const Machine machine = cells_machine({"u[00000-16383]"}, nodes);
  const Program program = all_reduce(machine, nodes, 8, std::uint64_t{64} << 30);
  const ParameterTable table = full_table();
  const auto numbers = program.numbers(table.defaults());
  const FoldedProgram folded(program);
  const Folding& folding = folded.folding(numbers);
  CHECK(folding.program.workers.size() == 5);
  const RunResult whole = FoldedProgram::run(folding, numbers);
  const RunResult steady = FoldedProgram::run(folding, numbers, true);
  CHECK(whole.operations == program.operation_count());
  CHECK(whole.bytes > 0);
  CHECK(steady.seconds == doctest::Approx(whole.seconds).epsilon(1e-9));
  CHECK(steady.skipped > 0);
}
