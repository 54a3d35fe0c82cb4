// A plan of Tree AllReduce as a program of the engine.
#pragma once

#include <cstdint>

#include "base/parameters.hpp"
#include "collectives/plan.hpp"
#include "engine/program.hpp"
#include "topology/machine.hpp"

namespace caliper {

/// For each channel in use and each rank but the root two workers, the halves of its thread block: "reduce"
/// takes a slice from each child, adds its own and sends it up; "broadcast" takes the sum from above and
/// sends it to each child. The root has one, "block", which does both in one step. Edges and proxies are as
/// in rings.
///
/// NCCL's primitives with several peers wait for all of them, copy once and post to all. A list has, in this
/// order:
///   waits            for all edges but one
///   the primitive    with the one edge: from the first child or the parent, to a rank over NVLink if there
///   is one takes and posts  of the other edges, in place and free of cost; over NVLink a transfer of its
///   own, behind
///                    the first, as the threads that store are the same
/// A primitive with one peer each way is that operation alone.
Program lower_trees(const Plan& plan, const Machine& machine, const ParameterTable& table);

/// What one tree is made of, for each slice.
struct TreeWork {
  std::uint64_t blocks, proxies;  ///< workers
  std::uint64_t operations;       ///< of blocks and proxies
  std::uint64_t slices;           ///< posted, hand-overs to proxies included
};
TreeWork tree_work(const ChannelTree& tree);

}  // namespace caliper
