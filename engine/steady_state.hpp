// Long runs repeat themselves: what a ring does in its thousandth step it did in the one before, a period
// later. Where that is so the run is moved on by whole periods at once.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/flow_state.hpp"
#include "engine/independent_parts.hpp"

namespace caliper {

/// Watches a part of a run. When its state is that of some steps ago, up to a shift of time, and was so a
/// period before as well, all times are moved on by as many periods as all bodies that are being repeated
/// have left. A state is where each worker is in its body, what lies on the edges and since when, which
/// transfers move and since when, and all pending events.
///
/// Times are the same when they differ by no more than 1e-12 of the time that has passed; the completion time
/// then differs by less than 1e-9.
class SteadyState {
 public:
  SteadyState(const FlowState& state, const IndependentPart& part);
  /// Whether the part has loops that are long enough to be watched.
  bool worthwhile() const { return !candidates_.empty(); }
  /// To be called between steps of the run, always at the same point of a step.
  void observe();
  /// Operations that were not computed.
  std::uint64_t skipped() const { return skipped_; }
  /// Hash of when how much was skipped.
  std::uint64_t decisions() const { return decisions_; }

 private:
  struct Snapshot {
    std::vector<std::uint64_t> places;  // all that must be equal
    std::vector<double> times;          // all that must be shifted
    std::vector<std::uint32_t> left;    // of each worker's body
    double base = 0;                    // s, time of the worker that is watched
  };
  template <class Places, class Times, class GoOn>
  void visit(Places places, Times times, GoOn go_on);
  bool choose_watched();
  void take();
  bool repeats();
  void skip(double period);

  FlowState state_;
  const IndependentPart& part_;
  std::vector<const WorkerRun*> candidates_;  // with long repetitions to come; the last ones are looked at
  const WorkerRun* watched_ = nullptr;        // in a long repetition
  const Repeat* repetition_ = nullptr;
  std::uint32_t left_ = 0;  // of it, when last observed
  Snapshot saved_;
  std::uint64_t observed_ = 0, next_save_ = 1, saved_at_ = 0;
  std::uint64_t lag_ = 0;  // observations of a period that was seen once; 0: none
  double period_ = 0;      // s
  std::uint64_t skipped_ = 0, decisions_ = 0;
};

}  // namespace caliper
