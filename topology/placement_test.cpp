#include "topology/placement.hpp"

#include <doctest/doctest.h>

#include "topology/test_systems.hpp"

using namespace caliper;
using namespace caliper::testing;

namespace {

Machine machine() {
  return machine_of({.groups = 2, .nodes_per_group = 4, .leaves = 2, .spines = 2, .nodes_per_leaf = 2});
}

}  // namespace

TEST_CASE("placement: ranks run node by node in the order of the list") {
  const Machine m = machine();
  const auto placement = make_placement(m, "A", "g1n[02-03],g0n00", "test");
  REQUIRE(placement);
  CHECK(placement->name == "A");
  CHECK(placement->source == "test");
  CHECK(placement->nodes == std::vector<std::uint32_t>{6, 7, 0});
  CHECK(*placement->ranks(m, 3, 2) ==
        std::vector<GpuAddress>{{6, 0}, {6, 1}, {7, 0}, {7, 1}, {0, 0}, {0, 1}});
  const auto all = placement->ranks(m, 2, 4);
  REQUIRE(all);
  for (std::uint32_t rank = 0; rank < 8; ++rank) CHECK((*all)[rank] == GpuAddress{6 + rank / 4, rank % 4});
}

TEST_CASE("placement: unknown and repeated nodes are told all at once, with the nearest name") {
  const Machine m = machine();
  const auto placement = make_placement(m, "A", "g0n00,g0n0O,g0n01,g0n00,compute-node-17", "test");
  REQUIRE(!placement);
  REQUIRE(placement.problems().size() == 3);
  CHECK(describe(placement.problems()[0])
            .starts_with("placement A: 'g0n0O' is no node of test (did you mean 'g0n0"));
  CHECK(describe(placement.problems()[1]).starts_with("placement A: node 'g0n00' is listed twice"));
  CHECK(placement.problems()[2].hint == "test has 8 nodes, 'g0n00' to 'g1n03'");
  CHECK(describe(make_placement(m, "B", "g0n[00", "test").problems())
            .starts_with("placement B: 'g0n[00': '[' is not closed"));
}

TEST_CASE(
    "placement: a thousand wrong names on a large machine are told without a comparison of each with all") {
  const Machine large =
      machine_of({.groups = 1, .nodes_per_group = 5000, .leaves = 1, .spines = 1, .nodes_per_leaf = 5000});
  const auto placement = make_placement(large, "A", "g9n[0000-0999]", "test");
  REQUIRE(!placement);
  CHECK(placement.problems().size() == 1000);
  CHECK(placement.problems()[0].hint.starts_with("did you mean"));
  CHECK(placement.problems()[999].hint.starts_with("test has 5000 nodes"));
}

TEST_CASE("placement: more nodes or GPUs than there are, and none at all, are refused") {
  const Machine m = machine();
  const auto placement = make_placement(m, "A", "g0n[00-01]", "test");
  REQUIRE(placement);
  CHECK(describe(placement->ranks(m, 3, 4).problems()) == "placement A: has 2 nodes, 3 are asked for");
  CHECK(placement->ranks(m, 3, 5).problems().size() == 2);
  CHECK(placement->ranks(m, 0, 0).problems().size() == 2);
  CHECK(placement->ranks(m, 2, 4)->size() == 8);
}
