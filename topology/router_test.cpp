#include "topology/router.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <boost/graph/breadth_first_search.hpp>
#include <doctest/doctest.h>

#include "topology/machine_graph.hpp"
#include "topology/test_systems.hpp"

using namespace caliper;
using namespace caliper::testing;

namespace {

/// Links on a shortest way from `start` to each device; devices out of reach keep the number of devices.
std::vector<std::size_t> distances(const Machine& machine, DeviceId start) {
  const MachineGraph& graph = graph_of(machine);
  const std::size_t devices = boost::num_vertices(graph);
  std::vector<std::size_t> distance(devices, devices);
  distance[start] = 0;
  boost::breadth_first_search(graph, start,
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(distance.data(), boost::on_tree_edge()))));
  return distance;
}

template <class Visit>
void for_each_pair_of_nics(const Machine& machine, const Visit& visit) {
  const std::uint32_t nics = machine.spec().node.nics, all = machine.nodes() * nics;
  for (std::uint32_t a = 0; a < all; ++a)
    for (std::uint32_t b = 0; b < all; ++b)
      if (a != b) visit(NicAddress{a / nics, a % nics}, NicAddress{b / nics, b % nics});
}

}  // namespace

TEST_CASE("router: breadth-first search reaches every device from every node") {
  for (const Shape& shape : kSmallShapes) {
    const Machine machine = machine_of(shape);
    for (std::uint32_t node = 0; node < machine.nodes(); ++node)
      CHECK(std::ranges::max(distances(machine, machine.device(GpuAddress{node, 0}))) <
            boost::num_vertices(graph_of(machine)));
  }
}

TEST_CASE("router: paths join their ends over links that exist, and none is longer than the shortest") {
  // Within one node the shortest way runs through a GPU with two NICs or NVLink; a path through the fabric
  // does not.
  for (const Shape& shape : kSmallShapes) {
    const Machine machine = machine_of(shape);
    for_each_pair_of_nics(machine, [&](NicAddress from, NicAddress to) {
      const NetworkPath path = minimal_path(machine, from, to);
      CHECK(path.front() == machine.device(from));
      CHECK(path.back() == machine.device(to));
      for (std::size_t i = 1; i < path.size(); ++i)
        CHECK(boost::edge(path[i - 1], path[i], graph_of(machine)).second);
    });
    for (std::uint32_t node = 0; node < machine.nodes(); ++node) {
      const auto distance = distances(machine, machine.device(NicAddress{node, 0}));
      for (std::uint32_t to = 0; to < machine.nodes(); ++to)
        for (std::uint32_t nic = 0; nic < shape.nics && to != node; ++nic)
          CHECK(minimal_path(machine, {node, 0}, {to, nic}).size() - 1 ==
                distance[machine.device(NicAddress{to, nic})]);
    }
  }
}

TEST_CASE("router: two links over one leaf, four within a group, five between groups") {
  const Machine machine = machine_of({.groups = 2,
                                      .nodes_per_group = 4,
                                      .leaves = 2,
                                      .spines = 3,
                                      .nodes_per_leaf = 2,
                                      .links_per_group_pair = 3});
  const auto kinds = [&](NicAddress from, NicAddress to) {
    std::string text;
    for (const DeviceId device : minimal_path(machine, from, to))
      text += std::string_view("gnls")[static_cast<std::size_t>(machine[device].kind)];
    return text;
  };
  CHECK(kinds({0, 0}, {0, 1}) == "nln");
  CHECK(kinds({0, 0}, {1, 3}) == "nln");
  CHECK(kinds({0, 0}, {2, 0}) == "nlsln");
  CHECK(kinds({0, 0}, {4, 0}) == "nlssln");
}

TEST_CASE("router: the spine is the destination NIC's number modulo the spines that lead there") {
  // 5 spines, 3 of them with global links; node 7, NIC 2 has the number 7 * 4 + 2 = 30; node 12, NIC 1
  // has 49.
  const Machine machine = machine_of({.groups = 3,
                                      .nodes_per_group = 5,
                                      .leaves = 3,
                                      .spines = 5,
                                      .nodes_per_leaf = 2,
                                      .links_per_group_pair = 3});
  CHECK(minimal_path(machine, {5, 0}, {7, 2})[2] == machine.spine(1, 30 % 5));
  CHECK(minimal_path(machine, {5, 3}, {7, 2})[2] == machine.spine(1, 30 % 5));
  const NetworkPath path = minimal_path(machine, {0, 0}, {12, 1});
  CHECK(path[2] == machine.spine(0, 49 % 3));
  CHECK(path[3] == machine.spine(2, 49 % 3));
}

TEST_CASE(
    "router: all-to-all uses every link of the network, and each global bundle within one route of an even "
    "share") {
  for (const Shape& shape : kSmallShapes) {
    const Machine machine = machine_of(shape);
    const MachineGraph& graph = graph_of(machine);
    std::map<std::pair<DeviceId, DeviceId>, std::uint32_t> routes;
    for_each_pair_of_nics(machine, [&](NicAddress from, NicAddress to) {
      const NetworkPath path = minimal_path(machine, from, to);
      for (std::size_t i = 1; i < path.size(); ++i) ++routes[{path[i - 1], path[i]}];
    });
    const std::uint32_t nics = shape.nodes_per_group * shape.nics;  // of a group
    for (auto [edge, end] = boost::edges(graph); edge != end; ++edge) {
      if (graph[*edge].link_class != LinkClass::global) continue;
      const std::uint32_t carried = routes[{boost::source(*edge, graph), boost::target(*edge, graph)}];
      const std::uint32_t bundles = std::min(shape.spines, shape.links_per_group_pair);
      // Consecutive destinations go round the bundles; each destination is the end of one route per source
      // NIC.
      CHECK(carried >= nics * (nics / bundles));
      CHECK(carried <= nics * ((nics + bundles - 1) / bundles));
      CHECK(carried > 0);
    }
  }
}

TEST_CASE(
    "router: the ring from each node to its neighbour on JUPITER's fabric never puts two NICs of a node on "
    "one spine") {
  const Machine machine = machine_of({.groups = 3,
                                      .nodes_per_group = 48,
                                      .leaves = 3,
                                      .spines = 16,
                                      .nodes_per_leaf = 16,
                                      .links_per_leaf_spine = 2,
                                      .links_per_group_pair = 16});
  for (std::uint32_t node = 0; node < machine.nodes(); ++node) {
    const std::uint32_t next = (node + 16) % machine.nodes();  // on another leaf
    std::set<DeviceId> spines;
    for (std::uint32_t nic = 0; nic < 4; ++nic)
      spines.insert(minimal_path(machine, {node, nic}, {next, nic})[2]);
    CHECK(spines.size() == 4);
  }
}
