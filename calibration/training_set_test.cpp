#include "calibration/training_set.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using namespace caliper;

namespace {

Evaluation at(double x, double loss) { return {Eigen::VectorXd::Constant(1, x), loss, {}}; }

}  // namespace

TEST_CASE("training set: failures apart, duplicates once, values standardised") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Evaluation> history{at(0.1, 1),         at(0.2, infinity), at(0.3, 100), at(0.1, 1),
                                        at(0.1 + 1e-10, 1), at(0.4, NAN),      at(0.5, 10)};
  const TrainingSet set = make_training_set(history, LossScale::logarithmic);
  CHECK(set.points == Eigen::MatrixXd{{0.1, 0.3, 0.5}});
  CHECK(set.failed == Eigen::MatrixXd{{0.2, 0.4}});
  CHECK((set.values - Eigen::Vector3d(-1, 1, 0)).norm() < 1e-12);  // ln 1, ln 100, ln 10
  const TrainingSet linear = make_training_set(history, LossScale::linear);
  CHECK(std::abs(linear.values.mean()) < 1e-12);
  CHECK(linear.values.squaredNorm() == doctest::Approx(2));
}

TEST_CASE("training set: the density unit is the Jacobian of loss -> value") {
  // values = (ln l - ln 10) / ln 10, so the product of d value / d loss is 1 / (l1 l2 l3 (ln 10)^3).
  const std::vector<Evaluation> history{at(0.1, 1), at(0.3, 100), at(0.5, 10)};
  CHECK(make_training_set(history, LossScale::logarithmic).log_density_unit ==
        doctest::Approx(-std::log(1000.0) - 3 * std::log(std::log(10.0))));
  const double deviation = std::sqrt((36.0 * 36 + 63.0 * 63 + 27.0 * 27) / 2);  // of 1, 100, 10 about 37
  CHECK(make_training_set(history, LossScale::linear).log_density_unit ==
        doctest::Approx(-3 * std::log(deviation)));
}

TEST_CASE("training set: equal losses become zeros, extreme ones stay finite") {
  for (const double loss : {0.0, 0.1, -3e300, 1e-320}) {
    const std::vector<Evaluation> history{at(0.1, loss), at(0.2, loss), at(0.3, loss)};
    CHECK(make_training_set(history, LossScale::linear).values.isZero(0));
  }
  const std::vector<Evaluation> wide{at(0.1, 1e308), at(0.2, -1e308), at(0.3, 5e-324)};
  const TrainingSet set = make_training_set(wide, LossScale::linear);
  CHECK(set.values.allFinite());
  CHECK(std::isfinite(set.log_density_unit));
  CHECK(!positive_losses(wide));
  const std::vector<Evaluation> positive{at(0.1, 5e-324), at(0.2, 1e308), at(0.3, NAN)};
  CHECK(positive_losses(positive));
  CHECK(make_training_set(positive, LossScale::logarithmic).values.allFinite());
}

TEST_CASE("training set: nothing but failures is an empty set") {
  const std::vector<Evaluation> history{at(0.1, NAN), at(0.2, std::numeric_limits<double>::infinity())};
  const TrainingSet set = make_training_set(history, LossScale::logarithmic);
  CHECK(set.points.cols() == 0);
  CHECK(set.points.rows() == 1);
  CHECK(set.failed.cols() == 2);
}
