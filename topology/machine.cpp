#include "topology/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "topology/hostlist.hpp"
#include "topology/machine_graph.hpp"

namespace caliper {
namespace {

/// Devices and bundles of links that a machine may have; JUPITER Booster has some 240,000.
constexpr double kMaxParts = 2e7;
constexpr std::size_t kMaxNodes = 1'000'000;

double parts_of(const SystemSpec& spec, std::size_t node_count) {
  const double nodes = static_cast<double>(node_count), groups = static_cast<double>(spec.group_nodes.size());
  const double gpus = spec.node.gpus, nics = spec.node.nics;
  const double leaves = spec.fabric.leaves_per_group, spines = spec.fabric.spines_per_group;
  return nodes * (gpus * (gpus + 2) + 3 * nics) + groups * (leaves + spines + 2 * leaves * spines) +
         groups * groups * spec.fabric.spines_with_global_links();
}

/// Edges as the graph's constructor takes them.
struct EdgeList {
  std::vector<std::pair<DeviceId, DeviceId>> ends;
  std::vector<MachineLink> links;

  void add(DeviceId from, DeviceId to, const MachineLink& link) {
    ends.emplace_back(from, to);
    links.push_back(link);
  }
  void add_both_ways(DeviceId a, DeviceId b, const MachineLink& link) {
    add(a, b, link);
    add(b, a, link);
  }
};

void add_node_links(const Machine& machine, EdgeList& edges) {
  const NodeSpec& spec = machine.spec().node;
  const MachineLink pcie{LinkClass::pcie, 1, spec.pcie_rate};
  const MachineLink cable{LinkClass::nic, 1, spec.nic_rate};
  for (std::uint32_t node = 0; node < machine.nodes(); ++node) {
    for (std::uint32_t gpu = 0; gpu < spec.gpus; ++gpu) {
      const DeviceId from = machine.device(GpuAddress{node, gpu});
      for (std::uint32_t peer = 0; peer < spec.gpus; ++peer)
        if (const std::uint32_t links = peer == gpu ? 0 : spec.nvlinks_between(gpu, peer))
          edges.add(from, machine.device(GpuAddress{node, peer}),
                    {LinkClass::nvlink, links, spec.nvlink_rate});
      if (spec.nics == 0) continue;
      edges.add_both_ways(from, machine.device(machine.local_nic({node, gpu})), pcie);
    }
    if (spec.nics == 0) continue;
    const DeviceId leaf = machine.leaf(machine.group_of(node), machine.leaf_of(node));
    for (std::uint32_t nic = 0; nic < spec.nics; ++nic)
      edges.add_both_ways(machine.device(NicAddress{node, nic}), leaf, cable);
  }
}

void add_fabric_links(const Machine& machine, EdgeList& edges) {
  const DragonflyPlusSpec& spec = machine.spec().fabric;
  const MachineLink uplink{LinkClass::leaf_spine, spec.links_per_leaf_spine, spec.leaf_spine_rate};
  for (std::uint32_t group = 0; group < machine.groups(); ++group)
    for (std::uint32_t leaf = 0; leaf < spec.leaves_per_group; ++leaf)
      for (std::uint32_t spine = 0; spine < spec.spines_per_group; ++spine)
        edges.add_both_ways(machine.leaf(group, leaf), machine.spine(group, spine), uplink);

  for (std::uint32_t a = 0; a < machine.groups(); ++a)
    for (std::uint32_t b = a + 1; b < machine.groups(); ++b)
      for (std::uint32_t spine = 0; spine < spec.spines_with_global_links(); ++spine)
        edges.add_both_ways(machine.spine(a, spine), machine.spine(b, spine),
                            {LinkClass::global, spec.global_links(spine), spec.global_rate});
}

}  // namespace

std::string_view name_of(LinkClass link_class) {
  switch (link_class) {
    case LinkClass::nvlink:
      return "nvlink";
    case LinkClass::pcie:
      return "pcie";
    case LinkClass::nic:
      return "nic";
    case LinkClass::leaf_spine:
      return "leaf-spine";
    case LinkClass::global:
      return "global";
  }
  return "";
}

Result<Machine> Machine::build(SystemSpec spec) {
  Machine machine(std::move(spec));
  Problems problems = problems_of(machine.spec_);
  append(problems, machine.place_nodes());
  if (problems.empty() && parts_of(machine.spec_, machine.node_names_.size()) > kMaxParts)
    problems.push_back({machine.spec_.name,
                        fmt::format("about {:.0f} devices and links are more than the limit of {:.0f}",
                                    parts_of(machine.spec_, machine.node_names_.size()), kMaxParts),
                        "check the counts"});
  if (!problems.empty()) return problems;
  machine.build_graph();
  return machine;
}

Problems Machine::place_nodes() {
  Problems problems;
  const std::uint64_t per_leaf = std::max(spec_.fabric.nodes_per_leaf, 1u);
  const std::uint64_t room = spec_.node.nics == 0 ? 0 : per_leaf * spec_.fabric.leaves_per_group;
  for (std::uint32_t group = 0; group < groups(); ++group) {
    const std::string where = fmt::format("group {}", group);
    auto names = expand_hostlist(spec_.group_nodes[group]);
    if (!names) {
      for (Error problem : names.problems()) problems.push_back({where, problem.what, problem.hint});
      continue;
    }
    if (room > 0 && names->size() > room)
      problems.push_back({where, fmt::format("{} nodes, room for {}", names->size(), room),
                          fmt::format("{} leaves of {} nodes", spec_.fabric.leaves_per_group, per_leaf)});
    if (node_names_.size() + names->size() > kMaxNodes) {
      problems.push_back(
          {where, fmt::format("more than {} nodes up to here", kMaxNodes), "check the hostlists"});
      break;
    }
    std::uint32_t position = 0;
    for (std::string& name : *names) {
      const std::uint32_t node = nodes();
      const auto [same, added] = node_by_name_.emplace(name, node);
      if (!added)
        problems.push_back({where, fmt::format("node '{}' is named a second time", name),
                            fmt::format("it is already in group {}", node_group_[same->second])});
      node_names_.push_back(std::move(name));
      node_group_.push_back(group);
      node_leaf_.push_back(static_cast<std::uint32_t>(position++ / per_leaf));
    }
  }
  return problems;
}

void Machine::build_graph() {
  const std::uint64_t switches =
      std::uint64_t{groups()} * (spec_.fabric.leaves_per_group + spec_.fabric.spines_per_group);
  const std::uint64_t devices = std::uint64_t{nodes()} * (spec_.node.gpus + spec_.node.nics) + switches;
  EdgeList edges;
  add_node_links(*this, edges);
  add_fabric_links(*this, edges);
  auto wiring =
      std::make_shared<Wiring>(Wiring{MachineGraph(boost::edges_are_unsorted_multi_pass, edges.ends.begin(),
                                                   edges.ends.end(), edges.links.begin(), devices)});
  MachineGraph& graph = wiring->graph;
  for (DeviceId device = 0; device < devices; ++device) {
    const auto [first, last] = boost::adjacent_vertices(device, graph);
    CALIPER_CHECK(std::is_sorted(first, last));  // link() searches them
  }

  for (std::uint32_t node = 0; node < nodes(); ++node) {
    for (std::uint32_t gpu = 0; gpu < spec_.node.gpus; ++gpu)
      graph[device(GpuAddress{node, gpu})] = {DeviceKind::gpu, node, gpu};
    for (std::uint32_t nic = 0; nic < spec_.node.nics; ++nic)
      graph[device(NicAddress{node, nic})] = {DeviceKind::nic, node, nic};
  }
  for (std::uint32_t group = 0; group < groups(); ++group) {
    for (std::uint32_t number = 0; number < spec_.fabric.leaves_per_group; ++number)
      graph[leaf(group, number)] = {DeviceKind::leaf, group, number};
    for (std::uint32_t number = 0; number < spec_.fabric.spines_per_group; ++number)
      graph[spine(group, number)] = {DeviceKind::spine, group, number};
  }
  wiring_ = std::move(wiring);
}

std::optional<std::uint32_t> Machine::find_node(std::string_view name) const {
  const auto found = node_by_name_.find(std::string(name));
  return found == node_by_name_.end() ? std::nullopt : std::optional(found->second);
}

// Devices are numbered: all GPUs by node, all NICs by node, all leaves by group, all spines by group.

DeviceId Machine::device(GpuAddress gpu) const {
  CALIPER_CHECK(gpu.node < nodes() && gpu.gpu < spec_.node.gpus);
  return DeviceId{gpu.node} * spec_.node.gpus + gpu.gpu;
}

DeviceId Machine::device(NicAddress nic) const {
  CALIPER_CHECK(nic.node < nodes() && nic.nic < spec_.node.nics);
  return DeviceId{nodes()} * spec_.node.gpus + DeviceId{nic.node} * spec_.node.nics + nic.nic;
}

DeviceId Machine::leaf(std::uint32_t group, std::uint32_t leaf) const {
  CALIPER_CHECK(group < groups() && leaf < spec_.fabric.leaves_per_group);
  return DeviceId{nodes()} * (spec_.node.gpus + spec_.node.nics) +
         DeviceId{group} * spec_.fabric.leaves_per_group + leaf;
}

DeviceId Machine::spine(std::uint32_t group, std::uint32_t spine) const {
  CALIPER_CHECK(group < groups() && spine < spec_.fabric.spines_per_group);
  return DeviceId{nodes()} * (spec_.node.gpus + spec_.node.nics) +
         DeviceId{groups()} * spec_.fabric.leaves_per_group +
         DeviceId{group} * spec_.fabric.spines_per_group + spine;
}

const Device& Machine::operator[](DeviceId device) const { return wiring_->graph[device]; }

std::size_t Machine::link_rows() const { return boost::num_edges(wiring_->graph); }

std::size_t Machine::link_row(DeviceId from, DeviceId to) const {
  const MachineGraph& graph = wiring_->graph;
  const auto [first, last] = boost::adjacent_vertices(from, graph);
  const auto found = std::lower_bound(first, last, to);
  CALIPER_CHECK(found != last && *found == to);
  return static_cast<std::size_t>(found - boost::adjacent_vertices(DeviceId{0}, graph).first);
}

const MachineLink& Machine::link_at(std::size_t row) const {
  return wiring_->graph[boost::edge_from_index(row, wiring_->graph)];
}

std::string Machine::describe(DeviceId device) const {
  const auto [kind, owner, local] = (*this)[device];
  switch (kind) {
    case DeviceKind::gpu:
      return fmt::format("{} gpu {}", node_names_[owner], local);
    case DeviceKind::nic:
      return fmt::format("{} nic {}", node_names_[owner], local);
    case DeviceKind::leaf:
      return fmt::format("group {} leaf {}", owner, local);
    case DeviceKind::spine:
      return fmt::format("group {} spine {}", owner, local);
  }
  return {};
}

MachineCounts Machine::counts() const {
  std::array<std::uint64_t, 4> devices{};
  MachineCounts counts{};
  counts.nodes = nodes();
  counts.groups = groups();
  const MachineGraph& graph = wiring_->graph;
  for (DeviceId device = 0; device < boost::num_vertices(graph); ++device)
    ++devices[static_cast<std::size_t>(graph[device].kind)];
  for (auto [edge, end] = boost::edges(graph); edge != end; ++edge)
    counts.links[static_cast<std::size_t>(graph[*edge].link_class)] += graph[*edge].multiplicity;
  counts.gpus = devices[static_cast<std::size_t>(DeviceKind::gpu)];
  counts.nics = devices[static_cast<std::size_t>(DeviceKind::nic)];
  counts.leaves = devices[static_cast<std::size_t>(DeviceKind::leaf)];
  counts.spines = devices[static_cast<std::size_t>(DeviceKind::spine)];
  return counts;
}

}  // namespace caliper
