// Specifications that the tests of this folder share. Not part of the library.
#pragma once

#include <fmt/format.h>

#include "topology/machine.hpp"

namespace caliper::testing {

struct Shape {
  std::uint32_t groups = 1, nodes_per_group = 1, leaves = 1, spines = 1, nodes_per_leaf = 1;
  std::uint32_t links_per_leaf_spine = 1, links_per_group_pair = 1;
  std::uint32_t gpus = 4, nics = 4;
};

/// Nodes "g0n00", "g0n01", ...; GPU i has NIC i mod nics; rates that are told apart by their digits.
inline SystemSpec system_of(const Shape& shape) {
  SystemSpec spec;
  spec.name = "test";
  spec.node.gpus = shape.gpus;
  spec.node.nvlinks_per_pair = 4;
  spec.node.nvlink_rate = 25e9;
  spec.node.nics = shape.nics;
  spec.node.nic_rate = 20e9;
  spec.node.pcie_rate = 32e9;
  for (std::uint32_t gpu = 0; gpu < shape.gpus; ++gpu) spec.node.nic_of_gpu.push_back(gpu % shape.nics);
  spec.fabric = {.leaves_per_group = shape.leaves,
                 .spines_per_group = shape.spines,
                 .nodes_per_leaf = shape.nodes_per_leaf,
                 .links_per_leaf_spine = shape.links_per_leaf_spine,
                 .leaf_spine_rate = 50e9,
                 .links_per_group_pair = shape.links_per_group_pair,
                 .global_rate = 40e9};
  for (std::uint32_t group = 0; group < shape.groups; ++group)
    spec.group_nodes.push_back(fmt::format("g{}n[00-{:02}]", group, shape.nodes_per_group - 1));
  return spec;
}

inline Machine machine_of(const Shape& shape) {
  auto machine = Machine::build(system_of(shape));
  CALIPER_CHECK(machine);
  return *std::move(machine);
}

/// One node; odd numbers, last leaf not full; two groups; fewer global links than spines; more, and not a
/// multiple; fewer NICs than GPUs.
inline const Shape kSmallShapes[] = {
    {},
    {.groups = 1,
     .nodes_per_group = 7,
     .leaves = 3,
     .spines = 5,
     .nodes_per_leaf = 3,
     .links_per_leaf_spine = 2},
    {.groups = 2,
     .nodes_per_group = 2,
     .leaves = 2,
     .spines = 2,
     .nodes_per_leaf = 1,
     .links_per_group_pair = 2},
    {.groups = 3,
     .nodes_per_group = 5,
     .leaves = 3,
     .spines = 5,
     .nodes_per_leaf = 2,
     .links_per_group_pair = 3},
    {.groups = 4,
     .nodes_per_group = 3,
     .leaves = 1,
     .spines = 3,
     .nodes_per_leaf = 3,
     .links_per_group_pair = 8},
    {.groups = 5,
     .nodes_per_group = 4,
     .leaves = 2,
     .spines = 3,
     .nodes_per_leaf = 2,
     .links_per_group_pair = 7,
     .gpus = 4,
     .nics = 2},
    {.groups = 2,
     .nodes_per_group = 3,
     .leaves = 3,
     .spines = 1,
     .nodes_per_leaf = 1,
     .links_per_group_pair = 1,
     .gpus = 1,
     .nics = 1},
};

}  // namespace caliper::testing
