#include "calibration/composite_optimizer.hpp"

#include <algorithm>
#include <cstdlib>

#include <doctest/doctest.h>

#include "base/stopwatch.hpp"
#include "calibration/test_problems.hpp"

using namespace caliper;
using caliper::test::Problem;

namespace {

Evaluation evaluated(const Problem& problem, const Eigen::VectorXd& point) {
  return {point, problem.loss(point), problem.residuals(point)};
}

/// 2 (d + 1) points and 30 batches of two, as the optimisers compared with had; the default configuration
/// that a stage adds is here the first of these points once more.
std::vector<double> best_after(const Problem& problem, std::uint64_t seed, int iterations) {
  const CompositeOptimizer optimizer({.seed = seed, .groups = problem.groups});
  std::vector<Evaluation> history;
  const auto first = optimizer.initial_points(static_cast<std::size_t>(problem.dimensions));
  history.push_back(evaluated(problem, first.front()));
  for (const auto& point : first) history.push_back(evaluated(problem, point));
  std::vector<double> best;
  const auto note = [&] { best.push_back(std::ranges::min_element(history, {}, &Evaluation::loss)->loss); };
  note();
  for (int i = 0; i < iterations; ++i) {
    for (const auto& point : optimizer.propose(history)) {
      REQUIRE((point.array() >= 0).all());
      REQUIRE((point.array() <= 1).all());
      history.push_back(evaluated(problem, point));
    }
    note();
  }
  return best;
}

}  // namespace

TEST_CASE("composite: study" * doctest::skip(std::getenv("STUDY") == nullptr)) {
  for (const Problem& problem : test::calibration_problems()) {
    std::vector<std::vector<double>> runs;
    Stopwatch watch;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) runs.push_back(best_after(problem, seed, 30));
    const double seconds = watch.seconds() / 300;
    MESSAGE(problem.name << " " << seconds * 1e3 << " ms an iteration");
    for (const std::size_t at : {5, 10, 20, 30}) {
      std::vector<double> values;
      for (const auto& run : runs) values.push_back(run[at] - problem.minimum);
      std::ranges::sort(values);
      MESSAGE("  " << at << ": " << values[4] << " " << values[5] << " [" << values[2] << ", " << values[7]
                   << "] worst " << values[9]);
    }
  }
}
