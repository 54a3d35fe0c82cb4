// The optimiser's side of a calibration: it sees points of the unit cube and their losses, nothing else.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace caliper {

/// One evaluated candidate. Failed candidates are part of the history: they are to be avoided, not forgotten.
struct Evaluation {
  Eigen::VectorXd point;      ///< in the unit cube, [d]
  double loss;                ///< infinite where the simulator failed
  Eigen::VectorXd residuals;  ///< of every fitted experiment, [m]; empty where the simulator failed
};

/// Proposes candidates as a pure function of its settings (with the seed) and the history. That alone makes a
/// resumed run equal to an uninterrupted one, and the number of threads irrelevant.
struct Optimizer {
  virtual ~Optimizer() = default;
  /// Points to evaluate before the first proposal, [d] each; the caller adds the default configuration.
  virtual std::vector<Eigen::VectorXd> initial_points(std::size_t dimensions) const = 0;
  /// The next batch; never empty, each point inside the unit cube.
  virtual std::vector<Eigen::VectorXd> propose(std::span<const Evaluation> history) const = 0;
};

}  // namespace caliper
