#include "validation/residual_structure.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;
using doctest::Approx;

namespace {

/// Sizes 1 KiB, 2 KiB, ...
std::vector<SizedResidual> doubling(const std::vector<double>& values) {
  std::vector<SizedResidual> residuals;
  for (std::size_t i = 0; i < values.size(); ++i) residuals.push_back({std::uint64_t{1024} << i, values[i]});
  return residuals;
}

double normal(std::uint64_t who, std::uint64_t which) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += unit_draw(i, who, which);
  return sum;
}

}  // namespace

TEST_CASE("runs test: the exact distribution, against the published tables and by counting") {
  // Swed and Eisenhart (1943): n1 = n2 = 5 has 2 of C(10,5) = 252 arrangements with two runs.
  CHECK(probability_of_runs_up_to(5, 5, 1) == 0);
  CHECK(probability_of_runs_up_to(5, 5, 2) == Approx(2.0 / 252));
  CHECK(probability_of_runs_up_to(5, 5, 3) == Approx(10.0 / 252));
  CHECK(probability_of_runs_up_to(5, 5, 10) == Approx(1));
  CHECK(probability_of_runs_up_to(2, 3, 2) == Approx(2.0 / 10));
  CHECK(probability_of_runs_up_to(10, 10, 6) == Approx(0.0185).epsilon(0.005));
  CHECK(probability_of_runs_up_to(7, 0, 1) == 1);

  for (const unsigned total : {4u, 7u, 10u})
    for (unsigned positive = 1; positive < total; ++positive) {
      std::vector<double> with_runs(total + 1), all(1);
      for (unsigned signs = 0; signs < 1u << total; ++signs) {
        unsigned ones = 0, runs = 1;
        for (unsigned i = 0; i < total; ++i) {
          ones += signs >> i & 1u;
          if (i > 0) runs += (signs >> i & 1u) != (signs >> (i - 1) & 1u);
        }
        if (ones != positive) continue;
        ++with_runs[runs];
        ++all[0];
      }
      double up_to = 0;
      for (unsigned runs = 1; runs <= total; ++runs) {
        up_to += with_runs[runs] / all[0];
        CHECK(probability_of_runs_up_to(positive, total - positive, runs) == Approx(up_to));
      }
    }
}

TEST_CASE("runs test: near its normal limit for many sizes") {
  // Mean 2ab/(a+b) + 1 = 1001, variance 2ab(2ab-a-b) / ((a+b)^2 (a+b-1)) = 499.75; with continuity
  // correction.
  const double z = (960.5 - 1001) / std::sqrt(499.75);
  CHECK(probability_of_runs_up_to(1000, 1000, 960) ==
        Approx(0.5 * std::erfc(-z / std::sqrt(2))).epsilon(0.01));
}

TEST_CASE("runs test: counts signs in order, leaves zeros out") {
  const RunsTest test = runs_test(doubling({1, 2, 0, 3, -1, 0, -2, 1}));
  CHECK(test.positive == 4);
  CHECK(test.negative == 2);
  CHECK(test.runs == 3);
  CHECK(test.p == Approx(probability_of_runs_up_to(4, 2, 3)));
  CHECK(runs_test(doubling({1, 2, 3})).p == 1);
  CHECK(runs_test(doubling({0, 0})).p == 1);
  CHECK(runs_test({}).p == 1);
}

TEST_CASE("decomposition: the squares add up to the mean square, on any residuals") {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    std::vector<SizedResidual> residuals;
    std::uint64_t bytes = 1;
    for (std::uint64_t i = 0; i < 3 + trial % 20; ++i) {
      bytes += 1 + (hash64(trial, 1, i) >> 44);
      residuals.push_back({bytes, unit_draw(trial, 2, i) - 0.3});
    }
    const ResidualStructure found = residual_structure(residuals);
    const double sum =
        found.bias * found.bias + found.structured * found.structured + found.scatter * found.scatter;
    CHECK(sum == Approx(found.rms * found.rms).epsilon(1e-12));
    CHECK(std::abs(found.autocorrelation) <= 1);
  }
}

TEST_CASE("decomposition: a line in log size is all structure, a constant all bias, both without scatter") {
  const ResidualStructure line = residual_structure(doubling({-0.02, -0.01, 0, 0.01, 0.02}));
  CHECK(line.bias == Approx(0));
  CHECK(line.scatter == Approx(0));
  CHECK(line.structured == Approx(0.01 * std::sqrt(2)));  // variance of -2..2 is 2
  CHECK(line.autocorrelation == Approx(0.4));             // (2 + 0 + 0 + 2) / 10
  const ResidualStructure constant = residual_structure(doubling({0.03, 0.03, 0.03, 0.03}));
  CHECK(constant.bias == Approx(0.03));
  CHECK(constant.structured == Approx(0));
  CHECK(constant.systematic() == Approx(0.03));
}

TEST_CASE("decomposition: scatter of known size is told from a wave of known size, on uneven sizes") {
  constexpr double kScatter = 0.01, kWave = 0.03, kBias = -0.02;
  std::vector<SizedResidual> residuals;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t bytes = 4096 + 4096 * i;
    const double wave = std::sqrt(2) * kWave * std::sin(0.02 * static_cast<double>(i));
    residuals.push_back({bytes, kBias + wave + kScatter * normal(3, i)});
  }
  const ResidualStructure found = residual_structure(residuals);
  CHECK(found.scatter == Approx(kScatter).epsilon(0.1));
  CHECK(found.structured == Approx(kWave).epsilon(0.1));
  CHECK(found.bias == Approx(kBias).epsilon(0.1));
}

TEST_CASE("decomposition: too few sizes leave structure and scatter open") {
  const ResidualStructure two = residual_structure(doubling({0.03, 0.01}));
  CHECK(two.rms == Approx(std::sqrt(5e-4)));
  CHECK(std::isnan(two.structured));
  CHECK(two.systematic() == two.rms);
  CHECK(residual_structure({}).count == 0);
}

TEST_CASE("structured: pure scatter is not, a step or a bias beyond the noise is") {
  std::size_t called = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    std::vector<double> scatter;
    for (std::uint64_t i = 0; i < 16; ++i) scatter.push_back(0.01 * normal(trial, i));
    called += why_structured(residual_structure(doubling(scatter)), 0.01).empty() ? 0u : 1u;
  }
  CHECK(called <= 6);  // 1 % of 200, and what the second rule adds

  std::vector<double> step;
  for (std::uint64_t i = 0; i < 16; ++i) step.push_back((i < 8 ? 0.02 : -0.02) + 0.001 * normal(7, i));
  CHECK(why_structured(residual_structure(doubling(step)), 0.1).starts_with("runs test p = "));
  const std::vector<double> bias = {0.031, 0.029, 0.030, 0.031, 0.029};
  CHECK(why_structured(residual_structure(doubling(bias)), 0.001).starts_with("systematic part of 3 %"));
  CHECK(why_structured(residual_structure(doubling(bias)), 0.02).empty());  // repeats disagree as much
  CHECK(why_structured(residual_structure(doubling({0.03, 0.03, 0.03, 0.03})), 0).empty());  // four sizes
  CHECK(why_structured(residual_structure(doubling({0, 0, 0, 0, 0, 0})), 0).empty());
}

TEST_CASE("sign pattern: stretches in words, a single small point does not break one") {
  CHECK(sign_pattern(doubling({0.02, 0.02, -0.0001, 0.02, -0.01, -0.03})) ==
        "too slow up to 8 KiB (+1.51 %), too fast above (-1.98 %)");
  CHECK(sign_pattern(doubling({-0.01, -0.01})) == "too fast at all sizes (-1.00 %)");
  CHECK(sign_pattern(doubling({-0.05, 0.05, -0.05})) ==
        "too fast up to 1 KiB (-4.88 %), too slow up to 2 KiB (+5.13 %), too fast above (-4.88 %)");
  CHECK(sign_pattern({}).empty());
}
