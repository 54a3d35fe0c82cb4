// https://github.com/meta-pytorch/botorch/issues/179 and others: optimisers that fell over near-duplicate
// points, constant losses, a single observation, or one point with several values.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "calibration/composite_optimizer.hpp"
#include "calibration/qlogei_optimizer.hpp"

using namespace caliper;

namespace {

Eigen::VectorXd point(double a, double b) { return Eigen::Vector2d(a, b); }

void check_proposal(const Optimizer& optimizer, const std::vector<Evaluation>& history) {
  const auto batch = optimizer.propose(history);
  CHECK(batch.size() == 2);
  for (const Eigen::VectorXd& proposed : batch) {
    REQUIRE(proposed.allFinite());
    CHECK((proposed.array() >= 0 && proposed.array() <= 1).all());
    for (const Evaluation& known : history) CHECK((known.point - proposed).norm() > 0);
  }
  CHECK((batch[0] - batch[1]).norm() > 0);
}

/// By the loss alone, and by a single residual.
void check_proposal(std::vector<Evaluation> history) {
  check_proposal(QlogeiOptimizer({.seed = 3}), history);
  for (Evaluation& one : history)
    if (std::isfinite(one.loss)) one.residuals = Eigen::VectorXd::Constant(1, one.loss);
  check_proposal(CompositeOptimizer({.seed = 3, .groups = {1}}), history);
}

}  // namespace

TEST_CASE("issue botorch 179: histories that carry little still give two new points inside the cube") {
  const double infinity = std::numeric_limits<double>::infinity();
  SUBCASE("one observation") { check_proposal({{point(0.5, 0.5), 1.0, {}}}); }
  SUBCASE("nothing but failures") {
    check_proposal({{point(0.1, 0.2), infinity, {}}, {point(0.7, 0.9), infinity, {}}});
  }
  SUBCASE("a constant loss") {
    std::vector<Evaluation> history;
    for (int i = 0; i < 12; ++i) history.push_back({point(i / 12.0, 1 - i / 13.0), 0.25, {}});
    check_proposal(history);
  }
  SUBCASE("near-duplicates, from 1e-16 to 1e-4 apart") {
    std::vector<Evaluation> history;
    for (int i = 4; i <= 16; ++i)
      history.push_back({point(0.3 + std::pow(10.0, -i), 0.6), 1 + std::pow(10.0, -i), {}});
    check_proposal(history);
  }
  SUBCASE("one point with several values") {
    check_proposal({{point(0.3, 0.6), 1.0, {}},
                    {point(0.3, 0.6), 1.5, {}},
                    {point(0.3, 0.6), 0.5, {}},
                    {point(0.8, 0.1), 2.0, {}}});
  }
  SUBCASE("losses over forty decades") {
    std::vector<Evaluation> history;
    for (int i = 0; i < 10; ++i)
      history.push_back({point(i / 10.0, i * i / 100.0), std::pow(10.0, 4 * i - 20), {}});
    check_proposal(history);
  }
}
