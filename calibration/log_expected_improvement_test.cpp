// Equations; the reference's numbers are in gp_reference_test.cpp.
#include "calibration/log_expected_improvement.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("log h: at 0 the improvement is the density, 1 / sqrt(2 pi)") {
  CHECK(log_h(0).value == doctest::Approx(-0.5 * std::log(2 * std::numbers::pi)).epsilon(1e-15));
  CHECK(log_h(0).derivative == doctest::Approx(std::sqrt(std::numbers::pi / 2)).epsilon(1e-15));
  CHECK(log_h(0).density_ratio == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("log h: h = phi + z Phi ties its three results together everywhere") {
  // phi/h + z Phi/h = 1; where the two cancel, relative to their size.
  for (const double z : {-1e14, -1e12, -3e7, -1e6, -999999.0, -100.0, -59.9, -60.1, -2.0, -1.0, -0.99, -0.1,
                         0.1, 0.9, 3.0, 30.0, 1e8}) {
    const LogH h = log_h(z);
    CAPTURE(z);
    CHECK(std::abs(h.density_ratio + z * h.derivative - 1) <= 4e-16 * std::max(1.0, h.density_ratio));
  }
}

TEST_CASE("log h: no step where the formula changes") {
  for (const double z : {-1e12, -1e6, -60.0, -1.0, 0.0}) {
    const double step = 1e-9 * std::max(1.0, -z);
    const LogH left = log_h(z - step), right = log_h(z + step);
    CAPTURE(z);
    CHECK(right.value - left.value == doctest::Approx(2 * step * log_h(z).derivative).epsilon(1e-5));
    CHECK(right.derivative == doctest::Approx(left.derivative).epsilon(1e-8));
  }
}

TEST_CASE("log expected improvement: against the integral it stands for") {
  // E[max(0, best - Y)], Y = mean + deviation x, by the midpoint rule over x.
  for (const double mean : {-1.0, 0.0, 2.0}) {
    for (const double deviation : {0.1, 1.0, 3.0}) {
      const double best = 0.3, step = 1e-4;
      double sum = 0;
      for (double x = -12 + step / 2; x < 12; x += step)
        sum += std::max(0.0, best - mean - deviation * x) * std::exp(-x * x / 2) * step /
               std::sqrt(2 * std::numbers::pi);
      if (sum < 1e-30) continue;  // the rule has no digits left there
      CHECK(log_expected_improvement(mean, deviation, best).value ==
            doctest::Approx(std::log(sum)).epsilon(1e-6));
    }
  }
}

TEST_CASE("log expected improvement: derivatives against central differences, near and far") {
  for (const double mean : {-2.0, 0.5, 4.0, 60.0}) {
    const double deviation = 0.7, best = 0.1, step = 1e-5;
    const auto at = [&](double m, double s) { return log_expected_improvement(m, s, best); };
    const auto ei = at(mean, deviation);
    CHECK((at(mean + step, deviation).value - at(mean - step, deviation).value) / (2 * step) ==
          doctest::Approx(ei.by_mean).epsilon(1e-6));
    CHECK((at(mean, deviation + step).value - at(mean, deviation - step).value) / (2 * step) ==
          doctest::Approx(ei.by_deviation).epsilon(1e-6));
  }
}
