#include "calibration/failure_model.hpp"

#include <cmath>
#include <initializer_list>

#include <doctest/doctest.h>

using namespace caliper;

namespace {

const Eigen::MatrixXd kGood{{0.1, 0.3, 0.2}, {0.1, 0.4, 0.8}}, kBad{{0.7, 0.6}, {0.2, 0.5}};

}  // namespace

TEST_CASE("failure model: certain success without failures, and far from them") {
  const FailureModel none(kGood, Eigen::MatrixXd(2, 0));
  CHECK(none.log_success(Eigen::Vector2d(0.7, 0.2), nullptr) == 0);
  const FailureModel some(Eigen::MatrixXd{{0.0}, {0.0}}, Eigen::MatrixXd{{1.0}, {1.0}});
  CHECK(some.log_success(Eigen::Vector2d(0, 0), nullptr) == doctest::Approx(0).epsilon(1e-6));
  CHECK(some.log_success(Eigen::Vector2d(0, 1), nullptr) > -0.01);
}

TEST_CASE("failure model: a failure lowers the chance around it, is never tried again, and stays finite") {
  const FailureModel model(kGood, kBad);
  CHECK(model.log_success(Eigen::Vector2d(0.65, 0.35), nullptr) < -2);
  // A success beside it does not bring back the failed point itself.
  const FailureModel beside(Eigen::MatrixXd{{0.5}, {0.5}}, Eigen::MatrixXd{{0.501}, {0.5}});
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(2);
  const double at_failure = beside.log_success(Eigen::Vector2d(0.501, 0.5), &gradient);
  CHECK(at_failure < -20);
  CHECK(std::isfinite(at_failure));
  CHECK(gradient.allFinite());
}

TEST_CASE("failure model: the gradient, against central differences") {
  const FailureModel model(kGood, kBad);
  for (const Eigen::Vector2d& point :
       {Eigen::Vector2d(0.65, 0.3), Eigen::Vector2d(0.4, 0.4), Eigen::Vector2d(0.71, 0.21)}) {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(2);
    model.log_success(point, &gradient);
    for (Eigen::Index i = 0; i < 2; ++i) {
      const Eigen::VectorXd shift = 1e-6 * Eigen::VectorXd::Unit(2, i);
      CHECK((model.log_success(point + shift, nullptr) - model.log_success(point - shift, nullptr)) / 2e-6 ==
            doctest::Approx(gradient[i]).epsilon(1e-6));
    }
  }
}
