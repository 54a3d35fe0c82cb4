// Ring orders inside one node whose GPUs all have NVLinks to each other.
#pragma once

#include <cstdint>
#include <vector>

namespace caliper {

/// Rings of a node.
struct RingSet {
  std::vector<std::vector<std::uint32_t>> orders;  ///< each starts with GPU 0
  std::uint32_t rings_on_a_pair;                   ///< where all directed pairs carry as many; else 0
  std::uint32_t times = 1;                         ///< the set is used so often
};

/// Rings that together load every directed pair of GPUs equally, orders.size() / (gpus - 1) each: the
/// smallest such set made here. Four GPUs: the six directed Hamiltonian cycles in the order in which NCCL's
/// search finds them (the only set that saturates all pairs twice). Other counts: rotated zigzags in both
/// directions (Walecki 1892); odd counts load each directed pair once, even ones twice. gpus >= 1; a single
/// GPU has the ring of itself.
RingSet ring_set_of_node(std::uint32_t gpus);

}  // namespace caliper
