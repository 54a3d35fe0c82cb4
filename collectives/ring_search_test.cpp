#include "collectives/ring_search.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/random.hpp"
#include "collectives/ring_order.hpp"
#include "collectives/test_machine.hpp"

using namespace caliper;

namespace {

using Rings = std::vector<std::vector<std::uint32_t>>;

/// Every ring is a permutation from 0, and no pair carries more rings than it has units.
void check_fit(const Rings& rings, std::uint32_t gpus, std::vector<std::uint32_t> units) {
  for (const auto& ring : rings) {
    REQUIRE(check_ring(ring, gpus, "ring").empty());
    CHECK(ring.front() == 0);
    for (std::size_t k = 0; k < gpus; ++k) {
      std::uint32_t& left = units[ring[k] * gpus + ring[(k + 1) % gpus]];
      REQUIRE(left > 0);
      --left;
    }
  }
}

}  // namespace

TEST_CASE("ring search: the hybrid cube mesh of eight V100 gives three rings in both directions") {
  const Rings rings = search_rings(8, kHybridCubeMesh, 16);
  const Rings expected = {{0, 3, 2, 1, 5, 6, 7, 4}, {0, 3, 2, 1, 5, 6, 7, 4}, {0, 4, 7, 6, 5, 1, 2, 3},
                          {0, 4, 7, 6, 5, 1, 2, 3}, {0, 1, 3, 7, 5, 4, 6, 2}, {0, 2, 6, 4, 5, 7, 3, 1}};
  CHECK(rings == expected);
  check_fit(rings, 8, kHybridCubeMesh);
}

TEST_CASE("ring search: four GPUs with two links a pair give the six directed cycles, each once") {
  std::vector<std::uint32_t> links(16, 2);
  for (std::size_t gpu = 0; gpu < 4; ++gpu) links[gpu * 5] = 0;
  Rings rings = search_rings(4, links, 16);
  check_fit(rings, 4, links);
  std::ranges::sort(rings);
  CHECK(rings.size() == 6);
  CHECK(std::ranges::adjacent_find(rings) == rings.end());
}

TEST_CASE("ring search: what cannot be a ring gives none, a limit is kept, two GPUs go there and back") {
  CHECK(search_rings(3, {0, 1, 0, 1, 0, 1, 0, 1, 0}, 16).empty());  // a chain
  CHECK(search_rings(2, {0, 3, 3, 0}, 16) == Rings(3, {0, 1}));
  CHECK(search_rings(2, {0, 3, 3, 0}, 2) == Rings(2, {0, 1}));
  CHECK(search_rings(2, {0, 3, 1, 0}, 16) == Rings(1, {0, 1}));
}

TEST_CASE("ring search: rings of random graphs fit their links, also where the search is cut short") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    const auto gpus = static_cast<std::uint32_t>(2 + hash64(7, round, 0) % 9);
    std::vector<std::uint32_t> links(std::size_t{gpus} * gpus, 0);
    for (std::uint32_t a = 0; a < gpus; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        links[a * gpus + b] = links[b * gpus + a] =
            static_cast<std::uint32_t>(hash64(7, round, 1 + a * gpus + b) % 4);
    check_fit(search_rings(gpus, links, 16), gpus, links);
  }
}
