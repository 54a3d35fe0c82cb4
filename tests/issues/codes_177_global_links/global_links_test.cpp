// https://github.com/codes-org/codes/pull/177, https://github.com/sstsimulator/sst-elements/issues/2582: an
// index of a group was off by one, so that a global link was never used, or the last group never reached.
#include <algorithm>
#include <map>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "topology/router.hpp"

using namespace caliper;

namespace {

Machine machine_of(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                   std::uint32_t nodes_per_leaf, std::uint32_t global_links) {
  SystemSpec spec;
  spec.name = "small";
  spec.node.gpus = 1;
  spec.node.nics = 1;
  spec.node.nic_of_gpu = {0};
  spec.node.nic_rate = spec.node.pcie_rate = 25e9;
  spec.fabric = {.leaves_per_group = leaves,
                 .spines_per_group = spines,
                 .nodes_per_leaf = nodes_per_leaf,
                 .links_per_leaf_spine = 1,
                 .leaf_spine_rate = 25e9,
                 .links_per_group_pair = global_links,
                 .global_rate = 25e9};
  for (std::uint32_t group = 0; group < groups; ++group)
    spec.group_nodes.push_back(fmt::format("g{}n[1-{}]", group, leaves * nodes_per_leaf));
  auto machine = Machine::build(std::move(spec));
  REQUIRE(machine);
  return *std::move(machine);
}

}  // namespace

TEST_CASE("issue codes 177: all-to-all reaches every node, and uses every global link") {
  for (const std::uint32_t groups : {2u, 3u, 5u})
    for (const std::uint32_t leaves : {1u, 2u, 3u})
      for (const std::uint32_t spines : {1u, 2u, 3u}) {
        // At least as many nodes in a group as spines: with fewer destinations than links some stay idle.
        const Machine machine = machine_of(groups, leaves, spines, 4, spines);
        std::map<std::pair<DeviceId, DeviceId>, int> messages;  // over each directed global link
        for (std::uint32_t from = 0; from < machine.nodes(); ++from)
          for (std::uint32_t to = 0; to < machine.nodes(); ++to) {
            if (from == to) continue;
            const NetworkPath path = minimal_path(machine, {from, 0}, {to, 0});
            CHECK(path.back() == machine.device(NicAddress{to, 0}));
            int crossings = 0;
            for (std::size_t hop = 1; hop < path.size(); ++hop)
              if (machine.link(path[hop - 1], path[hop]).link_class == LinkClass::global) {
                ++messages[{path[hop - 1], path[hop]}];
                ++crossings;
              }
            CHECK(crossings == (machine.group_of(from) == machine.group_of(to) ? 0 : 1));
          }
        CHECK(messages.size() == groups * (groups - 1) * spines);
      }
}
