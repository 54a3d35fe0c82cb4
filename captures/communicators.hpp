// Which lines belong to which communicator. NCCL names it in few of them; the rest is told by the thread that
// prints.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "captures/log_facts.hpp"

namespace caliper {

/// A rank as its process states it.
struct Endpoint {
  std::string host;
  std::uint64_t process = 0, pointer = 0;
  std::uint32_t rank = 0, ranks = 0, nodes = 0;
  std::string id;
  std::optional<std::uint32_t> cuda_device, nvml_device;
  std::string bus_id;
  std::optional<std::uint64_t> parent;  ///< address in the same process
  std::uint32_t child = 0, color = 0;
  LineRef at;
  std::uint32_t instance = 0;  ///< how many alike (process, rank, ranks) came before
  bool complete = false;
  std::set<std::uint64_t> threads;
};

/// A communicator with the facts that are its own.
struct CommunicatorLines {
  std::string id;
  std::uint32_t ranks = 0;          ///< 0: not stated
  std::vector<Endpoint> endpoints;  ///< by rank
  std::vector<const SourcedFact*> facts;
  std::size_t presumed = 0;  ///< facts that are taken for its own because there is no other communicator
};

struct SortedLines {
  std::vector<CommunicatorLines> communicators;
  std::size_t unassigned = 0;  ///< facts of a plan that no communicator can be found for
};

/// Assigns lines by the thread that states a communicator, whatever the order of lines; a thread that states
/// several is split by their order. Threads that state none (connections opened later) belong to their
/// process. Where no line states a communicator, all lines are one. Problems: a rank twice, contradicting
/// sizes, several communicators that nothing tells apart, lines of a thread with several communicators out of
/// order.
/// @param facts  outlives the result
/// @param files  names, for messages
Result<SortedLines> sort_lines(const LogFacts& facts, const std::vector<std::string>& files);

}  // namespace caliper
