// A curve by bisection against every one of its points.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/curve.hpp"
#include "engine/run_result.hpp"

namespace caliper::testing {

struct ComparedCurves {
  std::size_t points = 0, computed = 0, wrong = 0;
};

/// @param run    run(i) gives the RunResult of x[i] that the bisection works with
/// @param exact  exact(i) gives the time of x[i] that is right, in s
template <class Run, class Exact>
void compare_curve(const std::vector<double>& x, Run run, Exact exact, ComparedCurves& total) {
  CurveBisection curve(x, std::vector<char>(x.size(), 1));
  while (!curve.wanted().empty()) {
    std::vector<CurvePoint> answers;
    for (const std::size_t i : curve.wanted()) {
      const RunResult result = run(i);
      answers.push_back({result.seconds, result.decisions, !result.shared});
    }
    curve.give(answers);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = exact(i);
    total.wrong += static_cast<std::size_t>(std::abs(curve.value(i) - right) > 1e-9 * right);
  }
  total.points += x.size();
  total.computed += curve.computed();
}

template <class Run>
void compare_curve(const std::vector<double>& x, Run run, ComparedCurves& total) {
  compare_curve(
      x, run, [&](std::size_t i) { return run(i).seconds; }, total);
}

}  // namespace caliper::testing
