#include "collectives/primitives.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("primitives: counts of steps and sends") {
  for (std::uint32_t n = 2; n <= 17; ++n) {
    const auto all_reduce = make_sequence(Collective::all_reduce, n);
    CHECK(all_reduce.steps() == 2 * n - 1);
    CHECK(all_reduce.sends() == 2 * (n - 1));
    for (const auto c : {Collective::all_gather, Collective::reduce_scatter}) {
      CHECK(make_sequence(c, n).steps() == n);
      CHECK(make_sequence(c, n).sends() == n - 1);
    }
  }
}

TEST_CASE("primitives: parts of NCCL's tables, four ranks") {
  const std::uint32_t n = 4;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto all_reduce = make_sequence(Collective::all_reduce, n);
    CHECK(all_reduce.part(i, 0) == (i + n - 1) % n);
    CHECK(all_reduce.part(i, n - 1) == i);  // final sum written here
    CHECK(all_reduce.part(i, n) == (i + n - 1) % n);
    CHECK(all_reduce.part(i, 2 * n - 2) == (i + 1) % n);  // last receive
    const auto all_gather = make_sequence(Collective::all_gather, n);
    CHECK(all_gather.part(i, 0) == i);  // own block first
    CHECK(all_gather.part(i, n - 1) == (i + 1) % n);
    const auto reduce_scatter = make_sequence(Collective::reduce_scatter, n);
    CHECK(reduce_scatter.part(i, 0) == (i + n - 1) % n);
    CHECK(reduce_scatter.part(i, n - 1) == i);  // own block last
  }
}
