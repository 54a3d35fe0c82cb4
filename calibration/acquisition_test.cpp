#include "calibration/acquisition.hpp"

#include <doctest/doctest.h>

#include "calibration/sobol.hpp"

using namespace caliper;

namespace {

GaussianProcess process_of_bowl() {
  const Eigen::MatrixXd points = sobol_points(1, 2, 0, 12);
  const Eigen::VectorXd values = (points.array() - 0.4).matrix().colwise().squaredNorm();
  auto process = GaussianProcess::condition(points, values, {Eigen::VectorXd::Constant(2, 0.8), 1, 1e-8, 0});
  REQUIRE(process);
  return *process;
}

const Eigen::MatrixXd kFailed{{0.7, 0.25}, {0.2, 0.6}};
const FailureModel kFailures(sobol_points(1, 2, 0, 12), kFailed);

}  // namespace

TEST_CASE("acquisition: gradients of a point and of a pair, failures included, against central differences") {
  const GaussianProcess process = process_of_bowl();
  const Acquisition acquisition(process, 0.05, kFailures, sobol_normals(2, 2, 32));
  const Eigen::MatrixXd points{{0.68, 0.3}, {0.15, 0.55}};
  const double step = 1e-6;
  Eigen::VectorXd single, ignored;
  Eigen::MatrixXd pair, unused;
  acquisition.single(points.col(0), single);
  acquisition.pair(points, pair);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const Eigen::VectorXd shift = step * Eigen::VectorXd::Unit(2, i);
    CHECK((acquisition.single(points.col(0) + shift, ignored) -
           acquisition.single(points.col(0) - shift, ignored)) /
              (2 * step) ==
          doctest::Approx(single[i]).epsilon(1e-5));
  }
  for (Eigen::Index i = 0; i < 4; ++i) {
    Eigen::MatrixXd up = points, down = points;
    up.reshaped()[i] += step;
    down.reshaped()[i] -= step;
    CHECK((acquisition.pair(up, unused) - acquisition.pair(down, unused)) / (2 * step) ==
          doctest::Approx(pair.reshaped()[i]).epsilon(1e-5));
  }
}

TEST_CASE("acquisition: many at once are the same numbers") {
  const GaussianProcess process = process_of_bowl();
  const Acquisition acquisition(process, 0.05, kFailures, sobol_normals(2, 2, 32));
  const Eigen::MatrixXd candidates = sobol_points(3, 2, 0, 20);
  const Eigen::Vector2d pending(0.35, 0.45);
  const Eigen::VectorXd singles = acquisition.singles(candidates),
                        pairs = acquisition.pairs_with(pending, candidates);
  Eigen::VectorXd ignored;
  Eigen::MatrixXd unused, both(2, 2);
  for (Eigen::Index j = 0; j < candidates.cols(); ++j) {
    CHECK(singles[j] == doctest::Approx(acquisition.single(candidates.col(j), ignored)).epsilon(1e-9));
    both << pending, candidates.col(j);
    CHECK(pairs[j] == doctest::Approx(acquisition.pair(both, unused)).epsilon(1e-9));
  }
}
