#include "calibration/matern_kernel.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("Matern 5/2: by hand in one dimension") {
  // |x - y| / l = 2 / sqrt5, so t = 2: (1 + 2 + 4/3) e^-2 and 5/3 * 3 e^-2.
  const Eigen::MatrixXd x{{0.0}}, y{{4 / std::sqrt(5.0)}};
  const Eigen::ArrayXXd t = matern_distances(x, y, Eigen::VectorXd::Constant(1, 2));
  CHECK(t(0, 0) == doctest::Approx(2));
  CHECK(matern_correlation(t)(0, 0) == doctest::Approx(13.0 / 3 * std::exp(-2.0)));
  CHECK(matern_slope(t)(0, 0) == doctest::Approx(5 * std::exp(-2.0)));
  CHECK(matern_correlation(matern_distances(x, x, Eigen::VectorXd::Ones(1)))(0, 0) == 1);
}

TEST_CASE("Matern 5/2: points 1e-12 apart keep the digits of their distance") {
  const Eigen::MatrixXd x{{0.75}, {0.5}}, y{{0.75}, {0.5 + 0x1p-40}};
  CHECK(matern_distances(x, y, Eigen::VectorXd::Constant(2, 0.5))(0, 0) ==
        doctest::Approx(std::sqrt(5.0) * 0x1p-39));
}

TEST_CASE("Matern 5/2: the slope gives the derivatives, against central differences") {
  const Eigen::MatrixXd x{{0.1}, {0.8}, {0.4}}, y{{0.3}, {0.2}, {0.9}};
  const Eigen::Vector3d lengthscales(0.3, 1.1, 0.7);
  const auto correlation = [&](const Eigen::MatrixXd& a, const Eigen::VectorXd& l) {
    return matern_correlation(matern_distances(a, y, l))(0, 0);
  };
  const double slope = matern_slope(matern_distances(x, y, lengthscales))(0, 0), step = 1e-5;
  for (Eigen::Index i = 0; i < 3; ++i) {
    Eigen::MatrixXd up = x, down = x;
    up(i, 0) += step;
    down(i, 0) -= step;
    const double u = x(i, 0) - y(i, 0), l = lengthscales[i];
    CHECK((correlation(up, lengthscales) - correlation(down, lengthscales)) / (2 * step) ==
          doctest::Approx(-slope * u / (l * l)).epsilon(1e-8));
    Eigen::VectorXd longer = lengthscales, shorter = lengthscales;
    longer[i] *= std::exp(step);
    shorter[i] *= std::exp(-step);
    CHECK((correlation(x, longer) - correlation(x, shorter)) / (2 * step) ==
          doctest::Approx(slope * u * u / (l * l)).epsilon(1e-8));
  }
}
