// What a run of a program ends with: a time with a proof, or an explanation of who waits for whom.
#pragma once

#include <cstdint>
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
  std::uint32_t operation;   ///< ordinal in the worker's list, from 0
  std::uint32_t operations;  ///< length of that list
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
  double seconds = 0;  ///< completion: the last operation done and the last slice seen
  std::uint64_t operations = 0;
  std::uint64_t slices = 0;           ///< posted on edges
  std::uint64_t bytes_sent = 0;       ///< on edges, with or without a route
  std::uint64_t bytes_delivered = 0;  ///< equal to bytes_sent unless stuck
  std::uint64_t events = 0;
  std::optional<StuckReport> stuck;
};

/// Times of each operation, s, [operations]: begin of its cost, end of its cost, end of its transfer.
struct OperationTimes {
  std::vector<double> begin, cost_end, done;
};

}  // namespace caliper
