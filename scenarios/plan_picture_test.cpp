#include "scenarios/plan_picture.hpp"

#include <map>
#include <vector>

#include <doctest/doctest.h>
#include <pugixml.hpp>

#include "collectives/derivation.hpp"
#include "collectives/test_machine.hpp"

using namespace caliper;

namespace {

/// Elements by class; the picture is well-formed.
std::map<std::string, int> elements_of(const std::string& svg) {
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  std::map<std::string, int> count;
  for (const auto& found : document.select_nodes("//*[@class]"))
    ++count[found.node().attribute("class").value()];
  return count;
}

Execution derived(const Machine& machine, std::uint32_t nodes, std::uint32_t gpus) {
  std::vector<GpuAddress> ranks;
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) ranks.push_back({node, gpu});
  auto execution = derive_execution(machine, ranks, Collective::all_reduce, PartitionFamily::c, 4);
  REQUIRE(execution);
  return *std::move(execution);
}

}  // namespace

TEST_CASE("plan_picture: one node: a panel for each ring that differs, an arrow for each hop, all NVLinks") {
  const Machine machine = a100_machine(1);
  const auto count = elements_of(plan_svg(derived(machine, 1, 4), machine, "a < b & c", ""));
  CHECK(count.at("panel") == 6);
  CHECK(count.at("ring") == 6 * 4 + 1);  // and the legend's
  CHECK(count.at("link") == 6 * 6 + 1);
  CHECK(count.at("gpu first") == 6);
  CHECK(count.at("gpu") == 6 * 3);
  CHECK(count.at("title") == 1);
}

TEST_CASE("plan_picture: two nodes: NVLink hops, PXN hops, and each crossing over PCIe and the network") {
  const Machine machine = a100_machine(2);
  const auto count = elements_of(plan_svg(derived(machine, 2, 4), machine, "t", "s"));
  CHECK(count.at("panel") == 4);
  CHECK(count.at("node") == 8);
  CHECK(count.at("ring") == 4 * 6 + 1);
  CHECK(count.at("pxn") == 4 * 2 + 1);
  CHECK(count.at("net") == 4 * 2 * 3 + 1);  // to the NIC, to the other, from it
  CHECK(count.at("nic") == 4 * 8);
}

TEST_CASE(
    "plan_picture: of many nodes the first two, with what leads out and in; a single GPU is a picture too") {
  const Machine machine = a100_machine(5);
  const std::string svg = plan_svg(derived(machine, 5, 4), machine, "t", "s");
  const auto count = elements_of(svg);
  CHECK(count.at("node") == 8);
  CHECK(count.at("ring") == 4 * 6 + 1);
  CHECK(svg.find("the first two of 5 nodes") != std::string::npos);
  CHECK(svg.find("to the next node") != std::string::npos);
  CHECK(elements_of(plan_svg(derived(machine, 1, 1), machine, "t", "s")).at("panel") == 1);
}
