#include "calibration/minimax_step.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;
using Eigen::Index;

namespace {

double draw(std::uint64_t who, std::uint64_t which) { return 2 * unit_draw(11, who, which) - 1; }

LinearModel random_model(Index m, Index d, std::uint64_t who) {
  LinearModel model{Eigen::VectorXd(m), Eigen::MatrixXd(m, d)};
  for (Index i = 0; i < m; ++i) {
    model.residuals[i] = draw(who, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < d; ++j)
      model.jacobian(i, j) = draw(who, static_cast<std::uint64_t>(1000 + i * d + j));
  }
  return model;
}

double reached(const LinearModel& model, const std::vector<Index>& sizes, const Eigen::VectorXd& step) {
  return largest_norm(model.residuals + model.jacobian * step, sizes);
}

/// No point of a fine grid around the step, within the box, is better.
void check_local_minimum(const LinearModel& model, const std::vector<Index>& sizes,
                         const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double slack) {
  const Eigen::VectorXd step = minimax_step(model, sizes, lower, upper);
  REQUIRE((step.array() >= lower.array()).all());
  REQUIRE((step.array() <= upper.array()).all());
  const double value = reached(model, sizes, step);
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    Eigen::VectorXd other = step;
    const double reach = std::pow(10.0, -static_cast<double>(trial % 6));
    for (Index i = 0; i < step.size(); ++i)
      other[i] += reach * draw(77 + trial, static_cast<std::uint64_t>(i));
    other = other.cwiseMax(lower).cwiseMin(upper);
    CHECK(reached(model, sizes, other) >= value * (1 - slack));
  }
}

}  // namespace

TEST_CASE("minimax_step: norms are root mean squares, the largest counts") {
  const Eigen::VectorXd residuals{{3, 4, 0, 1}};
  const std::vector<Index> sizes = {2, 2};
  const auto norms = group_norms(residuals, sizes);
  CHECK(norms[0] == doctest::Approx(5 / std::sqrt(2.0)));
  CHECK(norms[1] == doctest::Approx(1 / std::sqrt(2.0)));
  CHECK(largest_norm(residuals, sizes) == norms[0]);
}

TEST_CASE("minimax_step: one group without bounds in the way is least squares, to all digits") {
  const LinearModel model = random_model(12, 4, 1);
  const std::vector<Index> sizes = {12};
  const Eigen::VectorXd wide = Eigen::VectorXd::Constant(4, 100);
  const Eigen::VectorXd step = minimax_step(model, sizes, -wide, wide);
  const Eigen::VectorXd normal = model.jacobian.transpose() * (model.residuals + model.jacobian * step);
  CHECK(normal.lpNorm<Eigen::Infinity>() < 1e-12);
}

TEST_CASE("minimax_step: one group at bounds: no point of the box is better") {
  for (std::uint64_t who = 2; who < 30; ++who) {
    const auto d = static_cast<Index>(1 + who % 6);
    const Eigen::VectorXd lower = Eigen::VectorXd::Constant(d, -0.05 * static_cast<double>(who % 4));
    check_local_minimum(random_model(10, d, who), {10}, lower, Eigen::VectorXd::Constant(d, 0.1), 1e-9);
  }
}

TEST_CASE("minimax_step: several groups: no point of the box has a smaller largest norm") {
  for (std::uint64_t who = 40; who < 60; ++who) {
    const auto d = static_cast<Index>(1 + who % 5);
    const Eigen::VectorXd bound = Eigen::VectorXd::Constant(d, who % 2 == 0 ? 0.1 : 5.0);
    check_local_minimum(random_model(12, d, who), {3, 5, 4}, -bound, bound, 1e-6);
  }
}

TEST_CASE("minimax_step: of two lines the crossing, where plain least squares goes elsewhere") {
  // |s - 1| and 2 |s + 1|: equal at s = -1/3; the sum of squares is smallest at s = -3/5.
  const LinearModel model{Eigen::VectorXd{{-1, 2}}, Eigen::MatrixXd{{1.0}, {2.0}}};
  const Eigen::VectorXd wide{{10.0}};
  CHECK(minimax_step(model, std::vector<Index>{1, 1}, -wide, wide)[0] ==
        doctest::Approx(-1.0 / 3).epsilon(1e-6));
  CHECK(minimax_step(model, std::vector<Index>{2}, -wide, wide)[0] == doctest::Approx(-0.6));
}

TEST_CASE("minimax_step: what does not matter stays, what cannot move stays, nothing to do is no step") {
  LinearModel model = random_model(6, 3, 90);
  model.jacobian.col(1).setZero();
  const Eigen::VectorXd lower{{-1, -1, 0}}, upper{{1, 1, 0}};
  const Eigen::VectorXd step = minimax_step(model, std::vector<Index>{6}, lower, upper);
  CHECK(step[2] == 0);
  CHECK(step.allFinite());
  model.residuals.setZero();
  CHECK(minimax_step(model, std::vector<Index>{6}, lower, upper).norm() == 0);
  CHECK(minimax_step(model, std::vector<Index>{2, 4}, lower, upper).norm() == 0);
}
