#include "validation/nearest_size.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

using namespace caliper;
using doctest::Approx;

TEST_CASE("nearest size: exact on power laws, whatever the exponent and the steps") {
  for (const double exponent : {0.0, 0.3, 1.0, 1.7}) {
    const auto law = [&](double bytes) { return 3e-9 * std::pow(bytes, exponent); };
    std::vector<SizedTime> fitted;
    for (const std::uint64_t bytes : {1000u, 1500u, 9000u, 100000u})
      fitted.push_back({bytes, law(static_cast<double>(bytes))});
    for (std::uint64_t bytes = 1000; bytes <= 100000; bytes += 331)
      CHECK(*nearest_size_time(fitted, bytes) == Approx(law(static_cast<double>(bytes))).epsilon(1e-12));
  }
}

TEST_CASE("nearest size: beyond the fitted sizes the bandwidth of the nearest one") {
  const std::vector<SizedTime> fitted = {{1000, 2e-6}, {4000, 5e-6}};
  CHECK(*nearest_size_time(fitted, 500) == Approx(1e-6));
  CHECK(*nearest_size_time(fitted, 8000) == Approx(10e-6));
  CHECK(*nearest_size_time(fitted, 2000) == Approx(std::sqrt(2e-6 * 5e-6)));  // half way in log size
  CHECK(*nearest_size_time(fitted, 4000) == 5e-6);
  CHECK(*nearest_size_time(std::vector<SizedTime>{{1000, 2e-6}}, 3000) == Approx(6e-6));
}

TEST_CASE("nearest size: nothing without a fitted size or without bytes") {
  CHECK_FALSE(nearest_size_time({}, 1000));
  CHECK_FALSE(nearest_size_time(std::vector<SizedTime>{{1000, 2e-6}}, 0));
}
