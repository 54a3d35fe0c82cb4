#include "validation/error_statistics.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace caliper;
using doctest::Approx;

TEST_CASE("error statistics: four points on paper") {
  // errors +10 %, -20 %, 0, +30 %: sorted magnitudes 0, .1, .2, .3; p50 at position 1.5, p95 at 2.85
  const std::vector<double> measured = {10, 10, 5, 100};
  const std::vector<double> simulated = {11, 8, 5, 130};
  const ErrorStatistics found = error_statistics(simulated, measured);
  CHECK(found.count == 4);
  CHECK(found.failed == 0);
  CHECK(found.mean == Approx(0.15));
  CHECK(found.signed_mean == Approx(0.05));
  CHECK(found.p50 == Approx(0.15));
  CHECK(found.p95 == Approx(0.285));
  CHECK(found.max == Approx(0.3));
}

TEST_CASE("error statistics: no points, and points without a simulated time") {
  const ErrorStatistics none = error_statistics({}, {});
  CHECK(none.count == 0);
  CHECK(std::isnan(none.mean));
  CHECK(std::isnan(none.p95));
  const std::vector<double> measured = {1, 1, 1};
  const std::vector<double> simulated = {NAN, 1.5, INFINITY};
  const ErrorStatistics some = error_statistics(simulated, measured);
  CHECK(some.count == 1);
  CHECK(some.failed == 2);
  CHECK(some.p95 == Approx(0.5));
}

TEST_CASE("quantile: numpy's default") {
  CHECK(quantile({3, 1, 2}, 0.5) == Approx(2));
  CHECK(quantile({4, 1, 3, 2}, 0.25) == Approx(1.75));
  CHECK(quantile({4, 1, 3, 2}, 0) == 1);
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
  CHECK(quantile({7}, 0.95) == 7);
  CHECK(std::isnan(quantile({}, 0.5)));
}
