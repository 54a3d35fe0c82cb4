#include "calibration/test_problems.hpp"

#include <map>

#include <doctest/doctest.h>

using namespace caliper::test;

TEST_CASE("test problems: values at points, as other implementations of them have them") {
  std::map<std::string, Problem> by_name;
  for (auto& list : {classical_problems(), calibration_problems()})
    for (const Problem& problem : list) by_name[problem.name] = problem;
  const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-12); };
  CHECK(by_name["branin"].loss(Eigen::Vector2d(.3, .7)) == near(31.90971034805942));
  CHECK(by_name["hartmann3"].loss(Eigen::Vector3d(.1, .5, .9)) == near(-3.5190749610462375));
  CHECK(by_name["hartmann6"].loss(Eigen::VectorXd{{.2, .15, .48, .28, .31, .66}}) ==
        near(-3.3212456603515688));
  CHECK(by_name["rosenbrock4"].loss(Eigen::Vector4d(.1, .2, .3, .4)) == near(22419));
  CHECK(by_name["ackley4"].loss(Eigen::Vector4d(.1, .2, .3, .4)) == near(21.277366938750884));

  const auto at = [](double a, double b, double c, double d) -> Eigen::VectorXd {
    return (Eigen::Vector4d(a, b, c, d) - kCalibLower).cwiseQuotient(kCalibUpper - kCalibLower);
  };
  const Eigen::VectorXd one = at(-6, 9, -6, 4), other = at(-4.5, 11, -6.5, 6);
  CHECK(by_name["calib4"].loss(one) == near(0.9493404257138238));
  CHECK(by_name["calib4gap"].loss(one) == near(0.9493613054725235));
  CHECK(by_name["calib4minimax"].loss(one) == near(1.391125129645534));
  CHECK(by_name["calib4q"].loss(one) == near(0.9496413588456678));
  CHECK(by_name["calib4"].loss(other) == near(0.6087012335276021));
  CHECK(by_name["calib4gap"].loss(other) == near(0.6086829393508354));
  CHECK(by_name["calib4minimax"].loss(other) == near(0.7984164516472451));
  Eigen::VectorXd both(8);
  both << at(-6, 10, -6, 5), at(-5, 10, -5, 5);
  CHECK(by_name["calib8"].loss(both) == near(0.5692401562245886));
  CHECK(by_name["calib4gapminimax"].loss(at(-5.30275776, 10.39387892, -4.92985551, 5.21558277)) ==
        doctest::Approx(by_name["calib4gapminimax"].minimum).epsilon(1e-6));
  CHECK(by_name["calib4gap"].loss(at(-5.29961886, 10.39940722, -5.02476332, 5.23792134)) ==
        doctest::Approx(by_name["calib4gap"].minimum).epsilon(1e-8));
}
