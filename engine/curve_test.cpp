#include "engine/curve.hpp"

#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;

namespace {

/// Bisects a function over 0, 1, ..., n-1 and checks it everywhere; the runs that it took.
std::size_t check(std::size_t n, const std::function<CurvePoint(double)>& f) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<double>(i));
  CurveBisection curve(x, std::vector<char>(x.size(), 1));
  while (!curve.wanted().empty()) {
    std::vector<CurvePoint> answers;
    for (const std::size_t point : curve.wanted()) answers.push_back(f(x[point]));
    curve.give(answers);
  }
  for (std::size_t i = 0; i < n; ++i) {
    CAPTURE(i);
    REQUIRE(curve.value(i) == doctest::Approx(f(x[i]).seconds).epsilon(1e-9));
  }
  return curve.computed();
}

}  // namespace

TEST_CASE("curve: a straight line takes two runs where decisions prove it, three where the curve is convex") {
  CHECK(check(1000, [](double x) { return CurvePoint{3 + 0.1 * x, 7, false}; }) == 2);
  CHECK(check(1000, [](double x) {
          return CurvePoint{3 + 0.1 * x, static_cast<std::uint64_t>(x), true};
        }) == 3);
  for (std::size_t n = 1; n <= 9; ++n)
    CHECK(check(n, [](double x) { return CurvePoint{3 + 0.1 * x, 0, true}; }) == std::min<std::size_t>(n, 3));
}

TEST_CASE("curve: a maximum of lines is found with a few runs for each break") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto lines = [&](double x) {
      CurvePoint most{0, 0, true};
      for (std::uint64_t l = 0; l < 5; ++l) {
        const double value = 300 * unit_draw(seed, 2, l) + unit_draw(seed, 1, l) * x;
        if (value > most.seconds) most = {value, l + 1, true};
      }
      return most;
    };
    CHECK(check(1024, lines) <= 80);
    CHECK(check(1024, [&](double x) {
            const CurvePoint p = lines(x);
            return CurvePoint{p.seconds, p.decisions, false};
          }) <= 80);
  }
}

TEST_CASE("curve: what looks straight and is not proved to be is computed at every point") {
  CHECK(check(1000, [](double x) { return CurvePoint{3 + 0.1 * x, 0, false}; }) == 1000);
  // A dent between points that lie on the chord.
  CHECK(check(1000, [](double x) {
          return CurvePoint{10 + x - (x > 30 && x < 40 ? 1 : 0), static_cast<std::uint64_t>(x), false};
        }) == 1000);
}

TEST_CASE("curve: a point without a time makes every point be computed") {
  std::vector<double> x;
  for (int i = 0; i < 100; ++i) x.push_back(i);
  CurveBisection curve(x, std::vector<char>(x.size(), 1));
  std::size_t runs = 0;
  while (!curve.wanted().empty()) {
    std::vector<CurvePoint> answers;
    for (const std::size_t point : curve.wanted())
      answers.push_back({point == 49 ? std::nan("") : 1.0, 0, true});
    runs += answers.size();
    curve.give(answers);
  }
  CHECK(runs == 100);
  CHECK(std::isnan(curve.value(49)));
}

TEST_CASE("curve: a point's value does not depend on what else is asked") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const bool convex = seed % 2 == 0;
    const auto f = [&](double x) {
      CurvePoint most{0, 0, convex};
      for (std::uint64_t l = 0; l < 6; ++l) {
        const double value = 300 * unit_draw(seed, 2, l) + unit_draw(seed, 1, l) * x;
        if (value > most.seconds) most = {value, l + 1, convex};
      }
      return most;
    };
    std::vector<double> x;
    for (int i = 0; i < 500; ++i) x.push_back(i);
    const auto answer = [&](std::vector<char> asked) {
      CurveBisection curve(x, asked);
      while (!curve.wanted().empty()) {
        std::vector<CurvePoint> answers;
        for (const std::size_t point : curve.wanted()) answers.push_back(f(x[point]));
        curve.give(answers);
      }
      std::vector<double> values(x.size(), 0);
      for (std::size_t i = 0; i < x.size(); ++i)
        if (asked[i]) values[i] = curve.value(i);
      return values;
    };
    const std::vector<double> all = answer(std::vector<char>(x.size(), 1));
    std::vector<char> some(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) some[i] = hash64(seed, 3, i) % 9 == 0;
    const std::vector<double> few = answer(some);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (some[i]) CHECK(few[i] == all[i]);
  }
}
