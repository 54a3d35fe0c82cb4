// Machines of several cells, for tests of placements.
#pragma once

#include <string>
#include <vector>

#include "collectives/test_machine.hpp"

namespace caliper::testing {

/// Nodes of four A100 and four NICs in groups of leaves, in the shape of JUWELS Booster.
inline Machine cells_machine(std::vector<std::string> group_nodes, std::uint32_t nodes_per_leaf) {
  SystemSpec spec = a100_machine(1).spec();
  spec.fabric = {.leaves_per_group = 10,
                 .spines_per_group = 10,
                 .nodes_per_leaf = nodes_per_leaf,
                 .links_per_leaf_spine = 2,
                 .leaf_spine_rate = 25e9,
                 .links_per_group_pair = 10,
                 .global_rate = 25e9};
  spec.group_nodes = std::move(group_nodes);
  auto machine = Machine::build(std::move(spec));
  CALIPER_CHECK(machine);
  return *std::move(machine);
}

}  // namespace caliper::testing
