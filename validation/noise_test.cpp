#include "validation/noise.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;

namespace {

Experiment repeated(std::uint64_t bytes, std::vector<double> repeats) {
  const double first = repeats.front();
  return {0, bytes, first, std::move(repeats)};
}

/// T = 20 us + bytes / (100 GB/s) at 1 KiB, 2 KiB, ... : smooth, with the knee between start-up and bandwidth
/// inside.
std::vector<Experiment> smooth(std::size_t count) {
  std::vector<Experiment> group;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bytes = std::uint64_t{1024} << i;
    const double seconds = 20e-6 + static_cast<double>(bytes) / 100e9;
    group.push_back({0, bytes, seconds, {seconds}});
  }
  return group;
}

}  // namespace

TEST_CASE("noise: median over sizes of the median pair") {
  // pairs of the second size: ln 1.1, ln 1.21, ln 1.1; over the sizes ln 1.1, ln 1.1, ln 2
  const std::vector<Experiment> group = {repeated(1, {1.0, 1.1}), repeated(2, {1.0, 1.1, 1.21}),
                                         repeated(4, {1, 2}), repeated(8, {5})};
  CHECK(noise_floor(group) == doctest::Approx(std::log(1.1)));
  CHECK(std::isnan(noise_floor(std::vector{repeated(8, {5})})));
  CHECK(std::isnan(noise_floor({})));
}

TEST_CASE("noise: reads as the standard deviation of one repeat, also with very many repeats") {
  constexpr double kSpread = 0.02;
  // Sum of twelve uniform draws less six: close to a standard normal variable.
  const auto normal = [](std::uint64_t who, std::uint64_t which) {
    double sum = -6;
    for (std::uint64_t i = 0; i < 12; ++i) sum += unit_draw(i, who, which);
    return sum;
  };
  for (const std::uint64_t repeats : {std::uint64_t{2}, std::uint64_t{20000}}) {
    std::vector<Experiment> group;
    for (std::uint64_t size = 1; size <= (repeats == 2 ? 2000u : 3u); ++size) {
      std::vector<double> times;
      for (std::uint64_t i = 0; i < repeats; ++i) times.push_back(std::exp(kSpread * normal(size, i)));
      group.push_back(repeated(size, std::move(times)));
    }
    CHECK(noise_floor(group) == doctest::Approx(0.954 * kSpread).epsilon(0.1));
  }
}

TEST_CASE("outliers: none on a smooth curve, none at a step, none in few points") {
  CHECK(outliers(smooth(16)).empty());
  auto step = smooth(16);
  for (std::size_t i = 8; i < 16; ++i) step[i].seconds *= 1.4;  // a protocol switch
  CHECK(outliers(step).empty());
  auto few = smooth(4);
  few[1].seconds *= 3;
  CHECK(outliers(few).empty());
  CHECK(outliers({}).empty());
}

TEST_CASE("outliers: a single bad point is found wherever it stands, its neighbours are not accused") {
  for (std::size_t at = 0; at < 16; ++at)
    for (const double factor : {1.3, 0.7}) {
      CAPTURE(at);
      CAPTURE(factor);
      auto group = smooth(16);
      group[at].seconds *= factor;
      const auto found = outliers(group);
      REQUIRE(found.size() == 1);
      CHECK(found[0].index == at);
      CHECK(found[0].deviation == doctest::Approx(factor - 1).epsilon(1e-6));
    }
}

TEST_CASE("outliers: the threshold grows with the roughness of the group") {
  auto group = smooth(16);
  for (std::size_t i = 0; i < group.size(); ++i) group[i].seconds *= i % 2 == 0 ? 1.06 : 0.94;
  group[9].seconds *= 1.15;
  CHECK(outliers(group).empty());
}

TEST_CASE("outliers: a rough stretch at small sizes hides no disturbed last size") {
  auto group = smooth(12);
  for (std::size_t i = 0; i < 6; ++i) group[i].seconds *= i % 2 == 0 ? 1.2 : 0.8;
  CHECK(outliers(group).empty());
  group.back().seconds *= 1.15;
  const auto found = outliers(group);
  REQUIRE(found.size() == 1);
  CHECK(found[0].index == 11);
}

TEST_CASE(
    "noise interval: closed form where all sizes agree, covers the truth where they do not, repeats itself") {
  std::vector<Experiment> equal;
  for (std::uint64_t size = 1; size <= 8; ++size) equal.push_back(repeated(size, {1.0, 1.1}));
  const NoiseEstimate same = estimate_noise(equal);
  CHECK(same.repeated == 8);
  CHECK(same.floor == doctest::Approx(std::log(1.1)));
  CHECK(same.interval.first == same.floor);
  CHECK(same.interval.second == same.floor);

  // Disagreements uniform in [0, 0.02]: a median of 0.01, which 95 of 100 intervals are to contain.
  std::size_t covered = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    std::vector<Experiment> group;
    for (std::uint64_t size = 1; size <= 25; ++size)
      group.push_back(repeated(size, {1.0, std::exp(0.02 * unit_draw(9, trial, size))}));
    const NoiseEstimate found = estimate_noise(group);
    CHECK(found.interval.first <= found.floor);
    CHECK(found.floor <= found.interval.second);
    CHECK(found.interval == estimate_noise(group).interval);
    covered += found.interval.first <= 0.01 && 0.01 <= found.interval.second ? 1 : 0;
  }
  CHECK(covered >= 88);

  equal.resize(2);
  CHECK(std::isnan(estimate_noise(equal).interval.first));
}

TEST_CASE("roughness: 0 on a power law, the standard deviation of scatter about it, nothing of few sizes") {
  const auto law = [](std::uint64_t i, double scatter) {
    const std::uint64_t bytes = 1000 + 37 * i * i;  // uneven steps
    return Experiment{0, bytes, 1e-9 * std::pow(static_cast<double>(bytes), 0.8) * std::exp(scatter), {}};
  };
  std::vector<Experiment> smooth_law, rough;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    double normal = -6;
    for (std::uint64_t k = 0; k < 12; ++k) normal += unit_draw(k, 5, i);
    smooth_law.push_back(law(i, 0));
    rough.push_back(law(i, 0.03 * normal));
  }
  CHECK(estimate_noise(smooth_law).roughness < 1e-12);
  CHECK(estimate_noise(rough).roughness == doctest::Approx(0.03).epsilon(0.06));
  CHECK(estimate_noise(rough).repeated == 0);
  CHECK(std::isnan(estimate_noise(rough).floor));
  rough.resize(4);
  CHECK(std::isnan(estimate_noise(rough).roughness));
}
