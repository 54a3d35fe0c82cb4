// Checks of the order of ranks in a ring, wherever it comes from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "collectives/execution.hpp"

namespace caliper {

/// Problems of an order as the ring of `ranks` ranks: a rank that does not exist, stands twice or is missing.
Problems check_ring(std::span<const std::uint32_t> order, std::uint32_t ranks, std::string_view where);

/// The order that follows from each rank's successor, starting with rank 0. Problems: a successor that does
/// not exist, a ring that comes back to rank 0 before it has seen all ranks, or that never comes back to it.
Result<std::vector<std::uint32_t>> ring_from_successors(std::span<const std::uint32_t> successor,
                                                        std::string_view where);

/// The same ring, rotated so that rank 0 stands first. The order is a valid ring.
std::vector<std::uint32_t> starting_with_rank_zero(std::vector<std::uint32_t> order);

/// Problems of all rings of an execution, with the crossings they need: each place where a ring changes the
/// node has one crossing from and to the right ranks in ring order, its proxy GPU and NICs belong to these
/// nodes; no GPU has two ranks.
Problems check_rings(const Execution& execution);

}  // namespace caliper
