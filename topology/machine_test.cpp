#include "topology/machine.hpp"

#include <functional>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include "topology/machine_graph.hpp"
#include "topology/test_systems.hpp"

using namespace caliper;
using namespace caliper::testing;

namespace {

/// By formula: every cable counts once in each direction.
MachineCounts expected(const Shape& s) {
  const std::uint64_t nodes = s.groups * s.nodes_per_group, pairs = s.groups * (s.groups - 1);
  return {.nodes = nodes,
          .groups = s.groups,
          .gpus = nodes * s.gpus,
          .nics = nodes * s.nics,
          .leaves = s.groups * s.leaves,
          .spines = s.groups * s.spines,
          .links = {nodes * s.gpus * (s.gpus - 1) * 4, nodes * s.gpus * 2, nodes * s.nics * 2,
                    std::uint64_t{2} * s.groups * s.leaves * s.spines * s.links_per_leaf_spine,
                    pairs * s.links_per_group_pair}};
}

std::string problems_with(const std::function<void(SystemSpec&)>& change) {
  SystemSpec spec =
      system_of({.groups = 2, .nodes_per_group = 4, .leaves = 2, .spines = 2, .nodes_per_leaf = 2});
  change(spec);
  const auto machine = Machine::build(std::move(spec));
  return machine ? "" : describe(machine.problems());
}

}  // namespace

TEST_CASE("machine: devices and links of small shapes are as many as the formulas say") {
  for (const Shape& shape : kSmallShapes) CHECK(machine_of(shape).counts() == expected(shape));
}

TEST_CASE("machine: JUWELS Booster and JUPITER Booster build whole, with the counts of their fabric") {
  // JUWELS: 19 cells of 48 nodes and one of 24; JUPITER: 25 groups of 240.
  Shape shape{.groups = 19,
              .nodes_per_group = 48,
              .leaves = 10,
              .spines = 10,
              .nodes_per_leaf = 5,
              .links_per_leaf_spine = 2,
              .links_per_group_pair = 10};
  SystemSpec juwels = system_of(shape);
  juwels.group_nodes.push_back("last[01-24]");
  const auto booster = Machine::build(juwels);
  REQUIRE(booster);
  const MachineCounts counts = booster->counts();
  CHECK(counts.nodes == 936);
  CHECK(counts.gpus == 3744);
  CHECK(counts.leaves + counts.spines == 400);
  CHECK(counts.of(LinkClass::leaf_spine) == 2 * 20 * 200);  // 200 cables a cell
  CHECK(counts.of(LinkClass::global) == 2 * 190 * 10);      // 190 pairs of cells
  CHECK(booster->leaf_of(935) == 4);

  shape = {.groups = 25,
           .nodes_per_group = 240,
           .leaves = 15,
           .spines = 16,
           .nodes_per_leaf = 16,
           .links_per_leaf_spine = 2,
           .links_per_group_pair = 16};
  SystemSpec jupiter = system_of(shape);
  for (std::uint32_t group = 0; group < 25; ++group)
    jupiter.group_nodes[group] = fmt::format("jpbo-[{:03}-{:03}]-[01-48]", 5 * group + 1, 5 * group + 5);
  const auto whole = Machine::build(jupiter);
  REQUIRE(whole);
  CHECK(whole->counts() == expected(shape));
  CHECK(whole->counts().leaves + whole->counts().spines == 775);
  const auto node = whole->find_node("jpbo-007-17");  // second rack of group 1, second leaf of that rack
  REQUIRE(node);
  CHECK(whole->group_of(*node) == 1);
  CHECK(whole->leaf_of(*node) == 4);
}

TEST_CASE("machine: nodes fill the leaves of their group in order") {
  const Machine machine =
      machine_of({.groups = 2, .nodes_per_group = 5, .leaves = 3, .spines = 1, .nodes_per_leaf = 2});
  const std::vector<std::uint32_t> leaves = {0, 0, 1, 1, 2, 0, 0, 1, 1, 2};
  for (std::uint32_t node = 0; node < machine.nodes(); ++node) {
    CHECK(machine.leaf_of(node) == leaves[node]);
    CHECK(machine.group_of(node) == node / 5);
    CHECK(machine.find_node(machine.node_name(node)) == node);
  }
  CHECK(!machine.find_node("g0n9"));
}

TEST_CASE("machine: global links of a group pair hang on the spines as evenly as they can") {
  for (const std::uint32_t spines : {1u, 3u, 5u})
    for (const std::uint32_t links : {1u, 3u, 4u, 10u, 11u}) {
      const Machine machine =
          machine_of({.groups = 3, .nodes_per_group = 1, .spines = spines, .links_per_group_pair = links});
      for (std::uint32_t spine = 0; spine < spines; ++spine) {
        std::uint32_t want = 0;  // the rule, link by link
        for (std::uint32_t link = 0; link < links; ++link) want += link % spines == spine ? 1 : 0;
        for (std::uint32_t group = 1; group < 3; ++group) {
          const auto [edge, exists] =
              boost::edge(machine.spine(0, spine), machine.spine(group, spine), graph_of(machine));
          CHECK(exists == (want > 0));
          if (exists) CHECK(graph_of(machine)[edge] == MachineLink{LinkClass::global, want, 40e9});
        }
      }
    }
}

TEST_CASE("machine: every link has its way back with the same class, number and rate") {
  for (const Shape& shape : kSmallShapes) {
    const Machine machine = machine_of(shape);
    const MachineGraph& graph = graph_of(machine);
    for (auto [edge, end] = boost::edges(graph); edge != end; ++edge)
      CHECK(graph[*edge] == machine.link(boost::target(*edge, graph), boost::source(*edge, graph)));
  }
}

TEST_CASE("machine: a GPU has a PCIe link to its local NIC and to no other, and devices have names") {
  const Machine machine = machine_of({.gpus = 4, .nics = 2});
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    for (std::uint32_t nic = 0; nic < 2; ++nic)
      CHECK(boost::edge(machine.device(GpuAddress{0, gpu}), machine.device(NicAddress{0, nic}),
                        graph_of(machine))
                .second == (gpu % 2 == nic));
  CHECK(machine.local_nic({0, 3}) == NicAddress{0, 1});
  CHECK(machine.describe(machine.device(GpuAddress{0, 2})) == "g0n00 gpu 2");
  CHECK(machine.describe(machine.device(NicAddress{0, 1})) == "g0n00 nic 1");
  CHECK(machine.describe(machine.leaf(0, 0)) == "group 0 leaf 0");
  CHECK(machine.describe(machine.spine(0, 0)) == "group 0 spine 0");
}

TEST_CASE("machine: a wrong number is refused under the name of its fact") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::pair<std::string, std::function<void(SystemSpec&)>> cases[] = {
      {"node.gpus: must be", [](SystemSpec& s) { s.node.gpus = 0; }},
      {"node.nvlinks_per_pair: must be", [](SystemSpec& s) { s.node.nvlinks_per_pair = 0; }},
      {"node.nvlink_rate: must be", [](SystemSpec& s) { s.node.nvlink_rate = -1; }},
      {"node.nic_of_gpu: names NICs of a node without", [](SystemSpec& s) { s.node.nics = 0; }},
      {"node.nvlinks: has 3 entries for 4 GPUs",
       [](SystemSpec& s) {
         s.node.nvlinks = {0, 1, 1};
       }},
      {"node.nvlinks: GPU 3 has links to itself",
       [](SystemSpec& s) { s.node.nvlinks = {0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1}; }},
      {"node.nvlinks: 2 links from GPU 0 to 1, 1 back",
       [](SystemSpec& s) { s.node.nvlinks = {0, 2, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0}; }},
      {"node.nic_rate: must be", [=](SystemSpec& s) { s.node.nic_rate = nan; }},
      {"node.pcie_rate: must be", [=](SystemSpec& s) { s.node.pcie_rate = inf; }},
      {"node.nic_of_gpu: has 3 entries for 4 GPUs", [](SystemSpec& s) { s.node.nic_of_gpu.pop_back(); }},
      {"node.nic_of_gpu: GPU 1 has NIC 4", [](SystemSpec& s) { s.node.nic_of_gpu[1] = 4; }},
      {"group_nodes: no groups", [](SystemSpec& s) { s.group_nodes.clear(); }},
      {"fabric.leaves_per_group: must be", [](SystemSpec& s) { s.fabric.leaves_per_group = 0; }},
      {"fabric.nodes_per_leaf: must be", [](SystemSpec& s) { s.fabric.nodes_per_leaf = 0; }},
      {"fabric.spines_per_group: must be", [](SystemSpec& s) { s.fabric.spines_per_group = 0; }},
      {"fabric.links_per_leaf_spine: must be", [](SystemSpec& s) { s.fabric.links_per_leaf_spine = 0; }},
      {"fabric.leaf_spine_rate: must be", [](SystemSpec& s) { s.fabric.leaf_spine_rate = 0; }},
      {"fabric.links_per_group_pair: must be", [](SystemSpec& s) { s.fabric.links_per_group_pair = 0; }},
      {"fabric.global_rate: must be", [](SystemSpec& s) { s.fabric.global_rate = 0; }},
      {"group 1: 5 nodes, room for 4", [](SystemSpec& s) { s.group_nodes[1] = "x[1-5]"; }},
      {"group 1: node 'g0n03' is named a second time", [](SystemSpec& s) { s.group_nodes[1] = "g0n03"; }},
      {"group 0: 'x[1': '[' is not closed", [](SystemSpec& s) { s.group_nodes[0] = "x[1"; }},
      {"group 0: no host names", [](SystemSpec& s) { s.group_nodes[0] = ""; }},
  };
  CHECK(problems_with([](SystemSpec&) {}).empty());
  for (const auto& [want, change] : cases)
    CHECK_MESSAGE(problems_with(change).find(want) != std::string::npos,
                  want << "; got " << problems_with(change));
}

TEST_CASE("machine: all problems are told at once, and facts that nothing needs are not asked for") {
  const auto three = Machine::build([] {
    SystemSpec spec = system_of({});
    spec.node.nic_rate = 0;
    spec.fabric.nodes_per_leaf = 0;
    spec.group_nodes[0] = "a,,b";
    return spec;
  }());
  REQUIRE(!three);
  CHECK(three.problems().size() == 3);

  SystemSpec one = system_of({.gpus = 1, .nics = 1});
  one.node.nvlinks_per_pair = 0;
  one.node.nvlink_rate = 0;
  one.fabric = {.leaves_per_group = 1, .nodes_per_leaf = 1};
  const auto machine = Machine::build(one);
  REQUIRE(machine);
  CHECK(machine->counts().links == std::array<std::uint64_t, 5>{0, 2, 2, 0, 0});
}

TEST_CASE("machine: a node by itself, whose pairs of GPUs have unlike numbers of NVLinks or none") {
  SystemSpec spec = system_of({.gpus = 4, .nics = 1});
  spec.node.nics = 0;
  spec.node.nic_of_gpu.clear();
  spec.node.nvlinks = {0, 2, 1, 0, 2, 0, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
  spec.fabric = {};
  spec.group_nodes = {"alone"};
  const auto machine = Machine::build(spec);
  REQUIRE(machine);
  CHECK(machine->counts().links == std::array<std::uint64_t, 5>{12, 0, 0, 0, 0});
  CHECK(machine->link(machine->device(GpuAddress{0, 3}), machine->device(GpuAddress{0, 2})).multiplicity ==
        2);
  CHECK(machine->link(machine->device(GpuAddress{0, 3}), machine->device(GpuAddress{0, 1})).multiplicity ==
        1);
}

TEST_CASE("machine: absurd counts are refused before memory is asked for") {
  const auto huge = std::numeric_limits<std::uint32_t>::max();
  CHECK(!problems_with([=](SystemSpec& s) {
           s.fabric.leaves_per_group = s.fabric.spines_per_group = huge;
         }).empty());
  CHECK(!problems_with([=](SystemSpec& s) { s.node.nics = huge; }).empty());
  CHECK(problems_with([=](SystemSpec& s) {
          s.fabric.nodes_per_leaf = huge;
          s.group_nodes = {"a[1-600000]", "b[1-600000]"};
        }).find("more than 1000000 nodes") != std::string::npos);
}
