// How well the measurements determine what a stage has tuned: derivatives at the optimum and what follows
// from them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "base/error.hpp"
#include "calibration/evaluator.hpp"
#include "calibration/stage.hpp"

namespace caliper {

/// Central differences of this length in the unit cube, one-sided at a bound. Small steps drown in the
/// quantisation of a simulator's clock and in changes of the order of events; this one does not, and costs
/// little accuracy.
constexpr double kSensitivityStep = 1e-2;
/// Above these a parameter is called not identified.
constexpr double kLargestRelativeSigma = 0.30, kLargestCorrelation = 0.95;

struct ParameterEstimate {
  ParameterIndex parameter;
  double value;           ///< SI
  double relative_sigma;  ///< standard deviation of ln(value); NaN where unknown
  /// 95 %, SI, within the bounds; nothing where unknown.
  std::optional<std::pair<double, double>> interval;
  /// Why the value should not be read as that of a physical quantity; empty: identified.
  std::vector<std::string> doubts;
  bool identified() const { return doubts.empty(); }
};

/// d tuned parameters, m fitted experiments. "Unit cube": each parameter linear or logarithmic between its
/// bounds.
struct Sensitivity {
  std::vector<ExperimentId> experiments;  ///< [m], in the order of the fits
  Eigen::MatrixXd jacobian;               ///< d residual / d coordinate of the unit cube, [m, d]
  Eigen::MatrixXd scaled;                 ///< d ln time / d ln parameter, [m, d]
  Eigen::VectorXd singular_values;        ///< of the Jacobian, falling, [d]; zeros where m < d
  double condition_number;                ///< largest over smallest; infinite for a deficient rank
  int rank;
  Eigen::VectorXd weakest_direction;  ///< of the unit cube, length 1: the combination determined least, [d]
  std::string weakest_words;          ///< "+0.71 gpu.launch -0.70 gpu.slice_overhead"
  double residual_sigma;              ///< s, sqrt(sum of squares / (m - rank)); NaN for m <= rank
  Eigen::MatrixXd correlation;        ///< [d, d]; NaN where one of the two is not determined
  std::vector<ParameterEstimate> estimates;  ///< [d]
};

/// Gauss-Newton covariance s^2 (J'J)^-1 at `optimum`, with Student's t for m - rank degrees of freedom. It
/// takes the residuals as independent and equally scattered: where they are structured (a model gap), or
/// where the optimum is a minimax over groups, the intervals are a lower estimate. Parameters that only a
/// combination of is determined have no interval, the others keep theirs; with m <= d no parameter has one.
/// A displaced point at which the simulator fails is replaced by the optimum itself (a one-sided difference).
/// Problems: those of the cache; the simulator fails at the optimum.
/// @param optimum  full set of parameters, SI
Result<Sensitivity> analyse_sensitivity(const EvaluationContext& context, const StageOptions& stage,
                                        ParameterView optimum);

}  // namespace caliper
