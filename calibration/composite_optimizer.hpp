// Optimisation of the loss through the residuals that it is made of, two candidates at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/optimizer.hpp"

namespace caliper {

struct CompositeOptions {
  std::uint64_t seed = 1;
  /// Residuals of each fitted group: the loss is the largest of the groups' root mean squares.
  std::vector<Eigen::Index> groups;
};

/// A scalar loss hides the Jacobian; the residuals show it. Two phases, told from the history alone:
///   global  candidate 1 minimises the loss that the residual surrogate expects, from the best points and
///   from
///           elsewhere; candidate 2 has the largest expected improvement of the logarithm of the loss, given
///           candidate 1
///   local   once the loss has halved twice, or rests: candidate 1 is a Gauss-Newton step in a trust region,
///           with the surrogate's Jacobian corrected by secants to the nearest points; candidate 2 stands
///           beside it in the direction that these know least of. No finite differences: clocks that tick and
///           ties of events spoil small ones
/// Where several groups are fitted, every step minimises the largest of them.
/// Source: Astudillo & Frazier, ICML 2019 (composite functions); Cartis & Roberts, Math. Prog. Comp. 11, 2019
/// (derivative-free Gauss-Newton).
class CompositeOptimizer final : public Optimizer {
 public:
  explicit CompositeOptimizer(CompositeOptions options);
  std::vector<Eigen::VectorXd> initial_points(std::size_t dimensions) const override;
  /// Two points, neither of them in the history and not the same. `history` is not empty.
  std::vector<Eigen::VectorXd> propose(std::span<const Evaluation> history) const override;

 private:
  CompositeOptions options_;
};

}  // namespace caliper
