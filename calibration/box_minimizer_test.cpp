#include "calibration/box_minimizer.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

using namespace caliper;

namespace {

Box cube(Eigen::Index n, double lower, double upper) {
  return {Eigen::VectorXd::Constant(n, lower), Eigen::VectorXd::Constant(n, upper)};
}

// sum i (x_i - t_i)^2, whose minimum in a box is t clamped to the box.
SmoothFunction parabola(const Eigen::VectorXd& target) {
  return [target](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    const Eigen::ArrayXd weights = Eigen::ArrayXd::LinSpaced(x.size(), 1, static_cast<double>(x.size()));
    const Eigen::ArrayXd offset = (x - target).array();
    gradient = 2 * weights * offset;
    return (weights * offset.square()).sum();
  };
}

}  // namespace

TEST_CASE("minimize_in_box: a parabola's minimum, inside and on the faces, from any start") {
  for (const Eigen::Index n : {1, 2, 5, 12}) {
    const Eigen::VectorXd target = Eigen::VectorXd::LinSpaced(n, n == 1 ? 0.3 : -0.5, 1.5);
    const Eigen::VectorXd expected = target.cwiseMax(0).cwiseMin(1);
    for (const double start : {0.0, 0.4, 1.0, 7.0}) {
      const BoxMinimum found =
          minimize_in_box(parabola(target), Eigen::VectorXd::Constant(n, start), cube(n, 0, 1), {200, 1e-14});
      CHECK((found.point - expected).norm() < 1e-5);
      CHECK((found.point.array() >= 0 && found.point.array() <= 1).all());
    }
  }
}

TEST_CASE("minimize_in_box: Rosenbrock's valley ends at (1, 1), and with x <= 1/2 at (1/2, 1/4)") {
  const SmoothFunction valley = [](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    gradient << -2 * a - 400 * x[0] * b, 200 * b;
    return a * a + 100 * b * b;
  };
  const Eigen::Vector2d start(-1.2, 1);
  CHECK((minimize_in_box(valley, start, cube(2, -2, 2), {500, 1e-15}).point - Eigen::Vector2d(1, 1)).norm() <
        1e-4);
  CHECK((minimize_in_box(valley, start, cube(2, -2, 0.5), {500, 1e-15}).point - Eigen::Vector2d(0.5, 0.25))
            .norm() < 1e-4);
}

TEST_CASE("minimize_in_box: respects the budget and never ends above its start") {
  int calls = 0;
  const SmoothFunction counted = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    ++calls;
    return parabola(Eigen::VectorXd::Constant(6, 0.9))(x, gradient);
  };
  const Eigen::VectorXd start = Eigen::VectorXd::Constant(6, 0.1);
  Eigen::VectorXd gradient(6);
  const double at_start = counted(start, gradient);
  for (const int budget : {1, 2, 5}) {
    calls = 0;
    CHECK(minimize_in_box(counted, start, cube(6, 0, 1), {budget, 0}).value <= at_start);
    CHECK(calls <= budget + 1);
  }
}

TEST_CASE("minimize_in_box: a function that turns NaN ends the search at the best point before it") {
  const SmoothFunction cliff = [](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    gradient[0] = -1;
    return x[0] > 0.5 ? std::numeric_limits<double>::quiet_NaN() : -x[0];
  };
  const BoxMinimum found =
      minimize_in_box(cliff, Eigen::VectorXd::Constant(1, 0.2), cube(1, 0, 1), {100, 1e-12});
  CHECK(found.value <= -0.2);
  CHECK(found.point[0] <= 0.5);
}

TEST_CASE("minimize_in_box: an exception of the function passes through") {
  const SmoothFunction broken = [](const Eigen::VectorXd&, Eigen::VectorXd&) -> double {
    throw std::runtime_error("x");
  };
  CHECK_THROWS_AS(minimize_in_box(broken, Eigen::VectorXd::Zero(2), cube(2, 0, 1), {10, 0}),
                  std::runtime_error);
}
