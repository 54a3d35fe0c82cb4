// Trees over ranks: NCCL's two complementary binary trees, and checks of trees from any source.
// Source: NCCL 2.28.9 graph/trees.cc; Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth
// broadcast, reduction and scan, Parallel Computing 35 (2009).
#pragma once

#include <array>
#include <cstdint>

#include "base/error.hpp"
#include "collectives/execution.hpp"

namespace caliper {

/// kNoRank where there is none.
struct TreePlace {
  std::uint32_t up;
  std::array<std::uint32_t, 2> down;  ///< NCCL's first and second child
  bool operator==(const TreePlace&) const = default;
};

/// Where member `member` of `members` stands in tree 0 or 1 of the pair. In tree 0 the root is member 0,
/// which has one child; odd members are leaves, and a member with k trailing zero bits is k levels above
/// them. Tree 1 is its mirror image where members are even in number, else it is shifted by one: leaves of
/// one tree are (but for the last) no leaves of the other.
TreePlace double_tree(std::uint32_t members, std::uint32_t member, std::uint32_t tree);

/// Problems of all trees of an execution: a parent that does not exist, no root or two, parents in a circle,
/// a child that its parent does not list or that is listed twice, more children than NCCL gives (3, the root
/// 2); a crossing for each edge between nodes, both ways, with a proxy and NICs of the right nodes; no GPU
/// has two ranks.
Problems check_trees(const Execution& execution);

}  // namespace caliper
