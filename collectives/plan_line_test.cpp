#include "collectives/plan_line.hpp"

#include <doctest/doctest.h>

#include "collectives/derivation.hpp"
#include "collectives/test_machine.hpp"

using namespace caliper;

namespace {

Execution derived(std::uint32_t nodes, std::uint32_t channels, PartitionFamily family) {
  static const Machine machine = a100_machine(16);
  auto execution =
      derive_execution(machine, node_major(nodes, 4), Collective::all_reduce, family, 4, channels);
  REQUIRE(execution);
  return *std::move(execution);
}

std::vector<std::pair<std::size_t, std::size_t>> lines(const Execution& execution, std::uint64_t step,
                                                       std::size_t count) {
  std::vector<Plan> plans;
  for (std::uint64_t i = 1; i <= count; ++i) plans.push_back(make_plan(execution, i * step));
  return lines_of(plans);
}

}  // namespace

TEST_CASE("plan_line: 64 GPUs, 8 channels, steps of 0.5 MiB: a handful of lines up to 512 MiB") {
  const Execution execution = derived(16, 8, PartitionFamily::c);
  const auto found = lines(execution, 512 << 10, 1024);
  CHECK(found.size() <= 4);  // chunks below two slices of 32 KiB, then one line
  CHECK(found.back().second - found.back().first > 900);
}

TEST_CASE("plan_line: 4 GPUs, 24 channels: a staircase of 8 KiB cells has no long line") {
  const Execution execution = derived(1, 24, PartitionFamily::c);
  for (const auto& [first, last] : lines(execution, 512 << 10, 256)) CHECK(last - first < 8);
}

TEST_CASE("plan_line: lines cover all sizes once, and all of a line is on it") {
  for (const auto family : {PartitionFamily::a, PartitionFamily::b, PartitionFamily::c})
    for (const std::uint32_t channels : {1u, 3u, 8u}) {
      const Execution execution = derived(2, channels, family);
      std::vector<Plan> plans;
      for (std::uint64_t i = 1; i <= 60; ++i) plans.push_back(make_plan(execution, i * 65536 * 3));
      std::size_t next = 0;
      for (const auto& [first, last] : lines_of(plans)) {
        CHECK(first == next);
        REQUIRE(last >= first);
        next = last + 1;
        for (std::size_t b = first + 1; b < last; ++b)
          CHECK(on_one_line(plans[first], plans[b], plans[last]));
      }
      CHECK(next == plans.size());
    }
}
