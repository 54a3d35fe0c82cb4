// What a run has to know of a program under given numbers before it can begin.
#pragma once

#include <span>
#include <vector>

#include "engine/program.hpp"
#include "engine/sharing_problem.hpp"

namespace caliper {

struct KindCost {
  double overhead, seconds_per_byte;
  double rate_cap;
  std::uint32_t cap;  ///< row of FlowSetup::caps
};

struct EdgeSetup {
  double latency, route_latency;
  std::uint64_t sends;              ///< slices
  std::uint32_t first_slot, slots;  ///< of SharingProblem; none without a route
  bool releases_in_order;           ///< slices are released in the order in which they were taken
};

struct FlowSetup {
  std::vector<KindCost> kinds;
  std::vector<double> caps;  ///< distinct rate caps, bytes/s
  std::vector<EdgeSetup> edges;
  SharingProblem sharing;  ///< all links, pruned or not

  FlowSetup(const Program& program, std::span<const double> numbers);
};

/// Links of the program that can be full under these numbers, [links].
std::vector<char> links_that_can_fill(const Program& program, std::span<const double> numbers);

}  // namespace caliper
