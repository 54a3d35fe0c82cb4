// The facts of a machine as its system file states them: direct parameters, each with a source or "assumed".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace caliper {

/// GPUs of a node with NVLinks between pairs of them, and NICs behind PCIe.
struct NodeSpec {
  std::string gpu_model;                 ///< "A100-SXM4-40GB"
  std::uint32_t compute_capability = 0;  ///< 80, 90: chooses NCCL's search speeds
  std::uint32_t gpus = 0;
  std::uint32_t nvlinks_per_pair = 0;     ///< of each pair
  std::vector<std::uint32_t> nvlinks;     ///< [gpus * gpus] of two GPUs, where pairs differ; else empty
  double nvlink_rate = 0;                 ///< bytes/s of one NVLink, one direction, nominal
  std::uint32_t nics = 0;                 ///< 0: a node by itself, and nothing of NICs and PCIe is said
  double nic_rate = 0;                    ///< bytes/s, one direction, nominal
  std::vector<std::uint32_t> nic_of_gpu;  ///< [gpus], the NIC that is local to a GPU
  double pcie_rate = 0;                   ///< bytes/s between a GPU and its local NIC, one direction, nominal

  /// Parallel links; 0: only by way of others.
  std::uint32_t nvlinks_between(std::uint32_t a, std::uint32_t b) const {
    return nvlinks.empty() ? nvlinks_per_pair : nvlinks[std::size_t{a} * gpus + b];
  }
};

/// Groups of leaf and spine switches, complete bipartite inside a group; global links between spines, all
/// groups to all. Source: Shpiner et al., Dragonfly+: Low Cost Topology for Scaling Datacenters, HiPINEB
/// 2017.
struct DragonflyPlusSpec {
  std::uint32_t leaves_per_group = 0;
  std::uint32_t spines_per_group = 0;
  std::uint32_t nodes_per_leaf = 0;
  std::uint32_t links_per_leaf_spine = 0;
  double leaf_spine_rate = 0;  ///< bytes/s of one link, one direction
  std::uint32_t links_per_group_pair = 0;
  double global_rate = 0;  ///< bytes/s of one link, one direction

  /// Global links of spine `spine` to its partner, the spine of the same number, in each other group. Link i
  /// of a group pair hangs on spine i mod spines_per_group, so that the counts of two spines differ by at
  /// most one.
  std::uint32_t global_links(std::uint32_t spine) const;
  /// Spines 0 .. n-1 have a global link to every other group, the rest have none.
  std::uint32_t spines_with_global_links() const;
};

struct SystemSpec {
  std::string name;
  std::string title;
  NodeSpec node;
  DragonflyPlusSpec fabric;
  std::vector<std::string> group_nodes;  ///< [groups], Slurm hostlist; nodes fill the leaves in this order
  std::map<std::string, std::string> sources;  ///< fact ("node.nvlink_rate") -> source, or "assumed: why"
};

/// What is wrong with the numbers of a specification, all of it; `where` is the name of the fact
/// ("node.nic_rate"). Facts that nothing needs are not looked at: global links of a single group, NVLinks of
/// a single GPU, the fabric of nodes without NICs. Node names are checked when a machine is built.
Problems problems_of(const SystemSpec& spec);

}  // namespace caliper
