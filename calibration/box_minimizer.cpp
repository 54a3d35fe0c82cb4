#include "calibration/box_minimizer.hpp"

#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include <nlopt.h>

#include "base/check.hpp"

namespace caliper {

namespace {

struct Search {
  const SmoothFunction& function;
  nlopt_opt handle;
  BoxMinimum best{};
  Eigen::VectorXd x{}, gradient{};
  std::exception_ptr failure{};
};

// Called from C, so no exception may leave it.
double evaluate(unsigned n, const double* x, double* gradient, void* data) {
  Search& search = *static_cast<Search*>(data);
  const auto size = static_cast<Eigen::Index>(n);
  double value = std::numeric_limits<double>::quiet_NaN();
  try {
    search.x = Eigen::Map<const Eigen::VectorXd>(x, size);
    search.gradient.setZero(size);
    value = search.function(search.x, search.gradient);
  } catch (...) {
    search.failure = std::current_exception();
  }
  if (!std::isfinite(value) || !search.gradient.allFinite()) {
    nlopt_force_stop(search.handle);
    if (gradient != nullptr) Eigen::Map<Eigen::VectorXd>(gradient, size).setZero();
    return std::numeric_limits<double>::max();
  }
  if (gradient != nullptr) Eigen::Map<Eigen::VectorXd>(gradient, size) = search.gradient;
  if (value < search.best.value) {
    search.best.point = search.x;
    search.best.value = value;
  }
  return value;
}

}  // namespace

BoxMinimum minimize_in_box(const SmoothFunction& function, const Eigen::VectorXd& start, const Box& box,
                           const MinimizerLimits& limits) {
  const Eigen::Index size = start.size();
  CALIPER_CHECK(size > 0 && box.lower.size() == size && box.upper.size() == size);
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> handle(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(size)), nlopt_destroy);
  CALIPER_CHECK(handle != nullptr);
  Eigen::VectorXd x = start.cwiseMax(box.lower).cwiseMin(box.upper);
  Search search{function, handle.get()};
  search.best.point = x;
  search.best.value = std::numeric_limits<double>::infinity();
  nlopt_set_min_objective(handle.get(), evaluate, &search);
  nlopt_set_lower_bounds(handle.get(), box.lower.data());
  nlopt_set_upper_bounds(handle.get(), box.upper.data());
  nlopt_set_maxeval(handle.get(), limits.evaluations);
  nlopt_set_ftol_rel(handle.get(), limits.relative_change);
  double value = 0;
  // Whatever it returns, the best point is kept above: L-BFGS reports a line search at the limit of rounding
  // as failure.
  nlopt_optimize(handle.get(), x.data(), &value);
  if (search.failure) std::rethrow_exception(search.failure);
  return search.best;
}

}  // namespace caliper
