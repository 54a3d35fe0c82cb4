#include "calibration/qlogei_optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numbers>

#include <doctest/doctest.h>
#include <tbb/global_control.h>

using namespace caliper;

namespace {

using Function = std::function<double(const Eigen::VectorXd&)>;

// Branin's function on the unit square; minimum 0.397887 at three points.
double branin(const Eigen::VectorXd& u) {
  const double pi = std::numbers::pi, x = 15 * u[0] - 5, y = 15 * u[1];
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

void evaluate(const Function& function, std::span<const Eigen::VectorXd> points,
              std::vector<Evaluation>& history) {
  for (const auto& point : points) {
    REQUIRE(point.allFinite());
    CHECK((point.array() >= 0 && point.array() <= 1).all());
    for (const Evaluation& before : history) CHECK((before.point - point).norm() >= 1e-9);
    history.push_back({point, function(point), {}});
  }
}

std::vector<Evaluation> run(const QlogeiOptions& options, std::size_t dimensions, int iterations,
                            const Function& function) {
  const QlogeiOptimizer optimizer(options);
  std::vector<Evaluation> history;
  evaluate(function, optimizer.initial_points(dimensions), history);
  for (int i = 0; i < iterations; ++i) {
    const auto batch = optimizer.propose(history);
    CHECK(batch.size() == 2);
    evaluate(function, batch, history);
  }
  return history;
}

double best_of(const std::vector<Evaluation>& history) {
  return std::ranges::min_element(history, {}, &Evaluation::loss)->loss;
}

bool same_points(const std::vector<Evaluation>& a, const std::vector<Evaluation>& b) {
  return std::ranges::equal(a, b,
                            [](const Evaluation& x, const Evaluation& y) { return x.point == y.point; });
}

const double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("qlogei: the design is 2 (d + 1) points") {
  for (const std::size_t dimensions : {1u, 2u, 6u, 12u})
    CHECK(QlogeiOptimizer({}).initial_points(dimensions).size() == 2 * (dimensions + 1));
}

TEST_CASE("qlogei: 66 evaluations of Branin's function end within 1e-3 of its minimum, 0.397887") {
  CHECK(best_of(run({.seed = 1}, 2, 30, branin)) < 0.3989);
}

TEST_CASE("qlogei: a positive loss that spans decades, and one that turns negative") {
  const Function cone = [](const Eigen::VectorXd& u) { return (u - Eigen::Vector3d(0.3, 0.6, 0.8)).norm(); };
  const double reached = best_of(run({.seed = 2}, 3, 20, cone));
  CHECK(reached < 0.02);
  CHECK(best_of(run({.seed = 2}, 3, 20, [&](const Eigen::VectorXd& u) { return cone(u) - 0.5; })) < -0.47);
}

TEST_CASE("qlogei: proposals depend on seed and history alone, not on the threads") {
  std::vector<std::vector<Evaluation>> runs;
  for (const std::size_t threads : {1u, 2u, 2u}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    runs.push_back(run({.seed = 5}, 2, 6, branin));
  }
  CHECK(same_points(runs[0], runs[1]));
  CHECK(same_points(runs[0], runs[2]));
  CHECK(!same_points(runs[0], run({.seed = 6}, 2, 6, branin)));
  // A run that is taken up again from its first half continues as if it had not stopped.
  const std::vector<Evaluation> half(runs[0].begin(), runs[0].end() - 2);
  const auto resumed = QlogeiOptimizer({.seed = 5}).propose(half);
  CHECK(resumed[0] == runs[0][runs[0].size() - 2].point);
  CHECK(resumed[1] == runs[0][runs[0].size() - 1].point);
}

TEST_CASE("qlogei: constant, failing, huge, tiny and vanishing losses: always new points inside the cube") {
  const std::vector<Function> functions{
      [](const Eigen::VectorXd&) { return 1.0; },
      [](const Eigen::VectorXd&) { return 0.0; },
      [](const Eigen::VectorXd&) { return kInfinity; },
      [](const Eigen::VectorXd& u) { return u[0] < 0.5 ? kInfinity : 1 + u[1]; },
      [](const Eigen::VectorXd& u) { return 1e308 * u[0]; },
      [](const Eigen::VectorXd& u) { return 1e-310 * (1 + u[0]); },
      [](const Eigen::VectorXd& u) { return std::max(0.0, u[0] - 0.5); },
      [](const Eigen::VectorXd& u) { return std::floor(4 * u[0]) + 1; },
  };
  for (const Function& function : functions)
    for (const std::size_t dimensions : {2u, 5u}) run({.seed = 3}, dimensions, 5, function);
}

TEST_CASE("qlogei: the optimum in a corner is reached and not proposed twice") {
  const auto history = run({.seed = 4}, 2, 12, [](const Eigen::VectorXd& u) { return 0.1 + u.sum(); });
  CHECK(best_of(history) < 0.1 + 1e-6);
}

TEST_CASE("qlogei: histories of one observation, of duplicates, and of failures among few observations") {
  const Eigen::Vector2d point(0.5, 0.5), other(0.25, 0.75);
  const QlogeiOptimizer optimizer({});
  for (const std::vector<Evaluation>& history :
       {std::vector<Evaluation>{{point, 1, {}}}, std::vector<Evaluation>{{point, kInfinity, {}}},
        std::vector<Evaluation>{{point, 1, {}}, {point, 1, {}}, {point, 1, {}}},
        std::vector<Evaluation>{{point, 1, {}}, {other, kInfinity, {}}, {other, kInfinity, {}}}}) {
    std::vector<Evaluation> extended = history;
    evaluate(branin, optimizer.propose(history), extended);
    CHECK(extended.size() == history.size() + 2);
  }
}

TEST_CASE("qlogei: where a third of the cube fails, few early proposals go there and the optimum is found") {
  const Function walled = [](const Eigen::VectorXd& u) {
    return u[0] > 0.7 ? kInfinity : (u - Eigen::Vector2d(0.3, 0.3)).squaredNorm() + 0.01;
  };
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto history = run({.seed = seed}, 2, 10, walled);
    CHECK(best_of(history) < 0.0101);
    CHECK(std::count_if(history.begin() + 6, history.end(),
                        [](const Evaluation& e) { return e.loss == kInfinity; }) <= 5);
  }
}
