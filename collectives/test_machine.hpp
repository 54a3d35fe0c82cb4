// A small machine for tests: nodes of four A100 with a NIC each, all on one leaf.
#pragma once

#include <fmt/format.h>

#include "collectives/parameters.hpp"
#include "topology/machine.hpp"
#include "topology/parameters.hpp"

namespace caliper {

/// NVLinks of eight V100: two rings of four, joined; as NVIDIA's DGX-1 and servers like it have them.
inline const std::vector<std::uint32_t> kHybridCubeMesh = {0, 1, 1, 2, 2, 0, 0, 0,  //
                                                           1, 0, 2, 1, 0, 2, 0, 0,  //
                                                           1, 2, 0, 2, 0, 0, 1, 0,  //
                                                           2, 1, 2, 0, 0, 0, 0, 1,  //
                                                           2, 0, 0, 0, 0, 1, 1, 2,  //
                                                           0, 2, 0, 0, 1, 0, 2, 1,  //
                                                           0, 0, 1, 0, 1, 2, 0, 2,  //
                                                           0, 0, 0, 1, 2, 1, 2, 0};

inline Machine a100_machine(std::uint32_t nodes) {
  SystemSpec spec;
  spec.name = "test";
  spec.node.gpu_model = "A100";
  spec.node.compute_capability = 80;
  spec.node.gpus = 4;
  spec.node.nvlinks_per_pair = 4;
  spec.node.nvlink_rate = 25e9;
  spec.node.nics = 4;
  spec.node.nic_rate = 25e9;
  spec.node.nic_of_gpu = {0, 1, 2, 3};
  spec.node.pcie_rate = 31.5e9;
  spec.fabric = {.leaves_per_group = 1,
                 .spines_per_group = 1,
                 .nodes_per_leaf = nodes,
                 .links_per_leaf_spine = 1,
                 .leaf_spine_rate = 25e9,
                 .links_per_group_pair = 1,
                 .global_rate = 25e9};
  spec.group_nodes = {fmt::format("n[00-{:02}]", nodes - 1)};
  auto machine = Machine::build(std::move(spec));
  CALIPER_CHECK(machine);
  return *std::move(machine);
}

/// Ranks node by node on the first `gpus` GPUs of each.
inline std::vector<GpuAddress> node_major(std::uint32_t nodes, std::uint32_t gpus) {
  std::vector<GpuAddress> all;
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) all.push_back({node, gpu});
  return all;
}

inline ParameterTable full_table() {
  auto auxiliary = collectives_parameters();
  for (auto& row : topology_parameters()) auxiliary.push_back(std::move(row));
  for (auto& row : other_protocol_parameters()) auxiliary.push_back(std::move(row));
  auto direct = collectives_direct_parameters();
  for (auto& row : topology_direct_parameters()) direct.push_back(std::move(row));
  return {std::move(auxiliary), std::move(direct)};
}

}  // namespace caliper
