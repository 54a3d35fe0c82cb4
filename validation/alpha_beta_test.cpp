#include "validation/alpha_beta.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;
using doctest::Approx;

TEST_CASE(
    "alpha-beta: a ring of 4 us a step and 100 GB/s is found and carried to other sizes, scales, "
    "collectives") {
  const auto truth = [](double steps, double factor, double bytes) {
    return 4e-6 * steps + factor * bytes / 100e9;
  };
  std::vector<CollectivePoint> points;
  for (std::uint64_t bytes = 1 << 12; bytes <= 1u << 28; bytes *= 2)
    points.push_back({"all_reduce", 8, bytes, truth(14, 1.75, static_cast<double>(bytes))});
  const auto fit = fit_alpha_beta(points);
  REQUIRE(fit);
  CHECK(fit->alpha == Approx(4e-6).epsilon(1e-9));
  CHECK(fit->inverse_beta == Approx(1 / 100e9).epsilon(1e-9));
  CHECK(*fit->predict("all_reduce", 8, 1000) == Approx(truth(14, 1.75, 1000)));
  CHECK(*fit->predict("all_reduce", 64, 1 << 20) == Approx(truth(126, 126.0 / 64, 1 << 20)));
  CHECK(*fit->predict("all_gather", 8, 1 << 20) == Approx(truth(7, 0.875, 1 << 20)));
  CHECK(*fit->predict("reduce_scatter", 2, 1 << 20) == Approx(truth(1, 0.5, 1 << 20)));
  CHECK(!fit->predict("all_reduce", 1, 1 << 20));
  CHECK(!fit->predict("no_such_collective", 8, 1 << 20));
}

TEST_CASE("alpha-beta: no other pair of values >= 0 has a smaller relative error") {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    std::vector<CollectivePoint> points;
    for (std::uint64_t i = 0; i < 12; ++i)
      points.push_back(
          {"all_gather", 4, std::uint64_t{1} << (2 * i), 1e-6 * std::pow(10, 3 * unit_draw(1, trial, i))});
    const auto cost = [&](const AlphaBeta& fit) {
      double sum = 0;
      for (const CollectivePoint& p : points)
        sum += std::pow(*fit.predict(p.collective, p.ranks, p.bytes) / p.seconds - 1, 2);
      return sum;
    };
    const auto fit = fit_alpha_beta(points);
    REQUIRE(fit);
    CHECK(fit->alpha >= 0);
    CHECK(fit->inverse_beta >= 0);
    const double best = cost(*fit);
    for (const double a : {0.0, 0.9, 0.999, 1.001, 1.1})
      for (const double b : {0.0, 0.9, 0.999, 1.001, 1.1})
        CHECK(cost({fit->alpha * a, fit->inverse_beta * b}) >= best * (1 - 1e-12));
    // away from a bound that holds
    CHECK(cost({fit->alpha + 1e-9, fit->inverse_beta}) >= best * (1 - 1e-12));
    CHECK(cost({fit->alpha, fit->inverse_beta + 1e-15}) >= best * (1 - 1e-12));
  }
}

TEST_CASE("alpha-beta: a bound that the free fit would cross holds") {
  // time grows faster than the size: no start-up
  const std::vector<CollectivePoint> steep = {{"sendrecv", 2, 1000, 1e-6}, {"sendrecv", 2, 2000, 4e-6}};
  CHECK(fit_alpha_beta(steep)->alpha == 0);
  // time falls with the size: nothing but start-up
  const std::vector<CollectivePoint> falling = {{"sendrecv", 2, 1000, 4e-6}, {"sendrecv", 2, 2000, 1e-6}};
  CHECK(fit_alpha_beta(falling)->inverse_beta == 0);
}

TEST_CASE("alpha-beta: what cannot be fitted is refused") {
  CHECK(!fit_alpha_beta({}));
  CHECK(!fit_alpha_beta(std::vector<CollectivePoint>{{"all_reduce", 4, 1000, 1e-6}}));
  CHECK(!fit_alpha_beta(
      std::vector<CollectivePoint>{{"all_reduce", 4, 1000, 1e-6}, {"all_reduce", 4, 1000, 2e-6}}));
  CHECK(!fit_alpha_beta(
      std::vector<CollectivePoint>{{"all_reduce", 1, 1000, 1e-6}, {"all_reduce", 1, 2000, 2e-6}}));
}
