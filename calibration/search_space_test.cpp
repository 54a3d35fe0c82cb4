#include "calibration/search_space.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;

namespace {

ParameterTable table() {
  const auto row = [](const char* id, double lower, double upper, Scale scale) {
    return AuxiliaryParameter{id, Domain::scale_up, Dimension::number, lower, lower, upper, scale, "", ""};
  };
  return {{row("fixed", 1, 2, Scale::linear), row("line", -2, 6, Scale::linear),
           row("decades", 1e-6, 1e-2, Scale::logarithmic), row("odd", 0.05e-6, 30e-6, Scale::logarithmic)},
          {}};
}

}  // namespace

TEST_CASE("search space: closed forms") {
  // line: -2 + 0.25 * 8 = 0;  decades: 1e-6 * (1e4)^0.5 = 1e-4.  What is not tuned stays.
  const SearchSpace space(table(), {2, 1});
  std::vector<double> parameters = {1.5, 99, 99, 99};
  space.apply(Eigen::Vector2d(0.5, 0.25), parameters);
  CHECK(parameters[0] == 1.5);
  CHECK(parameters[1] == doctest::Approx(0.0).scale(1));
  CHECK(parameters[2] == doctest::Approx(1e-4).epsilon(1e-14));
  CHECK(parameters[3] == 99);
}

TEST_CASE("search space: bounds are hit exactly, and nothing leaves them") {
  const ParameterTable rows = table();
  const SearchSpace space(rows, {1, 2, 3});
  std::vector<double> parameters = rows.defaults();
  for (const double edge : {0.0, 1.0, -1e-17, 1.0 + 1e-15}) {
    space.apply(Eigen::VectorXd::Constant(3, edge), parameters);
    for (const ParameterIndex i : space.tuned())
      CHECK(parameters[i] == (edge > 0.5 ? rows[i].upper : rows[i].lower));
  }
  space.apply(Eigen::VectorXd::Constant(3, 1 - 0x1p-53), parameters);
  for (const ParameterIndex i : space.tuned()) CHECK(parameters[i] <= rows[i].upper);
  const Eigen::VectorXd clamped = space.point_of(std::vector<double>{0, -100, 1, 1e-6});
  CHECK(clamped[0] == 0);
  CHECK(clamped[1] == 1);
}

TEST_CASE("search space: point -> values -> point is the identity to rounding") {
  const ParameterTable rows = table();
  const SearchSpace space(rows, {3, 1, 2});
  std::vector<double> parameters = rows.defaults();
  for (std::uint64_t draw = 0; draw < 500; ++draw) {
    const Eigen::Vector3d point(unit_draw(1, draw, 0), unit_draw(1, draw, 1), unit_draw(1, draw, 2));
    space.apply(point, parameters);
    CHECK((space.point_of(parameters) - point).lpNorm<Eigen::Infinity>() < 1e-14);
  }
}
