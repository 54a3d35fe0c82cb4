#include "collectives/node_rings.hpp"

#include <map>

#include <doctest/doctest.h>

#include "collectives/ring_order.hpp"

using namespace caliper;
using Orders = std::vector<std::vector<std::uint32_t>>;

TEST_CASE("node_rings: four GPUs have the six directed cycles, in NCCL's order") {
  const RingSet set = ring_set_of_node(4);
  CHECK(set.orders ==
        Orders{{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {0, 2, 1, 3}, {0, 3, 1, 2}, {0, 3, 2, 1}});
  CHECK(set.rings_on_a_pair == 2);
}

TEST_CASE("node_rings: few GPUs") {
  CHECK(ring_set_of_node(1).orders == Orders{{0}});
  CHECK(ring_set_of_node(2).orders == Orders{{0, 1}});
  CHECK(ring_set_of_node(3).orders == Orders{{0, 1, 2}, {0, 2, 1}});
}

TEST_CASE("node_rings: every set is made of rings and loads each directed pair equally") {
  for (std::uint32_t gpus = 2; gpus <= 17; ++gpus) {
    CAPTURE(gpus);
    const RingSet set = ring_set_of_node(gpus);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> load;
    for (const auto& order : set.orders) {
      REQUIRE(check_ring(order, gpus, "ring").empty());
      REQUIRE(order.front() == 0);
      for (std::uint32_t k = 0; k < gpus; ++k) ++load[{order[k], order[(k + 1) % gpus]}];
    }
    CHECK(set.orders.size() == set.rings_on_a_pair * (gpus - 1));
    CHECK(load.size() == gpus * (gpus - 1));
    for (const auto& [pair, rings] : load) CHECK(rings == set.rings_on_a_pair);
  }
}
