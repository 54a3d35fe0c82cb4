// Rings inside a node whose pairs of GPUs have unlike numbers of NVLinks, such as the hybrid cube mesh of
// eight V100.
#pragma once

#include <cstdint>
#include <vector>

namespace caliper {

/// Directed Hamiltonian cycles over a directed graph of few nodes, as many as fit: each takes one unit of
/// every directed pair that it uses. In the order in which they are found: the first ring tries the nodes in
/// ascending order; every other one first repeats the ring before it; then depth first from node 0, to the
/// neighbour with most units left, the lowest of equals. The first set that uses all units of some node, so
/// that no larger one exists, is taken; else the largest found in kMostSteps steps.
/// Source: the order of attempts in NCCL 2.28.9 graph/search.cc.
///   Hybrid cube mesh of eight V100, units of one link: 0 3 2 1 5 6 7 4 twice, its reverse twice, and
///   0 1 3 7 5 4 6 2 with its reverse.
/// @param units  [gpus * gpus], of each directed pair, 0 on the diagonal
/// @returns at most `most` rings, each starting with node 0; none where no ring fits. 2 <= gpus <= 64
std::vector<std::vector<std::uint32_t>> search_rings(std::uint32_t gpus, std::vector<std::uint32_t> units,
                                                     std::uint32_t most);

}  // namespace caliper
