// Candidates times experiments, through the cache and on all threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "calibration/evaluation_cache.hpp"
#include "calibration/simulator.hpp"

namespace caliper {

/// What every evaluation of a calibration needs. All of it must outlive its users.
struct EvaluationContext {
  const ParameterTable& table;
  const Dataset& dataset;
  const Simulator& simulator;
  EvaluationCache& cache;
};

/// Counts of experiments, over the life of an evaluator.
struct EvaluationCounts {
  std::uint64_t distinct =
      0;  ///< different pairs of program and parameters asked for; does not depend on the cache
  std::uint64_t runs = 0;  ///< answered by the simulator, now
  std::uint64_t hits = 0;  ///< answered by the cache, or by an equal question of the same batch
};

/// Wall seconds over the life of an evaluator.
struct EvaluationSeconds {
  double simulator = 0;
  double cache = 0;  ///< keys, look-ups and writing, and sharing answers of equal questions
};

/// Answers for a batch of candidates.
struct EvaluatedBatch {
  std::size_t experiments;          ///< of one candidate
  std::vector<Outcome> outcomes;    ///< [candidate * experiments + experiment], without gradients
  std::vector<std::uint64_t> runs;  ///< [candidate] simulator runs that it took

  std::span<const Outcome> of(std::size_t candidate) const {
    return std::span(outcomes).subspan(candidate * experiments, experiments);
  }
};

/// Runs in the caller's TBB arena: a tbb::task_arena or tbb::global_control around the calls limits the
/// threads. The answers are the same for any number of them.
class Evaluator {
 public:
  explicit Evaluator(const EvaluationContext& context) : context_(context) {}

  /// Evaluates full sets of parameters. What the simulator had to compute is in the cache before this
  /// returns, as one transaction. A time that is not positive and finite becomes a failure that says so.
  /// Problems: those of the cache.
  Result<EvaluatedBatch> evaluate(std::span<const std::vector<double>> candidates,
                                  std::span<const ExperimentId> experiments);
  const EvaluationCounts& counts() const { return counts_; }
  const EvaluationSeconds& seconds() const { return seconds_; }
  const EvaluationContext& context() const { return context_; }

 private:
  const std::string& program_of(ExperimentId experiment);
  std::vector<CacheKey> keys_of(std::span<const std::vector<double>> candidates,
                                std::span<const ExperimentId> experiments);

  EvaluationContext context_;
  EvaluationCounts counts_;
  EvaluationSeconds seconds_;
  std::unordered_map<std::uint32_t, std::string> programs_;  // of ExperimentId
  std::unordered_set<std::string> asked_;                    // joined keys
};

}  // namespace caliper
