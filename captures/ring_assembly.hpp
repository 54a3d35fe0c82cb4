// The order of a ring out of what ranks print of it: a list, neighbours, opened connections.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "captures/execution_record.hpp"

namespace caliper {

/// What is said of the ring of one channel.
struct RingEvidence {
  struct List {
    std::vector<std::uint32_t> order;
    bool may_be_cut;  ///< the end of the list may be missing, and NCCL or the log says so
    LineRef at;
  };
  struct Neighbours {
    std::uint32_t before, rank, after;
    LineRef at;
  };
  struct Opened {
    std::uint32_t from, to;
    bool by_sender;  ///< printed by the rank that sends
  };
  std::vector<List> lists;
  std::vector<Neighbours> neighbours;
  std::vector<Opened> opened;  ///< connections of collectives, of rings and trees, in the order of the lines
};

/// The order from rank 0, by the first rule (RingRule) that gives one. An order by the last two rules has to
/// pass through all ranks and agree with every list and neighbour; otherwise there is none. Problems: a rank
/// that does not exist or stands twice, a list that is too short, a ring that does not close, lines that
/// contradict each other.
/// @param ranks  of the communicator, > 0
Result<CapturedRing> assemble_ring(std::uint32_t channel, std::uint32_t ranks, const RingEvidence& evidence,
                                   const ExecutionRecord& files);

}  // namespace caliper
