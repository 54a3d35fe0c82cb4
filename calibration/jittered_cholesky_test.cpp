#include "calibration/jittered_cholesky.hpp"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("jittered_cholesky: a positive definite matrix is factorised as it is") {
  for (const Eigen::Index n : {1, 2, 7, 40}) {
    // min(i, j) + 1 = L L' with L all ones below the diagonal.
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::NullaryExpr(
        n, n, [](Eigen::Index i, Eigen::Index j) { return static_cast<double>(std::min(i, j) + 1); });
    const auto factor = jittered_cholesky(matrix);
    REQUIRE(factor);
    CHECK(factor->jitter == 0);
    CHECK(
        (factor->lower - Eigen::MatrixXd(Eigen::MatrixXd::Ones(n, n).triangularView<Eigen::Lower>())).norm() <
        1e-12);
  }
}

TEST_CASE("jittered_cholesky: a slightly indefinite matrix takes the first jitter that is large enough") {
  // Eigenvalues 2 + e and -e, mean of the diagonal 1.
  for (const double e : {2e-11, 2e-9, 5e-7, 5e-5}) {
    const Eigen::MatrixXd matrix{{1, 1 + e}, {1 + e, 1}};
    const auto factor = jittered_cholesky(1e6 * matrix);
    REQUIRE(factor);
    CHECK(factor->jitter > 1e6 * e);
    CHECK(factor->jitter < 1e6 * e * 10);
    CHECK((factor->lower * factor->lower.transpose() - 1e6 * matrix -
           factor->jitter * Eigen::Matrix2d::Identity())
              .norm() < 1e-8);
  }
}

TEST_CASE("jittered_cholesky: nothing for what is no covariance") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(!jittered_cholesky(Eigen::MatrixXd{{1, 2}, {2, 1}}));
  CHECK(!jittered_cholesky(Eigen::MatrixXd::Zero(2, 2)));
  CHECK(!jittered_cholesky(-Eigen::MatrixXd::Identity(2, 2)));
  CHECK(!jittered_cholesky(Eigen::MatrixXd{{1, 0}, {nan, 1}}));
  CHECK(!jittered_cholesky(Eigen::MatrixXd{{nan, 0}, {0, 1}}));
  CHECK(!jittered_cholesky(Eigen::MatrixXd{{1, 0}, {0, std::numeric_limits<double>::infinity()}}));
}
