// Which GPU each rank runs on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "topology/hostlist.hpp"
#include "topology/machine.hpp"

namespace caliper {

/// A list of nodes in rank order. Ranks are node-major: rank = position of node * gpus_per_node + gpu.
struct Placement {
  std::string name;
  std::string source;
  std::vector<std::uint32_t> nodes;  ///< indices in the machine, no node twice

  /// GPUs of the first `node_count` nodes, the first `gpus_per_node` GPUs of each, in rank order.
  /// Problems: fewer nodes than asked for, more GPUs than a node has, zero.
  Result<std::vector<GpuAddress>> ranks(const Machine& machine, std::uint32_t node_count,
                                        std::uint32_t gpus_per_node) const;
};

/// The nodes of a Slurm hostlist (topology/hostlist.hpp) in the order written; `source` says where it is
/// known from. Problems, all of them, with `where` "placement NAME": malformed hostlist, unknown node (with
/// the nearest name), a node twice.
Result<Placement> make_placement(const Machine& machine, std::string name, std::string_view hostlist,
                                 std::string source);

}  // namespace caliper
