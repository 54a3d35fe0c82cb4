#include "calibration/residual_surrogate.hpp"

#include <doctest/doctest.h>

#include "calibration/sobol.hpp"
#include "calibration/test_problems.hpp"

using namespace caliper;
using Eigen::Index;

namespace {

struct Sample {
  Eigen::MatrixXd points, residuals;
};

Sample sample(const test::Problem& problem, std::size_t count) {
  Sample made{sobol_points(5, static_cast<std::size_t>(problem.dimensions), 0, count), {}};
  made.residuals.resize(problem.residuals(made.points.col(0)).size(), made.points.cols());
  for (Index j = 0; j < made.points.cols(); ++j)
    made.residuals.col(j) = problem.residuals(made.points.col(j));
  return made;
}

test::Problem problem_named(const std::string& name) {
  for (test::Problem& problem : test::calibration_problems())
    if (problem.name == name) return problem;
  FAIL("no such problem");
  return {};
}

}  // namespace

// Twelve components of forty leave out some thousandths of these residuals.
TEST_CASE("residual_surrogate: at what was seen it has its losses, in groups too, and no doubt") {
  for (const char* name : {"calib4", "calib4minimax"}) {
    const test::Problem problem = problem_named(name);
    const Sample seen = sample(problem, 40);
    const auto surrogate = ResidualSurrogate::fit(seen.points, seen.residuals, problem.groups);
    REQUIRE(surrogate);
    for (Index j = 0; j < seen.points.cols(); ++j) {
      const Eigen::VectorXd point = seen.points.col(j);
      const auto [mean, deviation] = surrogate->components(point);
      CHECK(surrogate->loss(mean) == doctest::Approx(problem.loss(point)).epsilon(5e-3));
      CHECK(deviation.norm() <
            1e-3 * surrogate->components(Eigen::VectorXd::Constant(4, 0.03)).deviation.norm());
    }
  }
}

TEST_CASE("residual_surrogate: between, it is near the truth; compressed residuals have the norms of all") {
  const test::Problem problem = problem_named("calib4minimax");
  const Sample seen = sample(problem, 80);
  const auto surrogate = ResidualSurrogate::fit(seen.points, seen.residuals, problem.groups);
  REQUIRE(surrogate);
  const Eigen::MatrixXd others = sobol_points(9, 4, 0, 30);
  double error = 0, size = 0;
  for (Index j = 0; j < others.cols(); ++j) {
    const Eigen::VectorXd point = others.col(j);
    const LinearModel small = surrogate->compressed(point);
    const double expected = surrogate->loss(surrogate->components(point).mean);
    CHECK(largest_norm(small.residuals, surrogate->compressed_sizes()) ==
          doctest::Approx(expected).epsilon(1e-10));
    error += std::abs(expected - problem.loss(point));
    size += problem.loss(point);
  }
  CHECK(error < 0.1 * size);
}

TEST_CASE("residual_surrogate: its Jacobian is the slope of what it expects") {
  const test::Problem problem = problem_named("calib8");
  const Sample seen = sample(problem, 50);
  const auto surrogate = ResidualSurrogate::fit(seen.points, seen.residuals, problem.groups);
  REQUIRE(surrogate);
  const Eigen::VectorXd at = Eigen::VectorXd::Constant(8, 0.4);
  const LinearModel model = surrogate->compressed(at);
  for (Index i = 0; i < 8; ++i) {
    Eigen::VectorXd low = at, high = at;
    low[i] -= 1e-5;
    high[i] += 1e-5;
    const Eigen::VectorXd slope =
        (surrogate->compressed(high).residuals - surrogate->compressed(low).residuals) / 2e-5;
    CHECK((slope - model.jacobian.col(i)).norm() < 1e-6 * (1 + slope.norm()));
    CHECK(surrogate->jacobian(at).col(i).norm() ==
          doctest::Approx(slope.norm() *
                          std::sqrt(80.0 / static_cast<double>(surrogate->compressed_sizes()[0])))
              .epsilon(1e-5));
  }
}

TEST_CASE("residual_surrogate: believing its mean at a point takes the doubt there and leaves the mean") {
  const test::Problem problem = problem_named("calib4");
  const Sample seen = sample(problem, 20);
  const auto surrogate = ResidualSurrogate::fit(seen.points, seen.residuals, problem.groups);
  REQUIRE(surrogate);
  const Eigen::VectorXd at = Eigen::VectorXd::Constant(4, 0.31), other = Eigen::VectorXd::Constant(4, 0.7);
  const auto believer = surrogate->believing(at);
  REQUIRE(believer);
  CHECK(believer->components(at).deviation.norm() < 1e-3 * surrogate->components(at).deviation.norm());
  CHECK((believer->components(other).mean - surrogate->components(other).mean).norm() <
        1e-5 * surrogate->components(other).mean.norm());
}

TEST_CASE("residual_surrogate: residuals that are all alike have no components") {
  const Eigen::MatrixXd points = sobol_points(1, 2, 0, 5);
  CHECK_FALSE(ResidualSurrogate::fit(points, Eigen::MatrixXd::Constant(3, 5, 0.5), {3}));
}
