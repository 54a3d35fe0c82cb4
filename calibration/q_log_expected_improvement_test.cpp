// Equations; the reference's numbers are in gp_reference_test.cpp.
#include "calibration/q_log_expected_improvement.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "calibration/log_expected_improvement.hpp"
#include "calibration/sobol.hpp"

using namespace caliper;

TEST_CASE("log_fat_plus: is ln max(0, x) above, falls like x^-2 below, and has its derivative") {
  CHECK(log_fat_plus(3, 1e-6).value == doctest::Approx(std::log(3.0)));
  CHECK(log_fat_plus(-1e6, 1).value == doctest::Approx(std::log(0.1e-12)));
  for (const double x : {-300.0, -5.0, -0.3, 0.0, 0.4, 19.0, 21.0, 39.9, 40.1, 1e5}) {
    const double step = 1e-6 * std::max(1.0, std::abs(x));
    CHECK((log_fat_plus(x + step, 1).value - log_fat_plus(x - step, 1).value) / (2 * step) ==
          doctest::Approx(log_fat_plus(x, 1).derivative).epsilon(1e-7));
    CHECK(log_fat_plus(x + step, 1).value > log_fat_plus(x, 1).value);
  }
}

TEST_CASE("fat_max: of q equal numbers it is the number + tau ln q, and its weights are its derivatives") {
  std::array<double, 3> x{2, 2, 2}, weights{};
  CHECK(fat_max(x, 0.01, weights) == doctest::Approx(2 + 0.01 * std::log(3.0)));
  for (const double weight : weights) CHECK(weight == doctest::Approx(1.0 / 3));
  x = {1.0, 1.02, 0.97};
  fat_max(x, 0.01, weights);
  CHECK(weights[0] + weights[1] + weights[2] == doctest::Approx(1));
  std::array<double, 3> ignored{};
  for (std::size_t j = 0; j < 3; ++j) {
    auto up = x, down = x;
    up[j] += 1e-7;
    down[j] -= 1e-7;
    CHECK((fat_max(up, 0.01, ignored) - fat_max(down, 0.01, ignored)) / 2e-7 ==
          doctest::Approx(weights[j]).epsilon(1e-6));
  }
}

TEST_CASE("qLogEI: of one point it is LogEI to the accuracy of the samples") {
  const Eigen::MatrixXd samples = sobol_normals(1, 1, 4096);
  for (const double mean : {-1.0, 0.0, 1.0}) {
    const auto batch =
        q_log_expected_improvement(Eigen::VectorXd::Constant(1, mean), Eigen::MatrixXd{{0.49}}, 0.2, samples);
    const auto exact = log_expected_improvement(mean, 0.7, 0.2);
    CHECK(batch.value == doctest::Approx(exact.value).epsilon(1e-3));
    CHECK(batch.by_mean[0] == doctest::Approx(exact.by_mean).epsilon(1e-2));
    CHECK(batch.by_covariance(0, 0) == doctest::Approx(exact.by_deviation / 1.4).epsilon(1e-2));
  }
}

TEST_CASE("qLogEI: derivatives by mean and covariance for batches of 1 to 4, against central differences") {
  for (const Eigen::Index q : {1, 2, 3, 4}) {
    const Eigen::MatrixXd samples = sobol_normals(2, static_cast<std::size_t>(q), 32);
    const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(q, 0.1, 0.6);
    const Eigen::MatrixXd root = sobol_points(3, static_cast<std::size_t>(q), 0, static_cast<std::size_t>(q));
    const Eigen::MatrixXd covariance = root * root.transpose() + 0.2 * Eigen::MatrixXd::Identity(q, q);
    const auto at = [&](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
      return q_log_expected_improvement(m, c, 0.3, samples);
    };
    const auto ei = at(mean, covariance);
    const double step = 1e-6;
    for (Eigen::Index i = 0; i < q; ++i) {
      const Eigen::VectorXd shift = step * Eigen::VectorXd::Unit(q, i);
      const double by_mean =
          (at(mean + shift, covariance).value - at(mean - shift, covariance).value) / (2 * step);
      CHECK(std::abs(by_mean - ei.by_mean[i]) < 1e-5 * (1 + std::abs(by_mean)));
      for (Eigen::Index j = 0; j <= i; ++j) {
        Eigen::MatrixXd bump = Eigen::MatrixXd::Zero(q, q);
        bump(i, j) = bump(j, i) = step;
        const double by_entry =
            (at(mean, covariance + bump).value - at(mean, covariance - bump).value) / (2 * step);
        CHECK(std::abs(by_entry - (i == j ? 1 : 2) * ei.by_covariance(i, j)) <
              1e-5 * (1 + std::abs(by_entry)));
      }
    }
  }
}

TEST_CASE(
    "qLogEI: a gradient remains where no sample improves, and a hopeless covariance is minus infinity") {
  const Eigen::MatrixXd samples = sobol_normals(4, 2, 64);
  const Eigen::Vector2d mean(50, 60);
  const auto far = q_log_expected_improvement(mean, Eigen::Matrix2d::Identity(), 0, samples);
  CHECK(std::isfinite(far.value));
  CHECK(far.by_mean[0] < -1e-3);
  const auto broken = q_log_expected_improvement(mean, Eigen::Matrix2d{{1, 2}, {2, 1}}, 0, samples);
  CHECK(broken.value == -std::numeric_limits<double>::infinity());
  CHECK(broken.by_mean.isZero());
}
