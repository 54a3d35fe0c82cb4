// Minimum of a smooth function in a box.
#pragma once

#include <functional>

#include <Eigen/Core>

namespace caliper {

/// Value at x; writes the gradient (same size as x).
using SmoothFunction = std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& gradient)>;

struct Box {
  Eigen::VectorXd lower, upper;
};

struct MinimizerLimits {
  int evaluations = 100;
  double relative_change = 1e-8;  ///< stop where a step changes the value by less
};

struct BoxMinimum {
  Eigen::VectorXd point;  ///< inside the box
  double value;
};

/// The best point that was evaluated, from `start` (moved into the box) on; never worse than the start.
/// L-BFGS of NLopt (Nocedal's method in Luksan's code), deterministic. A function that becomes NaN or
/// infinite ends the search there.
BoxMinimum minimize_in_box(const SmoothFunction& function, const Eigen::VectorXd& start, const Box& box,
                           const MinimizerLimits& limits);

}  // namespace caliper
