// One stage of a calibration: some parameters are tuned on some experiments, everything else is as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "calibration/evaluator.hpp"
#include "calibration/loss.hpp"
#include "calibration/optimizer.hpp"

namespace caliper {

/// A stage ends between batches, so a budget may be exceeded by what one batch takes.
struct StageBudget {
  /// Proposals after the initial design (the default is the paper's).
  std::uint32_t iterations = 30;
  /// Different pairs of program and parameters, whether the cache knows them or not: a resumed stage ends
  /// where an uninterrupted one does.
  std::optional<std::uint64_t> runs;
  /// Of this process, s.
  std::optional<double> wall_seconds;
};

struct StopRule {
  /// In the units of the loss: reached, the stage ends.
  std::optional<double> target;
  /// Iterations in which the best loss falls by less than kPlateauDecrease.
  std::optional<std::uint32_t> plateau;
};
/// A relative decrease of the best loss below this is "has not moved".
constexpr double kPlateauDecrease = 1e-3;

struct StageOptions {
  std::string name;
  std::vector<ParameterIndex> tuned;
  std::vector<FitGroup> fits;
  Loss loss = Loss::rmse;
  StageBudget budget;
  StopRule stop;
  std::uint64_t seed = 1;  ///< for whoever makes the optimiser of the stage
};

/// All problems of the options, each at "stage 'name'".
Problems problems_of(const StageOptions& options, const ParameterTable& table);

enum class StopReason : std::uint8_t { iterations, runs, wall_time, target, plateau, interrupted };
std::string_view name_of(StopReason reason);  ///< "iterations", ..., "wall_time", ...

/// One candidate.
struct HistoryRow {
  std::uint32_t iteration;         ///< 0: the initial design
  std::uint32_t candidate;         ///< counted through the stage
  double loss;                     ///< infinite where the simulator failed
  double best;                     ///< of all candidates so far
  std::vector<double> parameters;  ///< tuned values, SI, in the order of StageOptions::tuned
  double elapsed;                  ///< s since the stage began in this process, at the end of its batch
  bool from_cache;                 ///< took no simulator run
  std::string failure;             ///< the first reason; empty where there is a loss
};

/// A tuned parameter whose optimum lies within kAtBound of an edge of the unit cube.
struct ParameterAtBound {
  ParameterIndex parameter;
  bool upper;
};
constexpr double kAtBound = 1e-3;

/// Where the wall time of a stage went, s. What is left of the total is losses and bookkeeping.
struct StageSeconds {
  EvaluationSeconds evaluation;
  double optimizer = 0;
  double total = 0;
};

struct StageResult {
  std::vector<double> parameters;  ///< full set, SI
  double loss;                     ///< the best; of equal ones the earliest counts
  std::vector<double> of_group;    ///< [fit group] of the best
  std::vector<HistoryRow> history;
  StopReason stop_reason;
  std::string stop_words;
  std::uint32_t iterations;  ///< done, without the initial design
  EvaluationCounts counts;
  std::vector<ParameterAtBound> at_bound;
  StageSeconds seconds = {};
};

/// State after a batch.
struct Progress {
  std::string_view stage;
  std::uint32_t iteration;   ///< just done; 0: the initial design
  std::uint32_t iterations;  ///< of the budget
  double best_loss;
  std::span<const double> of_group;  ///< [fit group], of the best
  EvaluationCounts counts;
  double elapsed;  ///< s
};

struct ProgressSink {
  virtual ~ProgressSink() = default;
  /// Called after each batch, when all its outcomes are in the cache. False asks for a stop.
  virtual bool after_batch(const Progress& progress) = 0;
};

/// Minimises the loss of the fits over the tuned parameters. The first candidate is `start` itself (a value
/// outside its bounds moved to the bound), then the optimiser's initial points; then batches that it
/// proposes. Resuming is running again with the same cache: the optimiser is a function of the history, the
/// history of the outcomes, and those are known. All but seconds and counts of runs is bit for bit the
/// same. Problems: of the options, of the cache, and when every candidate of the initial design fails.
/// @param start  full set of parameters, SI
/// @param progress  may be null
Result<StageResult> run_stage(const EvaluationContext& context, ParameterView start,
                              const StageOptions& options, const Optimizer& optimizer,
                              ProgressSink* progress);

using OptimizerFactory = std::function<std::unique_ptr<Optimizer>(const StageOptions&)>;

/// Stages in order. Each starts from the result of the one before, whose tuned values stay as they are: a
/// parameter that two stages tune is a problem. After an interrupted stage none begins; its result is the
/// last.
Result<std::vector<StageResult>> run_stages(const EvaluationContext& context, ParameterView start,
                                            std::span<const StageOptions> stages,
                                            const OptimizerFactory& optimizer, ProgressSink* progress);

}  // namespace caliper
