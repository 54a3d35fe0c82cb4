// https://github.com/NVIDIA/nccl/issues/1020, https://github.com/NVIDIA/nccl/issues/1008: a ring order that
// does not close, and a plan for another number of GPUs than the job has.
#include <doctest/doctest.h>

#include "collectives/ring_order.hpp"

using namespace caliper;

namespace {

std::string refusal(const std::vector<std::uint32_t>& order, std::uint32_t ranks) {
  return describe(check_ring(order, ranks, "ring 3"));
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("issue nccl 1020: an order that is no ring of the job's ranks is refused under the rank's number") {
  CHECK(check_ring(std::vector<std::uint32_t>{0, 2, 1, 3}, 4, "ring 3").empty());
  CHECK(says(refusal({0, 1, 2, 4}, 4), "4"));       // no such rank
  CHECK(says(refusal({0, 1, 2, 1}, 4), "1"));       // twice
  CHECK(says(refusal({0, 1, 3}, 4), "2"));          // missing
  CHECK(!refusal({0, 1, 2, 3}, 2).empty());         // a plan of four for a job of two
  CHECK(says(refusal({0, 1, 2, 3}, 2), "ring 3"));  // which one
}

TEST_CASE("issue nccl 1020: successors that come back too early, or never, are refused") {
  CHECK(ring_from_successors(std::vector<std::uint32_t>{1, 2, 3, 0}, "ring"));
  CHECK(!ring_from_successors(std::vector<std::uint32_t>{1, 0, 3, 2}, "ring"));  // two rings
  CHECK(!ring_from_successors(std::vector<std::uint32_t>{1, 2, 1, 0}, "ring"));  // never back to 0
  CHECK(!ring_from_successors(std::vector<std::uint32_t>{1, 2, 7, 0}, "ring"));  // rank 7 of 4
}
