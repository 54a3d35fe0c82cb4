#include "calibration/gp_fit.hpp"

#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "calibration/sobol.hpp"

using namespace caliper;

namespace {

// What the fit maximises, up to a constant.
double log_posterior(const Eigen::MatrixXd& points, const Eigen::VectorXd& values,
                     const Eigen::VectorXd& lengthscales) {
  auto process = GaussianProcess::condition(points, values, {lengthscales, 1, GpFitOptions{}.noise_share, 0});
  REQUIRE(process);
  process->profile_outputscale();
  const double mean = std::numbers::sqrt2 + 0.5 * std::log(static_cast<double>(points.rows()));
  const Eigen::ArrayXd t = lengthscales.array().log();
  return process->log_likelihood() - (t + (t - mean).square() / 6).sum();
}

}  // namespace

TEST_CASE("fit: no nearby and no equal lengthscales are more probable") {
  for (const std::size_t dimensions : {1u, 2u, 4u}) {
    const Eigen::MatrixXd points = sobol_points(1, dimensions, 0, 24);
    Eigen::VectorXd values =
        (6 * points.row(0).transpose()).array().sin() + points.colwise().squaredNorm().transpose().array();
    values.array() -= values.mean();
    const auto process = fit_gaussian_process(points, values, {});
    REQUIRE(process);
    const Eigen::VectorXd found = process->parameters().lengthscales;
    const double reached = log_posterior(points, values, found);
    for (Eigen::Index i = 0; i < found.size(); ++i)
      for (const double factor : {0.8, 0.95, 1.05, 1.25}) {
        Eigen::VectorXd other = found;
        other[i] *= factor;
        CHECK(log_posterior(points, values, other) < reached + 1e-3);
      }
    for (const double equal : {0.05, 0.2, 1.0, 5.0, 40.0})
      CHECK(log_posterior(points, values, Eigen::VectorXd::Constant(found.size(), equal)) < reached + 1e-3);
  }
}

TEST_CASE("fit: a dimension that does nothing gets a longer lengthscale than one that does") {
  const Eigen::MatrixXd points = sobol_points(3, 2, 0, 32);
  Eigen::VectorXd values = (8 * points.row(0).transpose()).array().sin();
  values.array() -= values.mean();
  const auto process = fit_gaussian_process(points, values, {});
  REQUIRE(process);
  CHECK(process->parameters().lengthscales[1] > 3 * process->parameters().lengthscales[0]);
}

TEST_CASE("fit: values that are all alike, and a single observation, give the prior's mode") {
  for (const std::size_t count : {1u, 9u}) {
    const Eigen::MatrixXd points = sobol_points(3, 4, 0, count);
    const auto process = fit_gaussian_process(points, Eigen::VectorXd::Zero(points.cols()), {});
    REQUIRE(process);
    CHECK(process->parameters().outputscale == 1);
    CHECK(process->parameters().lengthscales[2] == doctest::Approx(std::exp(std::numbers::sqrt2 - 3) * 2));
  }
}

TEST_CASE("fit: lengthscales stay within their bounds") {
  const Eigen::MatrixXd points = sobol_points(8, 1, 0, 40);
  const Eigen::VectorXd noise = sobol_normals(9, 40, 1).row(0);  // no function of the point at all
  const auto rough = fit_gaussian_process(points, noise.array() - noise.mean(), {});
  REQUIRE(rough);
  CHECK(rough->parameters().lengthscales[0] >= 0.025 * (1 - 1e-12));
  const Eigen::VectorXd line = points.row(0).array() - points.mean();
  const auto smooth = fit_gaussian_process(points, line, {});
  REQUIRE(smooth);
  CHECK(smooth->parameters().lengthscales[0] <= 50 * (1 + 1e-12));
}
