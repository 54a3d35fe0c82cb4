// Problems with known minima, on the unit cube: those on which optimisers are compared.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace caliper::test {

/// A loss, and where it is made of residuals these, with the sizes of the groups whose largest root mean
/// square it is.
struct Problem {
  std::string name;
  Eigen::Index dimensions;
  double minimum;
  std::function<double(const Eigen::VectorXd&)> loss;
  std::function<Eigen::VectorXd(const Eigen::VectorXd&)> residuals;
  std::vector<Eigen::Index> groups;
};

/// Completion time against message size with two protocols; theta = log10 of (latency s, bandwidth B/s,
/// rendezvous latency s, switch B). 40 sizes from 8 B to 256 MiB.
inline Eigen::ArrayXd curve(const Eigen::Vector4d& theta, double share = 1) {
  Eigen::ArrayXd times(40);
  const Eigen::Vector4d p = theta.unaryExpr([](double t) { return std::pow(10.0, t); });
  for (Eigen::Index i = 0; i < 40; ++i) {
    const double size = share * 8 * std::pow(2.0, 25 * static_cast<double>(i) / 39);
    const double rendezvous = 1 / (1 + std::pow(p[3] / size, 4));
    times[i] = p[0] + size / p[1] * (1 + 3 * (1 - rendezvous)) + p[2] * rendezvous;
  }
  return times;
}

inline const Eigen::Vector4d kCalibLower(-7, 8, -7, 3), kCalibUpper(-4, 12, -4, 7),
    kCalibTruth(-5.3, 10.4, -5.0, 5.2);
inline Eigen::Vector4d calib_theta(const Eigen::VectorXd& u) {
  return kCalibLower + (kCalibUpper - kCalibLower).cwiseProduct(u);
}
inline Eigen::ArrayXd on_a_clock(const Eigen::ArrayXd& times) {
  return (times / 1e-7).unaryExpr([](double t) { return std::max(std::nearbyint(t), 1.0); }) * 1e-7;
}

inline Problem with_residuals(std::string name, Eigen::Index dimensions, double minimum,
                              std::function<Eigen::VectorXd(const Eigen::VectorXd&)> residuals,
                              std::vector<Eigen::Index> groups) {
  const auto loss = [residuals, groups](const Eigen::VectorXd& u) {
    const Eigen::VectorXd r = residuals(u);
    double largest = 0;
    Eigen::Index first = 0;
    for (const Eigen::Index size : groups) {
      largest = std::max(largest, r.segment(first, size).norm() / std::sqrt(static_cast<double>(size)));
      first += size;
    }
    return largest;
  };
  return {std::move(name), dimensions, minimum, loss, std::move(residuals), std::move(groups)};
}

/// The floors of the two problems with a gap were found by least squares from 60 starts.
inline std::vector<Problem> calibration_problems() {
  const Eigen::ArrayXd truth = curve(kCalibTruth).log10();
  Eigen::ArrayXd wave(40), bump(40);
  for (Eigen::Index i = 0; i < 40; ++i) {
    const auto x = static_cast<double>(i);
    wave[i] = 0.02 * std::sin(1.7 * x);
    bump[i] = 0.03 * std::exp(-std::pow((x - 24) / 3, 2));
  }
  const auto against = [](Eigen::ArrayXd reference) {
    return [reference](const Eigen::VectorXd& u) -> Eigen::VectorXd {
      return (curve(calib_theta(u)).log10() - reference).matrix();
    };
  };
  const Eigen::ArrayXd ticked = on_a_clock(curve(kCalibTruth)).log10();
  const auto quantised = [ticked](const Eigen::VectorXd& u) -> Eigen::VectorXd {
    return (on_a_clock(curve(calib_theta(u))).log10() - ticked).matrix();
  };
  const auto two_tiers = [](const Eigen::Vector4d& in, const Eigen::Vector4d& out) {
    Eigen::ArrayXd times(80);
    times << curve(in), curve(in, 1.0 / 8) + curve(out);
    return times;
  };
  const Eigen::ArrayXd both = two_tiers({-5.6, 11.2, -5.2, 5.6}, kCalibTruth).log10();
  const auto tiers = [both, two_tiers](const Eigen::VectorXd& u) -> Eigen::VectorXd {
    return (two_tiers(calib_theta(u.head(4)), calib_theta(u.tail(4))).log10() - both).matrix();
  };
  const std::vector<Eigen::Index> quarters(4, 10);
  return {with_residuals("calib4", 4, 0, against(truth), {40}),
          with_residuals("calib4gap", 4, 0.0138147854393941, against(truth + wave), {40}),
          with_residuals("calib4minimax", 4, 0, against(truth), quarters),
          with_residuals("calib4gapminimax", 4, 0.0144560210062, against(truth + wave + bump), quarters),
          with_residuals("calib4q", 4, 0, quantised, {40}),
          with_residuals("calib8", 8, 0, tiers, {80})};
}

/// A point of the unit cube in the box [low, high]^d.
inline Eigen::ArrayXd in_box(const Eigen::VectorXd& u, double low, double high) {
  return low + (high - low) * u.array();
}

/// Exponentials around four points, as Hartmann's functions are.
template <int kDimensions>
double hartmann(const Eigen::VectorXd& x, const Eigen::Matrix<double, 4, kDimensions>& steepness,
                const Eigen::Matrix<double, 4, kDimensions>& centres) {
  const Eigen::Array4d weights(1, 1.2, 3, 3.2);
  double sum = 0;
  for (Eigen::Index i = 0; i < 4; ++i)
    sum -= weights[i] * std::exp(-steepness.row(i).dot((x.transpose() - 1e-4 * centres.row(i)).cwiseAbs2()));
  return sum;
}

/// Functions that global optimisers are compared on, without residuals.
inline std::vector<Problem> classical_problems() {
  constexpr double kPi = std::numbers::pi;
  const auto branin = [](const Eigen::VectorXd& u) {
    const double x = -5 + 15 * u[0], y = 15 * u[1];
    return std::pow(y - 5.1 / (4 * kPi * kPi) * x * x + 5 / kPi * x - 6, 2) +
           10 * (1 - 1 / (8 * kPi)) * std::cos(x) + 10;
  };
  const auto hartmann3 = [](const Eigen::VectorXd& u) {
    Eigen::Matrix<double, 4, 3> steepness, centres;
    steepness << 3, 10, 30, .1, 10, 35, 3, 10, 30, .1, 10, 35;
    centres << 3689, 1170, 2673, 4699, 4387, 7470, 1091, 8732, 5547, 381, 5743, 8828;
    return hartmann<3>(u, steepness, centres);
  };
  const auto hartmann6 = [](const Eigen::VectorXd& u) {
    Eigen::Matrix<double, 4, 6> steepness, centres;
    steepness << 10, 3, 17, 3.5, 1.7, 8, .05, 10, 17, .1, 8, 14, 3, 3.5, 1.7, 10, 17, 8, 17, 8, .05, 10, .1,
        14;
    centres << 1312, 1696, 5569, 124, 8283, 5886, 2329, 4135, 8307, 3736, 1004, 9991, 2348, 1451, 3522, 2883,
        3047, 6650, 4047, 8828, 8732, 5743, 1091, 381;
    return hartmann<6>(u, steepness, centres);
  };
  const auto rosenbrock = [](const Eigen::VectorXd& u) {
    const Eigen::ArrayXd x = in_box(u, -5, 10);
    const Eigen::Index n = x.size() - 1;
    return (100 * (x.tail(n) - x.head(n).square()).square() + (x.head(n) - 1).square()).sum();
  };
  const auto ackley = [](const Eigen::VectorXd& u) {
    const Eigen::ArrayXd x = in_box(u, -32.768, 32.768);
    return -20 * std::exp(-0.2 * std::sqrt(x.square().mean())) - std::exp((2 * kPi * x).cos().mean()) + 20 +
           std::numbers::e;
  };
  return {{"branin", 2, 0.39788735772973816, branin, {}, {}},
          {"hartmann3", 3, -3.862779787332660, hartmann3, {}, {}},
          {"hartmann6", 6, -3.322368011415515, hartmann6, {}, {}},
          {"rosenbrock4", 4, 0, rosenbrock, {}, {}},
          {"ackley4", 4, 0, ackley, {}, {}}};
}

}  // namespace caliper::test
