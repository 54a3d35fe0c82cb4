// What a run of a program ends with: a time with a proof, or an explanation of who waits for whom.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/program.hpp"

namespace caliper {

/// A worker that cannot go on.
struct Wait {
  WorkerId worker;
  WorkerId on;  ///< who would have to act
  EdgeId edge;
  bool for_credit;           ///< else for data
  std::uint64_t operation;   ///< ordinal in the worker's list, from 0
  std::uint64_t operations;  ///< length of that list
  std::uint64_t slice;       ///< ordinal on the edge, from 0
};

struct StuckReport {
  double seconds;           ///< simulated time at which nothing was left to happen
  std::vector<Wait> waits;  ///< by worker
  std::vector<Wait> cycle;  ///< a circle of waits, each waiting on the next, where there is one

  /// The circle, or where there is none the first waits, a line each.
  std::string describe(const Program& program) const;
};

struct RunResult {
  double seconds = 0;            ///< completion: the last operation done and the last slice seen
  std::uint64_t operations = 0;  ///< of all workers that the program's stand for
  std::uint64_t slices = 0;      ///< posted on edges, likewise
  std::uint64_t bytes = 0;       ///< posted on edges, with or without a route, likewise
  std::uint64_t events = 0;      ///< operations computed and starts and ends of shared transfers
  std::uint64_t skipped = 0;     ///< operations that a steady state made unnecessary to compute
  bool shared = false;           ///< rates of transfers depended on each other
  /// Hash of all that was decided by comparing times: which wait ended last, which transfers moved together
  /// in which order, what came last of all; and of when how many periods were skipped. Where two runs on a
  /// line of sizes have the same, so has every run between them, and the completion time is affine there:
  /// times are affine in the sizes as long as decisions stay, and a comparison that holds at both ends holds
  /// between. What differs by less than 1e-13 counts as equal. 0: none.
  std::uint64_t decisions = 0;
  std::optional<StuckReport> stuck;
};

/// Why an operation did not begin earlier.
enum class Cause : std::uint8_t { worker, data, credit };

/// A transfer from `begin` on, until its next period or its end.
struct RatePeriod {
  double begin;  ///< s
  double rate;   ///< bytes/s
  LinkId link;   ///< that limits it; invalid: the cap of its kind
  /// The rate is the cap, or the link's capacity / all users of the link: what others get leaves it alone.
  bool plain;
  std::uint64_t previous;  ///< row of OperationTimes::periods, or kNoPeriod
};

/// Of each operation, by worker and ordinal; s.
struct OperationTimes {
  static constexpr std::uint64_t kNoPeriod = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::uint64_t> first;  ///< [workers + 1], rows of the columns
  std::vector<double> begin;         ///< of its cost
  std::vector<double> cost_end;
  std::vector<double> transfer;  ///< when its bytes begin to move; NaN where nothing does
  std::vector<double> done;      ///< end of its transfer, or of its cost
  std::vector<Cause> cause;
  std::vector<std::uint64_t> last_period;  ///< row of `periods`; kNoPeriod where no bytes move
  std::vector<RatePeriod> periods;         ///< of all transfers: more than one each where the rate changed
};

}  // namespace caliper
