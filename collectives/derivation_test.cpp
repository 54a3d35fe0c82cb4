#include "collectives/derivation.hpp"

#include <doctest/doctest.h>

#include "collectives/execution_check.hpp"
#include "collectives/test_machine.hpp"

using namespace caliper;
using Order = std::vector<std::uint32_t>;

namespace {

Result<Execution> derive(const Machine& machine, std::vector<GpuAddress> gpus,
                         std::optional<std::uint32_t> channels = {}, std::optional<NicLayout> layout = {}) {
  return derive_execution(machine, std::move(gpus), Collective::all_reduce, PartitionFamily::c, 4, channels,
                          layout);
}

std::string text_of(const Result<Execution>& result) { return result ? "" : describe(result.problems()); }

/// (NIC out, NIC in, proxy GPU) of the crossings of a ring.
std::vector<std::array<std::uint32_t, 3>> rails(const ChannelRing& ring) {
  std::vector<std::array<std::uint32_t, 3>> all;
  for (const NodeCrossing& c : ring.crossings) all.push_back({c.out.nic, c.in.nic, c.proxy_gpu.gpu});
  return all;
}

}  // namespace

TEST_CASE("derivation: a node of four A100 has 24 channels, the six rings four times") {
  const Machine machine = a100_machine(2);
  const auto execution = derive(machine, node_major(1, 4));
  REQUIRE(execution);
  CHECK(execution->channels() == 24);
  CHECK(execution->channels_origin == Origin::derived);
  CHECK(execution->rings[1].order == Order{0, 1, 3, 2});
  CHECK(execution->rings[5].order == Order{0, 3, 2, 1});
  for (std::size_t c = 6; c < 24; ++c) CHECK(execution->rings[c].order == execution->rings[c - 6].order);
  for (const ChannelRing& ring : execution->rings) CHECK(ring.crossings.empty());
  CHECK(execution->derivation.size() == 2);
}

TEST_CASE(
    "derivation: two nodes, pxn by default: 8 channels, in and out by the NIC of GPU c, sent by that GPU") {
  const Machine machine = a100_machine(2);
  const auto execution = derive(machine, node_major(2, 4));
  REQUIRE(execution);
  CHECK(execution->channels() == 8);
  CHECK(execution->rings[0].order == Order{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(execution->rings[1].order == Order{0, 3, 2, 5, 4, 7, 6, 1});
  CHECK(execution->rings[3].order == Order{0, 7, 6, 5, 4, 3, 2, 1});
  for (std::uint32_t c = 0; c < 8; ++c) {
    CHECK(execution->rings[c].order == execution->rings[c % 4].order);
    CHECK(rails(execution->rings[c]) == std::vector<std::array<std::uint32_t, 3>>(2, {c % 4, c % 4, c % 4}));
  }
  const NodeCrossing& first = execution->rings[1].crossings[0];
  CHECK(first.from_rank == 2);
  CHECK(first.to_rank == 5);
  CHECK(first.proxy_gpu == GpuAddress{0, 1});
}

TEST_CASE(
    "derivation: pairs on four nodes: odd nodes are passed by the other ring of the pair, on one rail") {
  const Machine machine = a100_machine(4);
  const auto execution = derive(machine, node_major(4, 4), {}, NicLayout::pairs);
  REQUIRE(execution);
  CHECK(execution->rings[0].order == Order{0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12});
  CHECK(rails(execution->rings[0]) ==
        std::vector<std::array<std::uint32_t, 3>>{{3, 3, 3}, {0, 0, 0}, {3, 3, 3}, {0, 0, 0}});
  CHECK(execution->rings[2].order == Order{0, 3, 1, 5, 4, 7, 6, 10, 8, 11, 9, 13, 12, 15, 14, 2});
  CHECK(rails(execution->rings[2]) ==
        std::vector<std::array<std::uint32_t, 3>>{{1, 1, 1}, {2, 2, 2}, {1, 1, 1}, {2, 2, 2}});
}

TEST_CASE("derivation: oracle: in by the NIC of GPU c, out by that of GPU c - 1") {
  const Machine machine = a100_machine(2);
  const auto execution = derive(machine, node_major(2, 4), {}, NicLayout::oracle);
  REQUIRE(execution);
  CHECK(execution->rings[1].order == Order{0, 5, 6, 7, 4, 1, 2, 3});
  CHECK(rails(execution->rings[1]) == std::vector<std::array<std::uint32_t, 3>>{{0, 1, 0}, {0, 1, 0}});
}

namespace {

/// Four GH200 a node, as JUPITER Booster has them: 6 NVLinks a pair, a NIC of 200 Gbit/s each, PCIe 5.0.
Machine gh200_machine(std::uint32_t nodes) {
  SystemSpec spec = a100_machine(nodes).spec();
  spec.node.compute_capability = 90;
  spec.node.nvlinks_per_pair = 6;
  spec.node.pcie_rate = 63e9;
  auto machine = Machine::build(std::move(spec));
  CALIPER_CHECK(machine);
  return *std::move(machine);
}

}  // namespace

TEST_CASE("derivation: one GPU a node: the search finds the ring of its own NIC, doubled: 2 channels") {
  for (const Machine& machine : {a100_machine(16), gh200_machine(16)})
    for (const std::uint32_t nodes : {2u, 16u}) {
      const auto execution = derive(machine, node_major(nodes, 1));
      REQUIRE(execution);
      CHECK(execution->channels() == 2);
      CHECK(execution->channels_origin == Origin::derived);
      for (const ChannelRing& ring : execution->rings) {
        for (std::uint32_t rank = 0; rank < nodes; ++rank) CHECK(ring.order[rank] == rank);
        CHECK(rails(ring) == std::vector<std::array<std::uint32_t, 3>>(nodes, {0, 0, 0}));
      }
      CHECK(execution->derivation[0].find("a ring for each of 1 NICs") != std::string::npos);
      CHECK(execution->derivation.back().find("known for 4") == std::string::npos);
    }
  // The NIC is that of the GPU, whichever it is.
  const auto last = derive(a100_machine(2), {{0, 3}, {1, 2}});
  REQUIRE(last);
  CHECK(rails(last->rings[1]) == std::vector<std::array<std::uint32_t, 3>>{{3, 2, 3}, {2, 3, 2}});
}

TEST_CASE(
    "derivation: two GPUs a node: a ring each way, in and out by the NIC of its first GPU: 4 channels") {
  for (const Machine& machine : {a100_machine(4), gh200_machine(4)})
    for (const std::uint32_t nodes : {2u, 4u}) {
      const auto execution = derive(machine, node_major(nodes, 2));
      REQUIRE(execution);
      CHECK(execution->channels() == 4);
      for (std::uint32_t c = 0; c < 4; ++c)
        CHECK(rails(execution->rings[c]) ==
              std::vector<std::array<std::uint32_t, 3>>(nodes, {c % 2, c % 2, c % 2}));
    }
  const auto pxn = derive(a100_machine(2), node_major(2, 2));
  CHECK(pxn->rings[0].order == Order{0, 1, 2, 3});
  CHECK(pxn->rings[1].order == Order{0, 3, 2, 1});  // 1 0 3 2
  // Without PXN the two rings take the two NICs in turn, and on odd nodes each other's way: one rail a hop.
  const auto pairs = derive(a100_machine(2), node_major(2, 2), {}, NicLayout::pairs);
  REQUIRE(pairs);
  CHECK(pairs->channels() == 4);
  CHECK(pairs->rings[0].order == Order{0, 1, 3, 2});
  CHECK(rails(pairs->rings[0]) == std::vector<std::array<std::uint32_t, 3>>{{1, 1, 1}, {0, 0, 0}});
  CHECK(pairs->rings[1].order == Order{0, 2, 3, 1});
}

TEST_CASE(
    "derivation: two GPUs of one node: 2 rings of the fastest speed that fits, duplicated, doubled: 8") {
  for (const Machine& machine : {a100_machine(1), gh200_machine(1)}) {
    const auto execution = derive(machine, node_major(1, 2));
    REQUIRE(execution);
    CHECK(execution->channels() == 8);
    for (const ChannelRing& ring : execution->rings) CHECK(ring.order == Order{0, 1});
  }
}

TEST_CASE("derivation: pairs: every hop leaves and enters by the same rail, on every number of nodes") {
  // An even node hands on to an odd one, which swaps, and back. With an odd number of nodes the last hop goes
  // from an even node to an even one, across rails.
  for (std::uint32_t nodes = 2; nodes <= 7; ++nodes)
    for (const std::uint32_t gpus : {2u, 4u}) {
      const auto execution = derive(a100_machine(nodes), node_major(nodes, gpus), {}, NicLayout::pairs);
      REQUIRE(execution);
      for (const ChannelRing& ring : execution->rings)
        for (const NodeCrossing& hop : ring.crossings) {
          const bool both_even = hop.out.node % 2 == 0 && hop.in.node % 2 == 0;
          CHECK((hop.out.nic == hop.in.nic) == !both_even);
        }
    }
}

TEST_CASE("derivation: a given channel count repeats or cuts the rings") {
  const Machine machine = a100_machine(2);
  const auto few = derive(machine, node_major(2, 4), 2);
  REQUIRE(few);
  CHECK(few->channels() == 2);
  CHECK(few->channels_origin == Origin::assumed);
  const auto many = derive(machine, node_major(1, 4), 32);
  REQUIRE(many);
  CHECK(many->rings[31].order == many->rings[1].order);
}

TEST_CASE("derivation: ranks in any order on any GPUs; rank 0 stands first") {
  const Machine machine = a100_machine(3);
  // Nodes in order of their first rank: 2, 0; on node 2 GPUs 1 and 3, on node 0 GPUs 0 and 2.
  for (const auto layout : {NicLayout::pxn, NicLayout::pairs, NicLayout::oracle}) {
    const auto execution = derive(machine, {{2, 3}, {0, 2}, {0, 0}, {2, 1}}, {}, layout);
    REQUIRE(execution);
    CHECK(execution->channels() == 4);
    for (const ChannelRing& ring : execution->rings) CHECK(ring.order.front() == 0);
    CHECK(check_execution(machine, *execution).empty());
  }
  const auto single = derive(machine, {{1, 2}});
  REQUIRE(single);
  CHECK(single->rings[0].order == Order{0});
}

TEST_CASE("derivation: every number of nodes and GPUs gives an execution that passes the check") {
  const Machine machine = a100_machine(9);
  for (std::uint32_t nodes = 1; nodes <= 9; ++nodes)
    for (std::uint32_t gpus = 1; gpus <= 4; ++gpus)
      for (const auto layout : {NicLayout::pxn, NicLayout::pairs, NicLayout::oracle}) {
        const auto execution = derive(machine, node_major(nodes, gpus), {}, layout);
        const bool no_rule = layout == NicLayout::pairs && gpus == 3 && nodes > 1;
        CHECK(bool(execution) == !no_rule);
        if (execution) CHECK(check_execution(machine, *execution).empty());
      }
}

TEST_CASE("derivation: problems say what is wrong") {
  const Machine machine = a100_machine(2);
  CHECK(text_of(derive(machine, {})).find("without ranks") != std::string::npos);
  CHECK(text_of(derive(machine, {{0, 4}})).find("node 0 gpu 4 is not in the machine") != std::string::npos);
  CHECK(text_of(derive(machine, {{2, 0}})).find("not in the machine") != std::string::npos);
  CHECK(text_of(derive(machine, {{0, 1}, {0, 1}})).find("rank 1: node 0 gpu 1 has a rank already") == 0);
  CHECK(text_of(derive(machine, node_major(1, 4), 0)).find("0 channels") != std::string::npos);
  CHECK(text_of(derive(machine, node_major(1, 4), 65)).find("1 to 64") != std::string::npos);
  CHECK(text_of(derive(machine, {{0, 0}, {0, 1}, {1, 0}})).find("node 0 has 2 ranks and node 1 has 1") !=
        std::string::npos);
  const auto odd = derive_execution(machine, node_major(1, 4), Collective::all_reduce, PartitionFamily::c, 3);
  CHECK(text_of(odd).find("elements of 3 bytes") != std::string::npos);
  // All problems in one go.
  const auto both = derive_execution(machine, {{0, 9}}, Collective::all_reduce, PartitionFamily::c, 3, 0);
  REQUIRE_FALSE(both);
  CHECK(both.problems().size() == 3);
}

TEST_CASE("derivation: nodes with fewer NICs than GPUs need captured rings") {
  SystemSpec spec = a100_machine(2).spec();
  spec.node.nics = 2;
  spec.node.nic_of_gpu = {0, 0, 1, 1};
  const auto machine = Machine::build(spec);
  REQUIRE(machine);
  CHECK(text_of(derive(*machine, node_major(2, 4))).find("gpu 1 has no NIC of its own") != std::string::npos);
  CHECK(derive(*machine, node_major(1, 4)));
}

TEST_CASE("derivation: an execution with a NIC that is not local to its GPU does not pass the check") {
  const Machine machine = a100_machine(2);
  auto execution = *derive(machine, node_major(2, 4));
  execution.rings[0].crossings[0].out.nic = 3;
  execution.rings[1].crossings[1].in.nic = 7;
  const std::string text = describe(check_execution(machine, execution));
  CHECK(text.find("channel 0: rank 3 sends by NIC 3 through gpu 0, whose NIC is 0") != std::string::npos);
  CHECK(text.find("channel 1: rank 6 receives by NIC 7") == std::string::npos);
  CHECK(text.find("channel 1: rank 1 receives by NIC 7, the NIC of its GPU is 1") != std::string::npos);
  execution.rings[0].crossings[0].proxy_gpu.gpu = 4;
  CHECK(describe(check_execution(machine, execution)).find("sends through gpu 4") != std::string::npos);
}
