// All that the method knows of a simulator, so that any simulator can be calibrated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/parameters.hpp"
#include "calibration/dataset.hpp"

namespace caliper {

enum class OutcomeStatus : std::uint8_t { time, failure, timeout };

/// The answer for one experiment.
struct Outcome {
  OutcomeStatus status = OutcomeStatus::failure;
  double seconds = 0;            ///< completion time where status is `time`
  std::vector<double> gradient;  ///< d seconds / d parameter, [table size], where known; empty otherwise
  std::string reason;            ///< of a failure, for people
};

/// Answers batches, so that an implementation may compute whole curves at once.
struct Simulator {
  virtual ~Simulator() = default;
  /// outcomes[i] answers experiments[i]. Called from many threads at once; the answer depends on the
  /// arguments alone.
  virtual void evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                        std::span<Outcome> outcomes) const = 0;
  /// Hash of what is simulated for an experiment (its program, and limits such as a timeout, without
  /// parameters): the same for all candidates, part of every cache key, and what "execution equivalence"
  /// compares.
  virtual std::string program_hash(ExperimentId experiment) const = 0;
  /// Experiments of the same number are handed over in one call (as far as they are not known yet); calls run
  /// in parallel. By default each experiment is a call of its own.
  virtual std::uint32_t call_of(ExperimentId experiment) const { return experiment.index; }
};

}  // namespace caliper
