#include "collectives/slices.hpp"

#include <initializer_list>

#include <doctest/doctest.h>

using namespace caliper;
using Pair = std::array<std::uint64_t, 2>;

TEST_CASE("slices: up to 32 KiB there is one slice and an empty one") {
  CHECK(slices_of(0, 4) == Pair{0, 0});
  CHECK(slices_of(4, 4) == Pair{4, 0});
  CHECK(slices_of(8192, 4) == Pair{8192, 0});
  CHECK(slices_of(12288, 4) == Pair{12288, 0});
  CHECK(slices_of(32768, 1) == Pair{32768, 0});
}

TEST_CASE("slices: above, a half each once the half is more than 32 KiB") {
  CHECK(slices_of(32772, 4) == Pair{32768, 4});
  CHECK(slices_of(65536, 4) == Pair{32768, 32768});
  CHECK(slices_of(90112, 4) == Pair{45056, 45056});
  CHECK(slices_of(88064, 4) == Pair{44032, 44032});
  CHECK(slices_of(700416, 4) == Pair{350208, 350208});
  CHECK(slices_of(2u << 20, 4) == Pair{1u << 20, 1u << 20});
  // 25001 elements: half 12500.5, rounded up to 16 elements: 12512
  CHECK(slices_of(100004, 4) == Pair{50048, 49956});
}

TEST_CASE("slices: they add up to the chunk and fit their slot, for every element size") {
  for (const std::uint32_t e : {1u, 2u, 4u, 8u})
    for (std::uint64_t chunk = 0; chunk <= (2u << 20); chunk += 1016) {
      const auto [first, second] = slices_of(chunk, e);
      REQUIRE(first + second == chunk);
      REQUIRE(first <= connection_of(Algorithm::ring, Protocol::simple).slot_bytes);
      REQUIRE(second <= first);
    }
}
