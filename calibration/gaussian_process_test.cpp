// Equations; the reference's numbers are in gp_reference_test.cpp.
#include "calibration/gaussian_process.hpp"

#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "calibration/sobol.hpp"

using namespace caliper;

namespace {

Eigen::VectorXd wave(const Eigen::MatrixXd& points) {
  return (3 * points.colwise().sum().transpose()).array().sin() + points.row(0).transpose().array();
}

GaussianProcess on_wave(std::size_t dimensions, std::size_t count, double noise) {
  const Eigen::MatrixXd points = sobol_points(5, dimensions, 0, count);
  const Eigen::VectorXd lengthscales = Eigen::VectorXd::LinSpaced(points.rows(), 0.4, 1.2);
  auto process = GaussianProcess::condition(points, wave(points), {lengthscales, 1.3, noise, 0.2});
  REQUIRE(process);
  return *process;
}

}  // namespace

TEST_CASE("Gaussian process: one observation, by hand") {
  // K = s2 + noise = 3; at the point itself mean 1 + 2/3 * (4 - 1) = 3 and variance 2 - 4/3.
  const auto process = GaussianProcess::condition(Eigen::MatrixXd{{0.5}}, Eigen::VectorXd::Constant(1, 4),
                                                  {Eigen::VectorXd::Ones(1), 2, 1, 1});
  REQUIRE(process);
  const JointPosterior at_point = process->joint(Eigen::MatrixXd{{0.5}});
  CHECK(at_point.mean[0] == doctest::Approx(3));
  CHECK(at_point.covariance(0, 0) == doctest::Approx(2.0 / 3));
  CHECK(process->log_likelihood() == doctest::Approx(-1.5 - 0.5 * std::log(3 * 2 * std::numbers::pi)));
  // Far away only the prior is left.
  const MarginalPosterior far = process->marginals(Eigen::MatrixXd{{1e3}});
  CHECK(far.mean[0] == doctest::Approx(1));
  CHECK(far.variance[0] == doctest::Approx(2));
}

TEST_CASE("Gaussian process: without noise it passes through its observations, with no variance left") {
  for (const std::size_t dimensions : {1u, 3u, 6u}) {
    const GaussianProcess process = on_wave(dimensions, 30, 0);
    const Eigen::MatrixXd points = sobol_points(5, dimensions, 0, 30);
    const MarginalPosterior posterior = process.marginals(points);
    CHECK((posterior.mean - wave(points)).cwiseAbs().maxCoeff() < 1e-7);
    CHECK(posterior.variance.maxCoeff() < 1e-7);
    CHECK(posterior.variance.minCoeff() > 0);
  }
}

TEST_CASE(
    "Gaussian process: the joint posterior's diagonal are the marginals, and it is positive semidefinite") {
  const GaussianProcess process = on_wave(2, 20, 1e-8);
  const Eigen::MatrixXd points = sobol_points(9, 2, 0, 25);
  const JointPosterior joint = process.joint(points);
  const MarginalPosterior marginals = process.marginals(points);
  CHECK(joint.mean == marginals.mean);
  CHECK(joint.covariance.diagonal() == marginals.variance);
  CHECK((joint.covariance - joint.covariance.transpose()).cwiseAbs().maxCoeff() < 1e-15);
  const Eigen::VectorXd direction = Eigen::VectorXd::LinSpaced(25, -1, 1);
  CHECK(direction.dot(joint.covariance * direction) > 0);
}

TEST_CASE("Gaussian process: gradient by the points of mean and covariance, against central differences") {
  const GaussianProcess process = on_wave(3, 15, 1e-6);
  const Eigen::MatrixXd points = sobol_points(11, 3, 0, 3);
  const Eigen::VectorXd by_mean = Eigen::Vector3d(0.7, -1.1, 0.4);
  const Eigen::MatrixXd by_covariance{{0.3, -0.2, 0.5}, {-0.2, 1.0, 0.1}, {0.5, 0.1, -0.6}};
  const auto weighted = [&](const Eigen::MatrixXd& at) {
    const JointPosterior posterior = process.joint(at);
    return by_mean.dot(posterior.mean) + by_covariance.cwiseProduct(posterior.covariance).sum();
  };
  const Eigen::MatrixXd gradient =
      process.gradient_by_points(points, process.joint(points), by_mean, by_covariance);
  for (Eigen::Index i = 0; i < points.size(); ++i) {
    Eigen::MatrixXd up = points, down = points;
    up.reshaped()[i] += 1e-5;
    down.reshaped()[i] -= 1e-5;
    CHECK((weighted(up) - weighted(down)) / 2e-5 == doctest::Approx(gradient.reshaped()[i]).epsilon(1e-7));
  }
}

TEST_CASE("Gaussian process: the profiled outputscale is where the likelihood's derivative by it vanishes") {
  const Eigen::MatrixXd points = sobol_points(5, 2, 0, 30);
  GaussianProcess process = on_wave(2, 30, 0);
  const double before = process.log_likelihood();
  process.profile_outputscale();
  CHECK(process.log_likelihood() > before);
  CHECK(std::abs(process.log_likelihood_gradient().log_outputscale) < 1e-6);
  // The same as conditioning with it from the start.
  const auto again = GaussianProcess::condition(points, wave(points), process.parameters());
  REQUIRE(again);
  CHECK(again->log_likelihood() == doctest::Approx(process.log_likelihood()).epsilon(1e-9));
}

TEST_CASE("Gaussian process: nothing, not a crash, from values or points that are no numbers") {
  const Eigen::MatrixXd points{{0.1, 0.2}};
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(1);
  CHECK(!GaussianProcess::condition(points, Eigen::Vector2d(1, NAN), {ones, 1, 0, 0}));
  CHECK(!GaussianProcess::condition(Eigen::MatrixXd{{0.1, NAN}}, Eigen::Vector2d(1, 2), {ones, 1, 0, 0}));
  CHECK(!GaussianProcess::condition(points, Eigen::Vector2d(1, 2), {ones, NAN, 0, 0}));
  // The same point twice without noise is singular: the jitter makes it regular and is reported.
  const auto twice =
      GaussianProcess::condition(Eigen::MatrixXd{{0.5, 0.5}}, Eigen::Vector2d(1, 2), {ones, 1, 0, 0});
  REQUIRE(twice);
  CHECK(twice->jitter() == doctest::Approx(1e-10));
  CHECK(twice->marginals(Eigen::MatrixXd{{0.5}}).mean[0] == doctest::Approx(1.5));
}
