#include "collectives/channel_count.hpp"

#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "collectives/test_machine.hpp"

using namespace caliper;

namespace {

NodeSpec node(std::uint32_t compute_capability, std::uint32_t links, double nic_rate, double pcie_rate) {
  NodeSpec spec;
  spec.compute_capability = compute_capability;
  spec.gpus = 4;
  spec.nvlinks_per_pair = links;
  spec.nics = 4;
  spec.nic_rate = nic_rate;
  spec.pcie_rate = pcie_rate;
  return spec;
}

const NodeSpec kA100 = node(80, 4, 25e9, 31.5e9);
const NodeSpec kGh200 = node(90, 6, 25e9, 63e9);

std::vector<std::uint32_t> first(std::uint32_t gpus) {
  std::vector<std::uint32_t> all(gpus);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

std::uint32_t in_node(const NodeSpec& spec, std::uint32_t gpus) {
  const auto found = channels_in_node(spec, first(gpus));
  REQUIRE(found);
  return found->count.channels;
}

}  // namespace

TEST_CASE("channel_count: 4 x A100: 6 rings of 40 fill 240, duplicated, doubled: 24") {
  const auto found = channels_in_node(kA100, first(4));
  REQUIRE(found);
  CHECK(found->count.channels == 24);
  CHECK(found->count.derivation ==
        "ring search on 4 GPUs, 80 GB/s a pair: 6 rings of 40 GB/s, duplicated to 12 of 20 GB/s, doubled to "
        "24 channels");
}

TEST_CASE("channel_count: 4 x GH200: 123.6 a pair; 6 rings of 60 beat 9 of 40 and 12 of 30 by speed: 24") {
  const auto found = channels_in_node(kGh200, first(4));
  REQUIRE(found);
  CHECK(found->count.channels == 24);
  CHECK(found->count.derivation.find("6 rings of 60 GB/s, duplicated to 12 of 30 GB/s") != std::string::npos);
}

TEST_CASE("channel_count: other numbers of GPUs and links") {
  CHECK(in_node(kA100, 1) == 1);
  CHECK(in_node(kA100, 2) == 8);   // 2 rings of 40 -> 4 -> 8
  CHECK(in_node(kA100, 3) == 16);  // 4 rings of 40 -> 8 -> 16
  // 12 links: 240 a pair, 6 of 40 -> 12 of 20 -> 24, as on an NVSwitch with two GPUs.
  CHECK(in_node(node(80, 12, 25e9, 31.5e9), 2) == 24);
  // One link, 20 a pair: a pair has to carry two rings of a full set, so 6 rings of 10; not duplicated
  // below 25.
  CHECK(in_node(node(80, 1, 25e9, 31.5e9), 4) == 12);
}

TEST_CASE(
    "channel_count: 8 x V100, hybrid cube mesh: 6 rings of 20 use all links, below 25 not duplicated: 12") {
  NodeSpec spec = node(70, 0, 12.5e9, 15.75e9);
  spec.gpus = 8;
  spec.nvlinks = kHybridCubeMesh;
  const auto found = channels_in_node(spec, first(8));
  REQUIRE(found);
  CHECK(found->count.channels == 12);
  CHECK(found->count.derivation ==
        "ring search on 8 GPUs, 20 GB/s a link: 6 rings of 20 GB/s, doubled to 12 channels");
  CHECK(found->rings.orders.size() == 6);
  // GPUs 0 to 3 alone: two links of a pair carry a ring of 40 where all of a ring have two; 20 fits all.
  const auto half = channels_in_node(spec, first(4));
  REQUIRE(half);
  for (const auto& order : half->rings.orders) CHECK(order.size() == 4);
  // GPUs 0 and 5 have no link: no ring.
  CHECK_FALSE(channels_in_node(spec, std::vector<std::uint32_t>{0, 5}));
  CHECK_FALSE(rings_in_node(spec, std::vector<std::uint32_t>{0, 5}));
  CHECK(rings_in_node(spec, first(8))->orders == found->rings.orders);
}

TEST_CASE("channel_count: between nodes a ring for each NIC, doubled") {
  const auto count = [](const NodeSpec& spec, std::uint32_t gpus) {
    const auto result = channels_between_nodes(spec, gpus);
    REQUIRE(result);
    return result->channels;
  };
  CHECK(count(kA100, 4) == 8);
  CHECK(count(kGh200, 4) == 8);
  CHECK(count(kA100, 1) == 2);
  CHECK(count(kA100, 2) == 4);
  CHECK(count(node(90, 6, 50e9, 63e9), 4) == 16);   // 4 of 48 -> 8 of 24 -> 16
  CHECK(count(node(80, 4, 50e9, 31.5e9), 4) == 8);  // PCIe 4.0 holds the speed at 24
  CHECK(count(node(80, 4, 12.5e9, 31.5e9), 4) == 8);
}

TEST_CASE("channel_count: what the rule does not know is an error") {
  CHECK_FALSE(channels_in_node(node(100, 4, 25e9, 31.5e9), first(4)));
  CHECK_FALSE(channels_between_nodes(node(75, 4, 25e9, 31.5e9), 4));
  CHECK_FALSE(channels_in_node(node(80, 0, 25e9, 31.5e9), first(4)));
  CHECK_FALSE(channels_between_nodes(node(80, 4, 1e6, 31.5e9), 4));
}
