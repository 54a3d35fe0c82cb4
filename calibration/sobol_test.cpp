#include "calibration/sobol.hpp"

#include <cmath>
#include <set>

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("sobol: an aligned block of 2^k points has one point in each of 2^k slices of each axis") {
  for (const std::size_t dimensions : {1u, 2u, 7u, 40u}) {
    for (const std::size_t count : {1u, 2u, 16u, 256u}) {
      for (const std::uint64_t block : {0u, 1u, 5u}) {
        const Eigen::MatrixXd points = sobol_points(42, dimensions, block * count, count);
        CHECK((points.array() > 0).all());
        CHECK((points.array() < 1).all());
        for (Eigen::Index axis = 0; axis < points.rows(); ++axis) {
          std::set<int> slices;
          for (Eigen::Index i = 0; i < points.cols(); ++i)
            slices.insert(static_cast<int>(points(axis, i) * static_cast<double>(count)));
          CHECK(slices.size() == count);
        }
      }
    }
  }
}

TEST_CASE("sobol: in two dimensions 16 points also fill every partition into 16 equal boxes") {
  // (0, 4, 2)-net: one point in each box of 2^a x 2^b with a + b = 4.
  const Eigen::MatrixXd points = sobol_points(7, 2, 0, 16);
  for (int a = 0; a <= 4; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (Eigen::Index i = 0; i < 16; ++i)
      boxes.insert(
          {static_cast<int>(std::ldexp(points(0, i), a)), static_cast<int>(std::ldexp(points(1, i), 4 - a))});
    CHECK(boxes.size() == 16);
  }
}

TEST_CASE("sobol: a point is a function of seed and index") {
  const Eigen::MatrixXd all = sobol_points(3, 5, 0, 64);
  for (const std::uint64_t first : {0u, 1u, 2u, 31u, 63u})
    CHECK(sobol_points(3, 5, first, 1).col(0) == all.col(static_cast<Eigen::Index>(first)));
  CHECK(sobol_points(4, 5, 0, 64) != all);
  CHECK(sobol_list(3, 5, 10, 2)[1] == all.col(11));
}

TEST_CASE("sobol: the scramble is uniform, the mean over seeds of one point is 1/2") {
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const double x = sobol_points(seed, 1, 5, 1)(0, 0);
    sum += x;
    squares += x * x;
  }
  CHECK(sum / 4000 == doctest::Approx(0.5).epsilon(0.05));  // deviation of the mean: 0.0046
  CHECK(squares / 4000 == doctest::Approx(1.0 / 3).epsilon(0.08));
}

TEST_CASE("normal_quantile inverts the distribution, far into both tails") {
  for (const double p : {1e-300, 1e-16, 1e-3, 0.1, 0.5, 0.9, 0.999}) {
    CHECK(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)) == doctest::Approx(p).epsilon(1e-12));
  }
  CHECK(normal_quantile(0.5) == 0);
  const Eigen::MatrixXd normals = sobol_normals(1, 2, 1024);
  CHECK(normals.rows() == 1024);
  CHECK(std::abs(normals.mean()) < 5e-3);
  CHECK(normals.squaredNorm() / 2048 == doctest::Approx(1).epsilon(0.01));
}
