#include "bench/load_data.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace caliper;
using namespace caliper::bench;

TEST_CASE("load: the noise has the mean and the spread it is asked for, and is the same every time") {
  double sum = 0, squares = 0;
  constexpr std::uint64_t kDraws = 20'000;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double deviation = noise_factor(0.005, 1, 0, i) - 1;
    sum += deviation;
    squares += deviation * deviation;
  }
  // Five standard errors of the mean, and of the spread.
  CHECK(std::abs(sum / kDraws) < 5 * 0.005 / std::sqrt(kDraws));
  CHECK(std::sqrt(squares / kDraws) == doctest::Approx(0.005).epsilon(5 / std::sqrt(2.0 * kDraws)));
  CHECK(noise_factor(0.005, 1, 0, 7) == noise_factor(0.005, 1, 0, 7));
  CHECK(noise_factor(0.005, 1, 0, 7) != noise_factor(0.005, 1, 1, 7));
  CHECK(noise_factor(0.005, 1, 0, 7) != noise_factor(0.005, 2, 0, 7));
}

TEST_CASE("load: simulated times become one file of measurements a group") {
  const auto points = parse_simulated(
      "group,collective,ranks,size_bytes,time_us,algbw_GBps,busbw_GBps,measured_us\n"
      "ar-2x4,all_reduce,8,1024,20.5,1,1,\nar-2x4,all_reduce,8,2048,30,1,1,\nag-1x4,all_gather,4,1024,9,1,1,"
      "\n",
      "truth.csv");
  REQUIRE(points);
  const auto files = measurements(*points, 0, 1);
  REQUIRE(files.size() == 2);
  CHECK(files[0].first == "ar-2x4");
  CHECK(files[0].second.find("# nodes: 2\n") != std::string::npos);
  CHECK(files[0].second.ends_with("1024,20.500000,20.500000\n2048,30.000000,30.000000\n"));
  CHECK(files[1].second.find("synthetic") != std::string::npos);

  CHECK_FALSE(parse_simulated("size,time\n", "x"));
  const auto torn = parse_simulated("group,collective,ranks,size_bytes,time_us,\na,all_reduce,4,1024\n", "x");
  REQUIRE_FALSE(torn);
  CHECK(torn.problems().front().where == "x:2");
}
