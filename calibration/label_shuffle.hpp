// A control of the method: calibrate on times that belong to other sizes. What comes out must predict badly;
// if it does not, the validation does not depend on what was fitted.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "calibration/stage.hpp"

namespace caliper {

/// The dataset with the times of what the stages fit permuted over the sizes of their group: at random, in
/// one cycle (Sattolo 1986), so that every size has the time of another one. A group with one fitted size
/// keeps its time; nothing that is held out moves.
Dataset shuffled_times(const Dataset& dataset, std::span<const StageOptions> stages, std::uint64_t seed);

/// Of a control run: a smaller search than the calibration, which is enough for a bad fit to show.
struct ShuffleOptions {
  std::uint64_t seed = 1;         ///< of the permutation; optimisers keep theirs
  std::uint32_t iterations = 10;  ///< of each stage after its initial design; fewer where the stage has fewer
  std::size_t sizes = 64;         ///< of a group that are fitted, and held out: evenly spaced ones of more
};

/// Held-out mean errors |T - y| / y of one group, or of all.
struct ShuffleErrors {
  std::size_t points = 0;  ///< that have a time for both sets of parameters
  double shuffled = std::numeric_limits<double>::quiet_NaN();    ///< fitted on shuffled times
  double calibrated = std::numeric_limits<double>::quiet_NaN();  ///< parameters under test
};

struct LabelShuffle {
  /// Held-out mean error that shuffled times have to exceed, as a multiple of the calibrated one.
  static constexpr double kFactor = 2;
  std::uint64_t seed = 1;
  std::uint32_t iterations = 0;  ///< the most of any stage
  std::uint64_t candidates = 0;  ///< of all stages
  ShuffleErrors all;
  std::vector<ShuffleErrors> of_group = {};  ///< [Dataset::groups]
  bool interrupted = false;                  ///< then nothing else counts

  /// As it should be.
  bool fails() const { return fails(all); }
  /// The same of one group. Where it does not fail, what is fitted decides little of that group's error.
  static bool fails(const ShuffleErrors& errors) { return errors.shuffled > kFactor * errors.calibrated; }
};

/// True where a stage fits two sizes of a group at least, and something is held out.
bool can_shuffle(std::span<const StageOptions> stages, std::span<const ExperimentId> held_out);

/// Evenly spaced ones, first and last among them, of the experiments of each group; all where they are not
/// more than `most` >= 2.
std::vector<ExperimentId> thinned(const Dataset& dataset, std::span<const ExperimentId> experiments,
                                  std::size_t most);

/// Runs the stages with their losses on shuffled_times(), without their limits of runs and time and without
/// their rules to stop. Evaluations go through the same cache: times, which no measurement has a part in.
/// Names of stages in progress and problems get ", shuffled times". Problems: those of run_stages.
/// @param start       where the calibration started, full set, SI
/// @param calibrated  [held_out] times with the parameters under test, s; NaN where there is none
/// @param progress    may be null
Result<LabelShuffle> run_label_shuffle(const EvaluationContext& context, ParameterView start,
                                       std::span<const double> calibrated, std::vector<StageOptions> stages,
                                       const OptimizerFactory& optimizer,
                                       std::span<const ExperimentId> held_out, const ShuffleOptions& options,
                                       ProgressSink* progress);

}  // namespace caliper
