#include "topology/placement.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

/// Each comparison walks over all node names of the machine, so only the first few wrong names get one.
constexpr std::size_t kMaxSuggestions = 5;

std::string hint_for(const Machine& machine, const std::string& name, std::size_t problems_before) {
  if (problems_before < kMaxSuggestions)
    if (const auto near = nearest_name(name, machine.node_names()))
      return fmt::format("did you mean '{}'?", *near);
  return fmt::format("{} has {} nodes, '{}' to '{}'", machine.spec().name, machine.nodes(),
                     machine.node_name(0), machine.node_name(machine.nodes() - 1));
}

}  // namespace

Result<std::vector<GpuAddress>> Placement::ranks(const Machine& machine, std::uint32_t node_count,
                                                 std::uint32_t gpus_per_node) const {
  const std::string where = fmt::format("placement {}", name);
  const std::uint32_t gpus = machine.spec().node.gpus;
  Problems problems;
  if (node_count == 0) problems.push_back({where, "no nodes are asked for", "at least 1"});
  if (node_count > nodes.size())
    problems.push_back({where, fmt::format("has {} nodes, {} are asked for", nodes.size(), node_count), ""});
  if (gpus_per_node == 0)
    problems.push_back({where, "no GPUs per node are asked for", fmt::format("1 to {}", gpus)});
  if (gpus_per_node > gpus)
    problems.push_back(
        {where,
         fmt::format("a node of {} has {} GPUs, {} are asked for", machine.spec().name, gpus, gpus_per_node),
         ""});
  if (!problems.empty()) return problems;

  std::vector<GpuAddress> addresses;
  addresses.reserve(std::size_t{node_count} * gpus_per_node);
  for (std::uint32_t i = 0; i < node_count; ++i)
    for (std::uint32_t gpu = 0; gpu < gpus_per_node; ++gpu) addresses.push_back({nodes[i], gpu});
  return addresses;
}

Result<Placement> make_placement(const Machine& machine, std::string name, std::string_view hostlist,
                                 std::string source) {
  const std::string where = fmt::format("placement {}", name);
  const auto hosts = expand_hostlist(hostlist);
  Problems problems;
  if (!hosts) {
    for (const Error& problem : hosts.problems()) problems.push_back({where, problem.what, problem.hint});
    return problems;
  }

  Placement placement{std::move(name), std::move(source), {}};
  std::vector<bool> used(machine.nodes(), false);
  for (const std::string& host : *hosts) {
    const auto node = machine.find_node(host);
    if (!node) {
      problems.push_back({where, fmt::format("'{}' is no node of {}", host, machine.spec().name),
                          hint_for(machine, host, problems.size())});
    } else if (used[*node]) {
      problems.push_back(
          {where, fmt::format("node '{}' is listed twice", host), "each node stands in the list once"});
    } else {
      used[*node] = true;
      placement.nodes.push_back(*node);
    }
  }
  if (!problems.empty()) return problems;
  return placement;
}

}  // namespace caliper
