// What limits each transfer of a run, as it is recorded for OperationTimes: the only part of a run that asks
// why a rate is what it is.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run_result.hpp"
#include "engine/sharing_problem.hpp"

namespace caliper {

class RateRecorder {
 public:
  /// @param problem  the one that rates are solved for: without links that cannot fill
  /// @param times    its rows are set up; gets periods
  RateRecorder(SharingProblem problem, OperationTimes& times);

  /// A transfer in a slot that shares with none begins and keeps its rate.
  void alone(std::uint64_t row, std::uint32_t slot, double begin, double rate, double cap);
  /// The transfer of a row is in the slot and has this rate from now on. Told for all before settle().
  void set(std::uint64_t row, std::uint32_t slot, double rate, double cap);
  /// The transfer of a row is over; it was in one of these slots, or moved nothing.
  void ended(std::uint64_t row, std::uint32_t first_slot, std::uint32_t slots);
  /// Notes new periods of all transfers whose rate or limit may have changed.
  void settle(double now);

 private:
  struct Limit {
    LinkId link;
    bool plain;
  };
  struct Moving {
    std::uint64_t row = 0;
    double rate = 0, cap = 0;  ///< 0: nothing moves in the slot
  };
  /// A slot that crosses a link, with as many users.
  struct Crossing {
    std::uint32_t slot, users;
  };

  Limit limit_of(std::uint32_t slot) const;
  void touch(std::uint32_t slot);
  void note(std::uint32_t slot, double now);

  SharingProblem problem_;
  OperationTimes& times_;
  std::vector<Moving> moving_;                 // [slots]
  std::vector<std::uint32_t> crossing_first_;  // [links + 1]
  std::vector<Crossing> crossings_;            // by link
  std::vector<std::uint32_t> touched_links_, touched_slots_;
  std::vector<char> link_touched_, slot_touched_;
};

}  // namespace caliper
