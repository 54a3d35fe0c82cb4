// Symbolic execution of Tree AllReduce, rank by rank.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/execution.hpp"
#include "collectives/proof.hpp"

namespace caliper {

/// Both workers of each rank execute window + 2 slices over bounded FIFOs, in any order that the FIFOs allow.
/// Nothing where each rank ends with every contribution once in each slice, and none waits for ever. A
/// message is the ranks whose contributions it holds: in the order of a walk through the tree from its root,
/// those below a rank are neighbours, so that a message is a range, and a sum that is none has a contribution
/// missing or doubled. Cost: O(ranks * window).
std::optional<Violation> prove_tree(const ChannelTree& tree, std::uint32_t window);

}  // namespace caliper
