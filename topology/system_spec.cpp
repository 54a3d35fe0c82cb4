#include "topology/system_spec.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace caliper {
namespace {

void need_count(Problems& problems, std::string_view fact, std::uint32_t count, std::string_view hint = "") {
  if (count == 0) problems.push_back({std::string(fact), "must be at least 1", std::string(hint)});
}

void need_rate(Problems& problems, std::string_view fact, double rate) {
  if (!(rate > 0) || !std::isfinite(rate))
    problems.push_back({std::string(fact), fmt::format("must be a positive rate, is {} bytes/s", rate),
                        "nominal rate of one link in one direction, for example \"25 GB/s\""});
}

/// Where pairs differ.
void check_nvlinks(const NodeSpec& node, Problems& problems) {
  const std::string fact = "node.nvlinks";
  const std::size_t gpus = node.gpus;
  if (node.nvlinks.size() != gpus * gpus) {
    problems.push_back({fact, fmt::format("has {} entries for {} GPUs", node.nvlinks.size(), gpus),
                        "a row for each GPU, with a number for each GPU"});
    return;
  }
  for (std::uint32_t a = 0; a < gpus; ++a) {
    if (node.nvlinks_between(a, a) != 0)
      problems.push_back({fact, fmt::format("GPU {} has links to itself", a), "0 on the diagonal"});
    for (std::uint32_t b = 0; b < a; ++b)
      if (node.nvlinks_between(a, b) != node.nvlinks_between(b, a))
        problems.push_back({fact,
                            fmt::format("{} links from GPU {} to {}, {} back", node.nvlinks_between(b, a), b,
                                        a, node.nvlinks_between(a, b)),
                            "links have two directions"});
  }
}

void check_node(const NodeSpec& node, Problems& problems) {
  need_count(problems, "node.gpus", node.gpus);
  if (node.gpus > 1) {
    if (node.nvlinks.empty())
      need_count(problems, "node.nvlinks_per_pair", node.nvlinks_per_pair,
                 "each pair of GPUs has a direct NVLink; where pairs differ, say 'nvlinks'");
    else
      check_nvlinks(node, problems);
    need_rate(problems, "node.nvlink_rate", node.nvlink_rate);
  }
  if (node.nics == 0) {
    if (!node.nic_of_gpu.empty()) problems.push_back({"node.nic_of_gpu", "names NICs of a node without", ""});
    return;
  }
  need_rate(problems, "node.nic_rate", node.nic_rate);
  need_rate(problems, "node.pcie_rate", node.pcie_rate);
  if (node.nic_of_gpu.size() != node.gpus)
    problems.push_back({"node.nic_of_gpu",
                        fmt::format("has {} entries for {} GPUs", node.nic_of_gpu.size(), node.gpus),
                        "one entry per GPU: the number of the NIC that is local to it"});
  for (std::size_t gpu = 0; gpu < node.nic_of_gpu.size(); ++gpu)
    if (node.nic_of_gpu[gpu] >= node.nics)
      problems.push_back(
          {"node.nic_of_gpu",
           fmt::format("GPU {} has NIC {}, the node has {} NICs", gpu, node.nic_of_gpu[gpu], node.nics),
           "NICs are numbered from 0"});
}

void check_fabric(const DragonflyPlusSpec& fabric, std::size_t groups, Problems& problems) {
  need_count(problems, "fabric.leaves_per_group", fabric.leaves_per_group);
  need_count(problems, "fabric.nodes_per_leaf", fabric.nodes_per_leaf);
  if (fabric.leaves_per_group > 1 || groups > 1)
    need_count(problems, "fabric.spines_per_group", fabric.spines_per_group,
               "leaves are joined by spines only");
  if (fabric.spines_per_group > 0) {
    need_count(problems, "fabric.links_per_leaf_spine", fabric.links_per_leaf_spine);
    need_rate(problems, "fabric.leaf_spine_rate", fabric.leaf_spine_rate);
  }
  if (groups > 1) {
    need_count(problems, "fabric.links_per_group_pair", fabric.links_per_group_pair,
               "each group has a direct link to every other");
    need_rate(problems, "fabric.global_rate", fabric.global_rate);
  }
}

}  // namespace

std::uint32_t DragonflyPlusSpec::global_links(std::uint32_t spine) const {
  return links_per_group_pair / spines_per_group +
         (spine < links_per_group_pair % spines_per_group ? 1u : 0u);
}

std::uint32_t DragonflyPlusSpec::spines_with_global_links() const {
  return std::min(spines_per_group, links_per_group_pair);
}

Problems problems_of(const SystemSpec& spec) {
  Problems problems;
  check_node(spec.node, problems);
  if (spec.group_nodes.empty()) problems.push_back({"group_nodes", "no groups", "one hostlist per group"});
  if (spec.node.nics > 0) check_fabric(spec.fabric, spec.group_nodes.size(), problems);
  return problems;
}

}  // namespace caliper
