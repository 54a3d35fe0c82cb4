#include "collectives/nic_layout.hpp"

#include <doctest/doctest.h>

#include "collectives/ring_order.hpp"

using namespace caliper;

namespace {

std::vector<NodePass> passes(NicLayout layout, std::uint32_t gpus) {
  auto result = node_passes(layout, gpus);
  REQUIRE(result);
  return *std::move(result);
}

}  // namespace

TEST_CASE("nic_layout: four GPUs with four NICs, as NCCL's search finds them") {
  CHECK(passes(NicLayout::pxn, 4) ==
        std::vector<NodePass>{
            {{0, 1, 2, 3}, 0, 0}, {{1, 0, 3, 2}, 1, 1}, {{2, 1, 0, 3}, 2, 2}, {{3, 2, 1, 0}, 3, 3}});
  CHECK(passes(NicLayout::pairs, 4) ==
        std::vector<NodePass>{
            {{0, 1, 2, 3}, 0, 3}, {{3, 2, 1, 0}, 3, 0}, {{2, 0, 3, 1}, 2, 1}, {{1, 0, 3, 2}, 1, 2}});
  CHECK(passes(NicLayout::oracle, 4) ==
        std::vector<NodePass>{
            {{0, 1, 2, 3}, 0, 3}, {{1, 2, 3, 0}, 1, 0}, {{2, 3, 0, 1}, 2, 1}, {{3, 0, 1, 2}, 3, 2}});
}

TEST_CASE("nic_layout: for any number of GPUs each NIC is entered once and left by once") {
  for (const auto layout : {NicLayout::pxn, NicLayout::pairs, NicLayout::oracle})
    for (const std::uint32_t gpus : {1u, 2u, 3u, 4u, 6u, 8u}) {
      if (layout == NicLayout::pairs && gpus == 3) continue;
      CAPTURE(gpus);
      std::vector<std::uint32_t> in, out;
      for (const NodePass& pass : passes(layout, gpus)) {
        CHECK(check_ring(pass.order, gpus, "pass").empty());
        CHECK(pass.in == pass.order.front());
        if (layout != NicLayout::pxn) CHECK(pass.out == pass.order.back());
        in.push_back(pass.in);
        out.push_back(pass.out);
      }
      CHECK(check_ring(in, gpus, "in").empty());
      CHECK(check_ring(out, gpus, "out").empty());
    }
}

TEST_CASE("nic_layout: odd nodes swap the rings of a pair, so that a message stays on its rail") {
  for (const std::uint32_t gpus : {2u, 4u, 6u}) {
    const auto all = passes(NicLayout::pairs, gpus);
    for (std::uint32_t ring = 0; ring < gpus; ++ring)
      for (std::uint32_t n = 0; n < 3; ++n) {
        const auto& leave = all[pass_on_node(NicLayout::pairs, ring, gpus, n)];
        const auto& enter = all[pass_on_node(NicLayout::pairs, ring, gpus, n + 1)];
        CHECK(leave.out == enter.in);
      }
  }
  CHECK(pass_on_node(NicLayout::pairs, 2, 4, 1) == 3);
  CHECK(pass_on_node(NicLayout::pairs, 2, 4, 2) == 2);
  CHECK(pass_on_node(NicLayout::pairs, 0, 1, 1) == 0);
  CHECK(pass_on_node(NicLayout::pxn, 2, 4, 1) == 2);
}

TEST_CASE("nic_layout: pairs need an even number") { CHECK_FALSE(node_passes(NicLayout::pairs, 3)); }
