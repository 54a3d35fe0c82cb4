#include "calibration/composite_optimizer.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <doctest/doctest.h>

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

TEST_CASE(
    "composite: 30 batches reach the minimum of what calibration is like, in the median of five seeds") {
  const std::map<std::string, double> within = {{"calib4", 1e-6},        {"calib4gap", 1e-5},
                                                {"calib4minimax", 1e-4}, {"calib4gapminimax", 1e-5},
                                                {"calib4q", 1e-5},       {"calib8", 1e-6}};
  for (const Problem& problem : test::calibration_problems()) {
    std::vector<double> ends;
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      ends.push_back(best_after(problem, seed, 30).back() - problem.minimum);
    std::ranges::sort(ends);
    CHECK_MESSAGE(ends[2] < within.at(problem.name), problem.name << " ends at " << ends[2]);
  }
}

TEST_CASE("composite: a proposal is a function of seed and history, and never a point that was there") {
  const Problem problem = test::calibration_problems()[3];
  const CompositeOptimizer one({.seed = 4, .groups = problem.groups}),
      same({.seed = 4, .groups = problem.groups});
  std::vector<Evaluation> history;
  for (const auto& point : one.initial_points(4)) history.push_back(evaluated(problem, point));
  for (int i = 0; i < 25; ++i) {
    const auto batch = one.propose(history), again = same.propose(history);
    REQUIRE(batch.size() == 2);
    CHECK(batch[0] == again[0]);
    CHECK(batch[1] == again[1]);
    CHECK((batch[0] - batch[1]).norm() > 0);
    for (const Evaluation& one_of : history)
      for (const auto& point : batch) CHECK((point - one_of.point).norm() > 0);
    for (const auto& point : batch) history.push_back(evaluated(problem, point));
  }
}

TEST_CASE("composite: where the simulator fails it goes elsewhere, and ends at the minimum that is left") {
  const Problem problem = test::calibration_problems()[0];
  // Beyond 0.7 of the first axis, which the minimum at 0.567 is not, everything fails.
  const auto one = [&](const Eigen::VectorXd& point) {
    return point[0] > 0.7 ? Evaluation{point, std::numeric_limits<double>::infinity(), {}}
                          : evaluated(problem, point);
  };
  const CompositeOptimizer optimizer({.seed = 2, .groups = problem.groups});
  std::vector<Evaluation> history;
  for (const auto& point : optimizer.initial_points(4)) history.push_back(one(point));
  for (int i = 0; i < 30; ++i)
    for (const auto& point : optimizer.propose(history)) history.push_back(one(point));
  CHECK(std::ranges::min_element(history, {}, &Evaluation::loss)->loss < 1e-6);
  std::size_t failed = 0;
  for (std::size_t i = history.size() - 20; i < history.size(); ++i)
    failed += history[i].residuals.size() == 0;
  CHECK(failed <= 4);
}

TEST_CASE("composite: histories that say nothing still get two points of the cube") {
  const CompositeOptimizer optimizer({.seed = 3, .groups = {2}});
  const Eigen::VectorXd at = Eigen::VectorXd::Constant(3, 0.5);
  const Evaluation flat{at, 0.5, Eigen::VectorXd::Constant(2, 0.5)};
  const Evaluation failed{at, std::numeric_limits<double>::infinity(), {}};
  Evaluation elsewhere = flat;
  elsewhere.point[1] = 0.9;
  for (const std::vector<Evaluation>& history :
       {std::vector{flat}, std::vector{failed}, std::vector{failed, failed}, std::vector{flat, flat, flat},
        std::vector{flat, elsewhere}, std::vector{flat, elsewhere, failed}}) {
    const auto batch = optimizer.propose(history);
    REQUIRE(batch.size() == 2);
    for (const auto& point : batch) {
      CHECK((point.array() >= 0).all());
      CHECK((point.array() <= 1).all());
    }
    CHECK((batch[0] - batch[1]).norm() > 0);
  }
}
