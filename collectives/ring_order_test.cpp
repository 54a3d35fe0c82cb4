#include "collectives/ring_order.hpp"

#include <doctest/doctest.h>

using namespace caliper;
using Order = std::vector<std::uint32_t>;

TEST_CASE("ring_order: a permutation is a ring, anything else is named") {
  CHECK(check_ring(Order{2, 0, 1}, 3, "x").empty());
  const auto text = [](const Order& order) { return describe(check_ring(order, 3, "a.log:7")); };
  CHECK(text({0, 1, 1}).find("a.log:7: rank 1 is in the ring twice") == 0);
  CHECK(text({0, 1, 1}).find("rank 2 is missing from the ring") != std::string::npos);
  CHECK(text({0, 1, 3}).find("rank 3 in a ring of 3 ranks") != std::string::npos);
  CHECK(text({}).find("rank 0 is missing from the ring (and 2 more)") != std::string::npos);
}

TEST_CASE("ring_order: successors give the order, and must close") {
  const auto order = ring_from_successors(Order{2, 0, 1}, "x");
  REQUIRE(order);
  CHECK(*order == Order{0, 2, 1});
  const auto text = [](const Order& successor) {
    const auto result = ring_from_successors(successor, "x");
    return result ? std::string() : describe(result.problems());
  };
  CHECK(text({1, 0, 2}).find("closes after 2 of 3 ranks") != std::string::npos);
  CHECK(text({1, 2, 1}).find("does not close") != std::string::npos);
  CHECK(text({1, 7, 0}).find("rank 1 is followed by rank 7") != std::string::npos);
  CHECK(text({1, 2, 7}).find("does not close") != std::string::npos);
  CHECK(text({}).find("without ranks") != std::string::npos);
  CHECK(ring_from_successors(Order{0}, "x"));
}

TEST_CASE("ring_order: rotated so that rank 0 stands first") {
  CHECK(starting_with_rank_zero({3, 1, 0, 2}) == Order{0, 2, 3, 1});
}

namespace {

/// Two nodes of one GPU each, one ring.
Execution two_nodes() {
  const ChannelRing ring{{0, 1}, {{0, 1, {0, 0}, {0, 0}, {1, 0}}, {1, 0, {1, 0}, {1, 0}, {0, 0}}}};
  return {.collective = Collective::all_reduce,
          .family = PartitionFamily::c,
          .element_bytes = 4,
          .gpu_of_rank = {{0, 0}, {1, 0}},
          .rings = {ring},
          .channels_origin = Origin::captured,
          .rings_origin = Origin::captured,
          .derivation = {}};
}

}  // namespace

TEST_CASE("ring_order: crossings must be where the ring changes the node") {
  CHECK(check_rings(two_nodes()).empty());
  const auto broken = [](auto&& change) {
    Execution execution = two_nodes();
    change(execution);
    return describe(check_rings(execution));
  };
  CHECK(broken([](Execution& e) { e.rings[0].crossings.pop_back(); }).find("no crossing") !=
        std::string::npos);
  CHECK(broken([](Execution& e) { e.rings[0].crossings.push_back({}); }).find("3 crossings") !=
        std::string::npos);
  CHECK(broken([](Execution& e) {
          std::swap(e.rings[0].crossings[0], e.rings[0].crossings[1]);
        }).find("ring order") != std::string::npos);
  CHECK(broken([](Execution& e) { e.rings[0].crossings[0].out.node = 1; }).find("another node") !=
        std::string::npos);
  CHECK(broken([](Execution& e) { e.rings[0].crossings[0].in.node = 0; }).find("another node") !=
        std::string::npos);
  CHECK(broken([](Execution& e) { e.gpu_of_rank[1] = {0, 0}; }).find("same GPU") != std::string::npos);
  CHECK(broken([](Execution& e) {
          e.rings[0].order = {1, 0};
        }).find("starts with rank 1") != std::string::npos);
  CHECK(broken([](Execution& e) { e.rings.clear(); }).find("without channels") != std::string::npos);
}
