// Flow-level completion times against an independent simulator: SimGrid's max-min model on the same work.
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "engine/flow_run.hpp"
#include "tests/support/ring_work.hpp"

using namespace caliper;
using caliper::testing::RingWork;

namespace {

struct Case {
  RingWork work;
  double expected_us;
  std::string text;
};

/// "512M", "0.5M", "512K", "0": bytes.
std::uint64_t bytes_of(std::string_view text) {
  if (text == "0") return 0;
  const double unit = text.back() == 'K' ? 1024.0 : 1048576.0;
  return static_cast<std::uint64_t>(*parse_double(text.substr(0, text.size() - 1)) * unit);
}

std::vector<Case> recorded_cases() {
  const auto content = read_file(CALIPERSIM_TEST_DATA "/simgrid_ring_allreduce.tsv");
  REQUIRE(content);
  std::vector<Case> cases;
  for (const std::string_view line : split_lines(*content)) {
    if (line.starts_with('#') || line.starts_with('n')) continue;
    const auto cell = split(line, '\t');
    REQUIRE(cell.size() == 9);
    const auto count = [&](std::size_t i) { return static_cast<std::uint32_t>(*parse_uint(cell[i])); };
    cases.push_back({{count(0), bytes_of(cell[1]), count(2), bytes_of(cell[3]), count(4), count(5), count(6)},
                     *parse_double(cell[8]),
                     std::string(line)});
  }
  return cases;
}

}  // namespace

TEST_CASE("oracle: SimGrid's 85 completion times of ring AllReduce to 1e-6") {
  const auto cases = recorded_cases();
  CHECK(cases.size() == 85);
  double worst = 0;
  for (const Case& c : cases) {
    const auto ring = caliper::testing::build_ring_work(c.work);
    const RunResult run = run_flow_level(ring.program, ring.numbers);
    REQUIRE_MESSAGE(!run.stuck, c.text);
    const double error = std::abs(run.seconds * 1e6 - c.expected_us) / c.expected_us;
    CHECK_MESSAGE(error <= 1e-6, c.text << ": " << run.seconds * 1e6);
    worst = std::max(worst, error);
  }
  MESSAGE("largest relative difference: " << worst);
}

TEST_CASE("oracle: the closed form of a ring in step, 2(n-1) times latency and share of the slowest edge") {
  for (const std::uint32_t n : {4u, 8u, 12u, 20u, 44u})
    for (const std::uint64_t bytes : {1ull << 20, (3ull << 20) + 5}) {
      const auto ring = caliper::testing::build_ring_work({.ranks = n, .bytes = bytes});
      const double message = std::ceil(static_cast<double>(bytes) / n);
      const double latency = n == 4 ? 1e-6 : n <= 16 ? 2e-6 : 4e-6;
      const double expected = 2 * (n - 1) * (latency + message / (n == 4 ? 100e9 : 25e9));
      CHECK(run_flow_level(ring.program, ring.numbers).seconds == doctest::Approx(expected).epsilon(1e-12));
    }
}
