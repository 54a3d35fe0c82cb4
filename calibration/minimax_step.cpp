#include "calibration/minimax_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/QR>
#include <nlopt.hpp>

#include "base/check.hpp"

namespace caliper {
namespace {

/// Bounded-variable least squares.
class BoundedLeastSquares {
 public:
  BoundedLeastSquares(const LinearModel& model, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper)
      : model_(model), lower_(lower), upper_(upper), step_(Eigen::VectorXd::Zero(lower.size())) {
    for (Eigen::Index i = 0; i < step_.size(); ++i)
      if (lower_[i] < upper_[i]) free_.push_back(i);
  }

  Eigen::VectorXd run() {
    for (int round = 0; round < kMostRounds; ++round) {
      while (!free_.empty() && !move_to_minimum()) {
      }
      if (!release_one()) break;
    }
    return step_;
  }

 private:
  static constexpr int kMostRounds = 60;

  Eigen::VectorXd remaining() const { return model_.residuals + model_.jacobian * step_; }

  /// To the minimum over the free variables, or to the first bound on the way, which then holds one more.
  bool move_to_minimum() {
    Eigen::MatrixXd columns(model_.jacobian.rows(), static_cast<Eigen::Index>(free_.size()));
    for (std::size_t i = 0; i < free_.size(); ++i)
      columns.col(static_cast<Eigen::Index>(i)) = model_.jacobian.col(free_[i]);
    const Eigen::VectorXd move = columns.colPivHouseholderQr().solve(-remaining());
    double share = 1;
    std::size_t first = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const double by = move[static_cast<Eigen::Index>(i)];
      const double room = by > 0 ? upper_[free_[i]] - step_[free_[i]] : lower_[free_[i]] - step_[free_[i]];
      if (std::abs(by) * share <= std::abs(room)) continue;
      share = room / by;
      first = i;
    }
    for (std::size_t i = 0; i < free_.size(); ++i)
      step_[free_[i]] += share * move[static_cast<Eigen::Index>(i)];
    step_ = step_.cwiseMax(lower_).cwiseMin(upper_);
    if (first == free_.size()) return true;
    const Eigen::Index axis = free_[first];
    step_[axis] = move[static_cast<Eigen::Index>(first)] > 0 ? upper_[axis] : lower_[axis];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(first));
    return false;
  }

  /// Frees the variable at a bound that most wants to leave it; false where none does.
  bool release_one() {
    const Eigen::VectorXd gradient = model_.jacobian.transpose() * remaining();
    const double scale = model_.jacobian.norm() * model_.residuals.norm();
    Eigen::Index best = -1;
    double strongest = 1e-13 * scale;
    for (Eigen::Index i = 0; i < step_.size(); ++i) {
      if (std::ranges::find(free_, i) != free_.end() || lower_[i] == upper_[i]) continue;
      const double wants = step_[i] == lower_[i] ? -gradient[i] : gradient[i];
      if (wants <= strongest || released_ == i) continue;
      strongest = wants;
      best = i;
    }
    if (best < 0) return false;
    released_ = best;
    free_.push_back(best);
    return true;
  }

  const LinearModel& model_;
  const Eigen::VectorXd &lower_, &upper_;
  Eigen::VectorXd step_;
  std::vector<Eigen::Index> free_;
  Eigen::Index released_ = -1;  // last: not twice in a row, which rounding could make endless
};

/// Mean squares of the groups of a linear model, relative to the largest at the start.
struct Epigraph {
  const LinearModel& model;
  std::span<const Eigen::Index> sizes;
  double unit;

  /// Of group g at (step, t): its mean square - t.
  void constraints(const double* at, double* values, double* gradients) const {
    const Eigen::Index d = model.jacobian.cols();
    const Eigen::VectorXd residuals =
        model.residuals + model.jacobian * Eigen::Map<const Eigen::VectorXd>(at, d);
    Eigen::Index first = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      const auto part = residuals.segment(first, sizes[g]);
      const double weight = 1 / (unit * static_cast<double>(sizes[g]));
      values[g] = weight * part.squaredNorm() - at[d];
      if (gradients) {
        Eigen::Map<Eigen::VectorXd> by(gradients + static_cast<std::ptrdiff_t>(g) * (d + 1), d + 1);
        by.head(d) = 2 * weight * (model.jacobian.middleRows(first, sizes[g]).transpose() * part);
        by[d] = -1;
      }
      first += sizes[g];
    }
  }
};

Eigen::VectorXd epigraph_step(const LinearModel& model, std::span<const Eigen::Index> sizes,
                              const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  const auto d = static_cast<std::size_t>(lower.size());
  const double start = largest_norm(model.residuals, sizes);
  if (start == 0) return Eigen::VectorXd::Zero(lower.size());
  Epigraph epigraph{model, sizes, start * start};
  nlopt::opt solver(nlopt::LD_SLSQP, static_cast<unsigned>(d + 1));
  std::vector<double> low(lower.begin(), lower.end()), high(upper.begin(), upper.end()), at(d, 0.0);
  low.push_back(0);
  high.push_back(2);
  at.push_back(1);
  solver.set_lower_bounds(low);
  solver.set_upper_bounds(high);
  solver.set_min_objective(
      [](unsigned n, const double* x, double* gradient, void*) {
        if (gradient) {
          std::fill(gradient, gradient + n, 0.0);
          gradient[n - 1] = 1;
        }
        return x[n - 1];
      },
      nullptr);
  solver.add_inequality_mconstraint(
      [](unsigned, double* values, unsigned, const double* x, double* gradients, void* data) {
        static_cast<const Epigraph*>(data)->constraints(x, values, gradients);
      },
      &epigraph, std::vector<double>(sizes.size(), 1e-12));
  solver.set_xtol_rel(1e-12);
  solver.set_maxeval(200);
  double value = 0;
  try {
    solver.optimize(at, value);
  } catch (const std::exception&) {  // rounding ended it: the best so far is in `at`
  }
  const Eigen::VectorXd step =
      Eigen::Map<const Eigen::VectorXd>(at.data(), lower.size()).cwiseMax(lower).cwiseMin(upper);
  const Eigen::VectorXd reached = model.residuals + model.jacobian * step;
  return step.allFinite() && largest_norm(reached, sizes) < start ? step
                                                                  : Eigen::VectorXd::Zero(lower.size());
}

}  // namespace

std::vector<double> group_norms(const Eigen::VectorXd& residuals, std::span<const Eigen::Index> sizes) {
  std::vector<double> norms;
  Eigen::Index first = 0;
  for (const Eigen::Index size : sizes) {
    norms.push_back(residuals.segment(first, size).norm() / std::sqrt(static_cast<double>(size)));
    first += size;
  }
  CALIPER_CHECK(first == residuals.size());
  return norms;
}

double largest_norm(const Eigen::VectorXd& residuals, std::span<const Eigen::Index> sizes) {
  return std::ranges::max(group_norms(residuals, sizes));
}

Eigen::VectorXd minimax_step(const LinearModel& model, std::span<const Eigen::Index> sizes,
                             const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  CALIPER_CHECK(model.jacobian.rows() == model.residuals.size() && model.jacobian.cols() == lower.size());
  if (sizes.size() == 1) return BoundedLeastSquares(model, lower, upper).run();
  return epigraph_step(model, sizes, lower, upper);
}

}  // namespace caliper
