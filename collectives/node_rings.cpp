#include "collectives/node_rings.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "collectives/ring_order.hpp"

namespace caliper {

RingSet ring_set_of_node(std::uint32_t gpus) {
  CALIPER_CHECK(gpus >= 1);
  if (gpus == 1) return {{{0}}, 1};
  if (gpus == 2) return {{{0, 1}}, 1};
  if (gpus == 4)
    return {{{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {0, 2, 1, 3}, {0, 3, 1, 2}, {0, 3, 2, 1}}, 2};

  // GPU 0 stands outside; the others form a circle of m. The zigzag r, r+1, r-1, r+2, ... meets each distance
  // on the circle once (m even) or twice (m odd), so that m/2 or m of its rotations load every undirected
  // pair once or twice.
  const std::uint32_t m = gpus - 1;
  const std::uint32_t rotations = m % 2 == 0 ? m / 2 : m;
  RingSet set{{}, m % 2 == 0 ? 1u : 2u};
  for (std::uint32_t rotation = 0; rotation < rotations; ++rotation) {
    std::vector<std::uint32_t> order{0};
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint32_t step = (i + 1) / 2;
      order.push_back(1 + (rotation + (i % 2 == 1 ? step : m - step)) % m);
    }
    set.orders.push_back(order);
    std::ranges::reverse(order);
    set.orders.push_back(starting_with_rank_zero(std::move(order)));
  }
  return set;
}

}  // namespace caliper
