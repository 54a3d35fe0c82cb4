#include "topology/fabric.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "topology/parameters.hpp"
#include "topology/test_systems.hpp"

using namespace caliper;
using namespace caliper::testing;

namespace {

// Rates of test_systems.hpp: NVLink 4 x 25, NIC 20, PCIe 32, leaf-spine 2 x 50, global on spine 0 3 x 40, on
// spine 1 2 x 40 GB/s.
const Shape kShape{.groups = 2,
                   .nodes_per_group = 4,
                   .leaves = 2,
                   .spines = 2,
                   .nodes_per_leaf = 2,
                   .links_per_leaf_spine = 2,
                   .links_per_group_pair = 5};

struct Bench {
  Machine machine = machine_of(kShape);
  ParameterTable table{topology_parameters(), topology_direct_parameters()};
  ProgramBuilder builder;
  Fabric fabric{machine, table, builder};

  /// nvlink.efficiency 0.75, net.efficiency 0.9, net.duplex 0.7, net.hop_latency 0.2 us.
  std::vector<double> values() const {
    std::vector<double> values = table.defaults();
    values[table.index_of("nvlink.efficiency")] = 0.75;
    values[table.index_of("net.efficiency")] = 0.9;
    values[table.index_of("net.duplex")] = 0.7;
    values[table.index_of("net.hop_latency")] = 0.2e-6;
    return values;
  }
};

struct Hop {
  std::string name, link_class;
  double capacity;
  bool joint;
};

std::vector<Hop> hops(const Program& program, RouteId route, const std::vector<double>& values) {
  const std::vector<double> numbers = program.numbers(values);
  std::vector<Hop> found;
  for (std::uint32_t i = program.route_first[route.v]; i < program.route_first[route.v + 1]; ++i) {
    const ProgramLink& link = program.links[program.route_links[i].v];
    found.push_back(
        {link.name, program.class_of(program.route_links[i]), numbers[link.capacity.v], link.joint});
  }
  return found;
}

void check_hops(const std::vector<Hop>& found, const std::vector<Hop>& want) {
  REQUIRE(found.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    CHECK(found[i].name == want[i].name);
    CHECK(found[i].link_class == want[i].link_class);
    CHECK(found[i].capacity == doctest::Approx(want[i].capacity).epsilon(1e-14));
    CHECK(found[i].joint == want[i].joint);
  }
}

double latency(const Program& program, RouteId route, const std::vector<double>& values) {
  return program.numbers(values)[program.route_latency[route.v].v];
}

}  // namespace

TEST_CASE(
    "fabric: an NVLink route is one bundle at the usable share of its rate and takes no time of its own") {
  Bench bench;
  const RouteId route = bench.fabric.nvlink({0, 0}, {0, 3});
  CHECK(bench.fabric.nvlink({0, 0}, {0, 3}) == route);
  CHECK(bench.fabric.nvlink({0, 3}, {0, 0}) != route);
  const Program program = bench.builder.build();
  check_hops(hops(program, route, bench.values()), {{"g0n00 gpu 0 to gpu 3", "nvlink", 0.75 * 100e9, false}});
  CHECK(latency(program, route, bench.values()) == 0);
  CHECK(program.links.size() == 2);
}

TEST_CASE(
    "fabric: routes over one leaf, within a group and between groups have the capacities and latencies of "
    "the rules") {
  Bench bench;
  const RouteId leaf = bench.fabric.network({0, 1}, {0, 1}, {1, 1}, {1, 1});
  const RouteId group = bench.fabric.network({0, 0}, {0, 0}, {3, 1}, {3, 1});  // NIC 3 * 4 + 1 = 13: spine 1
  const RouteId other = bench.fabric.network({0, 0}, {0, 0}, {6, 2}, {6, 2});  // NIC 26: spine 0
  const RouteId odd = bench.fabric.network({0, 0}, {0, 0}, {6, 3}, {6, 3});    // NIC 27: spine 1
  const Program program = bench.builder.build();
  const auto values = bench.values();
  const double nic = 0.9 * 20e9, joint = 0.7 * 2 * 20e9;

  check_hops(hops(program, leaf, values), {{"g0n00 gpu 1 to nic 1", "pcie", 32e9, false},
                                           {"g0n00 nic 1 up", "nic", nic, false},
                                           {"g0n00 nic 1 both directions", "nic", joint, true},
                                           {"g0n01 nic 1 down", "nic", nic, false},
                                           {"g0n01 nic 1 both directions", "nic", joint, true},
                                           {"g0n01 nic 1 to gpu 1", "pcie", 32e9, false}});
  const auto within = hops(program, group, values);
  REQUIRE(within.size() == 8);
  CHECK(within[3].name == "group 0 leaf 0 to spine 1");
  CHECK(within[4].name == "group 0 spine 1 to leaf 1");
  CHECK(within[3].link_class == "leaf-spine");
  CHECK(within[3].capacity == 100e9);
  CHECK(within[4].capacity == 100e9);
  const auto between = hops(program, other, values);
  REQUIRE(between.size() == 9);
  CHECK(between[4].name == "group 0 spine 0 to group 1 spine 0");
  CHECK(between[4].link_class == "global");
  CHECK(between[4].capacity == 120e9);
  CHECK(hops(program, odd, values)[4].capacity == 80e9);

  CHECK(latency(program, leaf, values) == doctest::Approx(0.4e-6).epsilon(1e-14));
  CHECK(latency(program, group, values) == doctest::Approx(0.8e-6).epsilon(1e-14));
  CHECK(latency(program, other, values) == doctest::Approx(1.0e-6).epsilon(1e-14));
}

TEST_CASE("fabric: the two directions of a NIC have a capacity each and share one joint limit") {
  Bench bench;
  const RouteId there = bench.fabric.network({0, 0}, {0, 0}, {1, 0}, {1, 0});
  const RouteId back = bench.fabric.network({1, 0}, {1, 0}, {0, 0}, {0, 0});
  const Program program = bench.builder.build();
  const auto links_of = [&](RouteId route) {
    return std::vector(program.route_links.begin() + program.route_first[route.v],
                       program.route_links.begin() + program.route_first[route.v + 1]);
  };
  // PCIe, up, joint of the sender, down, joint of the receiver, PCIe
  const auto a = links_of(there), b = links_of(back);
  CHECK(a[1] != b[3]);
  CHECK(a[2] == b[4]);
  CHECK(a[4] == b[2]);
  CHECK(std::ranges::count(program.links, true, &ProgramLink::joint) == 2);
  CHECK(program.links.size() ==
        4 + 4 + 2);  // PCIe and NIC each in both directions in two nodes, joint limits
}

TEST_CASE("fabric: a route that was asked for before is the same route, and links are shared by routes") {
  Bench bench;
  const RouteId route = bench.fabric.network({0, 2}, {0, 2}, {5, 2}, {5, 2});
  CHECK(bench.fabric.network({0, 2}, {0, 2}, {5, 2}, {5, 2}) == route);
  CHECK(bench.fabric.network({0, 2}, {0, 2}, {4, 2}, {4, 2}) != route);
  const Program program = bench.builder.build();
  CHECK(program.route_latency.size() == 2);
  CHECK(std::ranges::count(program.links, "g0n00 nic 2 up", &ProgramLink::name) == 1);
}

TEST_CASE(
    "parameters: rows form a table, are told apart from direct ones, and each says where it comes from") {
  const ParameterTable table{topology_parameters(),
                             topology_direct_parameters()};  // checks bounds and doubles
  for (const AuxiliaryParameter& row : table.auxiliary()) {
    CHECK(row.scale == (row.dimension == Dimension::time ? Scale::logarithmic : Scale::linear));
    CHECK((row.domain == Domain::scale_up) == row.id.starts_with("nvlink."));
    CHECK(!row.meaning.empty());
    CHECK(!row.source.empty());
    if (row.dimension == Dimension::number)
      CHECK(row.upper == 1);  // a share of the nominal rate never exceeds it
  }
  for (const DirectParameter& row : table.direct()) {
    CHECK(!table.tunable(row.id));
    CHECK(!row.meaning.empty());
    CHECK(!row.given_by.empty());
  }
  CHECK(table.find_direct("nvlink.rate") != nullptr);
}
