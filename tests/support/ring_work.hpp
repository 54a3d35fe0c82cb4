// Ring AllReduce without NCCL's costs: the work on which flow-level simulators can be compared, W(n, S, C).
//
// GPUs in nodes of four, a NIC each; leaves of four nodes, full bipartite to the spines; every link 1 us,
// NVLink 100 GB/s, others 25 GB/s; the spine is the destination GPU modulo the spines. The ring of channel c
// visits the nodes in order and inside a node the GPUs c, c+1, c+2, c+3 modulo 4 (layout `oracle`). A channel
// moves ceil(S / C) bytes in 2(n-1) steps of ceil(ceil(S / C) / n) bytes, cut into chunks. Chunk j of step k
// starts when chunk j of step k-1 has arrived and fewer than `window` messages of the rank are on the way;
// messages on the way share the path. Nothing else costs anything.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program.hpp"

namespace caliper::testing {

struct RingWork {
  std::uint32_t ranks = 16;
  std::uint64_t bytes = 16 << 20;
  std::uint32_t channels = 1;
  std::uint64_t chunk = 0;  ///< bytes; 0: a step is one message
  std::uint32_t window = 1;
  std::uint64_t shuffle = 0;  ///< seed of the order in which rings visit nodes; 0: as numbered
  std::uint32_t spines = 16;
};

struct RingProgram {
  Program program;
  std::vector<double> numbers;
  std::uint64_t messages;
};

RingProgram build_ring_work(const RingWork& work);

}  // namespace caliper::testing
