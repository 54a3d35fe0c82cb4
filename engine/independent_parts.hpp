// Channels that share no link that can fill have nothing to do with each other: a run takes such parts one
// after the other, so that each is a small run of its own, and finds its own steady state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/flow_state.hpp"
#include "engine/sharing.hpp"

namespace caliper {

/// Rows of FlowState, ascending, that depend on each other and on no others.
struct IndependentPart {
  std::vector<std::uint32_t> workers, edges, shared;
};

/// Workers are joined by edges, and edges by the links that their slots share. In the order of the parts'
/// first workers. Cost: O((workers + edges + slots) * log).
std::vector<IndependentPart> independent_parts(std::size_t workers, std::span<const EdgeRun> edges,
                                               std::span<const SharedEdge> shared, const Sharing& sharing);

}  // namespace caliper
