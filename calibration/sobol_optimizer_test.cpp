#include "calibration/sobol_optimizer.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("sobol optimiser: the design and all batches are one sequence without a repetition") {
  const SobolOptimizer optimizer({.seed = 7, .batch = 3});
  std::vector<Evaluation> history;
  for (const auto& point : optimizer.initial_points(4)) history.push_back({point, 1, {}});
  CHECK(history.size() == 10);
  while (history.size() < 40) {
    const auto batch = optimizer.propose(history);
    CHECK(batch.size() == 3);
    for (const auto& point : batch) history.push_back({point, 1, {}});
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    CHECK((history[i].point.array() > 0 && history[i].point.array() < 1).all());
    for (std::size_t j = 0; j < i; ++j) CHECK((history[i].point - history[j].point).norm() > 1e-3);
  }
}
