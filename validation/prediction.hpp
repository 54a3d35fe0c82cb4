// Measured beside predicted, point by point and per group: what validation finds, and the files that say it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "calibration/dataset.hpp"
#include "calibration/split.hpp"
#include "validation/error_statistics.hpp"
#include "validation/noise.hpp"
#include "validation/residual_structure.hpp"

namespace caliper {

/// One experiment; times in s, NaN where there is none (a run that failed, a baseline that does not apply).
struct Prediction {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ExperimentId id;
  std::uint32_t group;  ///< row of Dataset::groups
  std::uint64_t bytes;
  double measured;                ///< finite and > 0
  double default_s = kNone;       ///< simulated with the default parameters
  double calibrated_s = kNone;    ///< simulated with the calibrated ones
  double alpha_beta_s = kNone;    ///< validation/alpha_beta.hpp, fitted on the same fit data
  double nearest_size_s = kNone;  ///< validation/nearest_size.hpp; of held-out points beside fitted ones
  Set set;
  bool outlier = false;  ///< validation/noise.hpp; flagged, never left out of a statistic
};

/// The predictions of one group and one set, summed up.
struct GroupSummary {
  std::uint32_t group;
  std::string name;
  std::string collective;
  std::uint32_t ranks;
  std::string placement;
  Set set;
  std::uint64_t smallest;  ///< bytes
  std::uint64_t largest;
  std::size_t outliers;
  double noise;                  ///< of the whole group, fraction; NaN where nothing is repeated
  NoiseEstimate noise_estimate;  ///< how well it is known
  std::string program_hash;      ///< empty where there is none
  ErrorStatistics with_default;
  ErrorStatistics calibrated;
  ErrorStatistics alpha_beta;                     ///< count 0 where it does not apply
  ErrorStatistics nearest_size;                   ///< likewise
  ResidualStructure residuals;                    ///< of the calibrated times
  std::vector<std::string> out_of_scope_reasons;  ///< each once, in order of size
};

/// One row per group and set that has points, in order of group, then calibration, validation, out of scope.
/// @param program_hashes  [Dataset::groups], or empty
std::vector<GroupSummary> summarise(const Dataset& dataset, const Split& split,
                                    std::span<const Prediction> predictions,
                                    std::span<const std::string> program_hashes);

/// `predictions.csv`: header group,size_bytes,measured_us,default_us,calibrated_us,set; one line a prediction
/// in the order given; a time that is not there is an empty cell. Names that hold a comma or a quote are
/// quoted (RFC 4180).
std::string predictions_csv(const Dataset& dataset, std::span<const Prediction> predictions);

/// ln(calibrated / measured) of the predictions that have a calibrated time, by size.
/// @param predictions  of one group
std::vector<SizedResidual> residuals_of(std::span<const Prediction* const> predictions);

}  // namespace caliper
