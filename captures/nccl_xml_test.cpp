// Topologies and graphs of nodes that are known by construction; no file of a real machine.
#include "captures/nccl_xml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "captures/log_fixtures.hpp"

using namespace caliper;
using caliper::test::says;

namespace {

/// Two CPUs, each with a bridge, below it a GPU and a NIC; a third GPU right on the first CPU.
const std::string kNode = R"(<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="Maker">
    <pci busid="0000:01:00.0" class="0x060400">
      <pci busid="0000:02:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80" rank="0" gdr="1">
          <nvlink target="0000:12:00.0" count="4" tclass="0x030200"/>
          <nvlink target="0000:22:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:03:00.0" class="0x020700"><nic><net name="mlx5_0" dev="0" speed="200000" gdr="1"/></nic></pci>
    </pci>
    <pci busid="0000:22:00.0" class="0x030200">
      <gpu dev="0x2" sm="80" rank="2"><nvlink target="0000:02:00.0" count="2"/></gpu>
    </pci>
    <nic><net name="tun0" dev="2" speed="1000"/></nic>
  </cpu>
  <cpu numaid="1">
    <pci busid="0000:11:00.0" class="0x060400">
      <pci busid="0000:12:00.0" class="0x030200">
        <gpu dev="1" sm="80" rank="1">
          <nvlink target="0000:02:00.0" count="4" tclass="0x030200"/>
          <nvlink target="0000:77:00.0" count="6" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:14:00.0" class="0x060400">
        <pci busid="0000:13:00.0" class="0x020000"><nic><net name="mlx5_1" dev="1"/></nic></pci>
      </pci>
    </pci>
    <nic><net name="tun0" dev="2" speed="1000"/></nic>
  </cpu>
</system>
)";

const std::string kGraphs = R"(<graphs version="1">
  <graph id="0" pattern="4" nchannels="2" speedintra="20.5" typeintra="NVL" typeinter="PIX">
    <channel><net dev="0"/><gpu dev="0"/><gpu dev="0x1"/><gpu dev="10"/><net dev="0x100000000000001"/></channel>
    <channel><gpu dev="10"/><gpu dev="1"/><gpu dev="0"/></channel>
  </graph>
  <graph id="3" pattern="5" nchannels="1"><channel><gpu dev="0"/></channel></graph>
</graphs>
)";

template <class T>
T read(const std::string& content) {
  const auto made = read_nccl_xml(content, "file.xml");
  if (!made) FAIL(describe(made.problems()));
  REQUIRE(std::holds_alternative<T>(*made));
  return std::get<T>(*made);
}

std::string xml_problems(const std::string& content) {
  const auto made = read_nccl_xml(content, "file.xml");
  return made ? "no problem" : describe(made.problems());
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a topology: GPUs by device, NICs with rates, NVLinks of pairs and to switches") {
  const auto node = read<NodeTopology>(kNode);
  REQUIRE(node.gpus.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(node.gpus[i].device == i);
  CHECK(node.gpus[0].seat.link_width == 16);
  CHECK(node.gpus[0].line == 5);
  REQUIRE(node.nics.size() == 3);
  CHECK(node.nics[0].mbits == 200000);
  CHECK(node.nics[0].gdr == true);
  CHECK(!node.nics[2].mbits);
  CHECK(node.pairs == std::vector<GpuPair>{{0, 1, 4}, {0, 2, 2}});
  CHECK(node.nvswitches == 1);
  CHECK(node.gpus[1].switch_links == 6);
  CHECK(node.cpus[1].numa == 1);
}

TEST_CASE(
    "the distance of a NIC: same bridge, further bridge, same CPU, other CPU; off the bus it is on every "
    "CPU") {
  const auto node = read<NodeTopology>(kNode);
  CHECK(node.distance(0, 0) == PcieDistance::pix);
  CHECK(node.distance(1, 2) == PcieDistance::pxb);
  CHECK(node.distance(2, 0) == PcieDistance::phb);
  CHECK(node.distance(2, 2) == PcieDistance::sys);
  CHECK(node.nics[1].name == "tun0");
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) CHECK(node.distance(gpu, 1) == PcieDistance::phb);
  CHECK(node.nearest_nics(0) == std::vector<std::uint32_t>{0});
  CHECK(node.nearest_nics(2) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("RCCL's topology is the same with other words; devices by class alone are counted and noted") {
  std::string amd = kNode;
  for (std::size_t at = 0; (at = amd.find("<nvlink", at)) != std::string::npos;) amd.replace(at, 7, "<xgmi");
  CHECK(read<NodeTopology>(amd).pairs == read<NodeTopology>(kNode).pairs);
  const auto bare = read<NodeTopology>(
      R"(<system><cpu numaid="0"><pci busid="1" class="0x038000"/><pci busid="2" class="0x020000"/></cpu></system>)");
  CHECK(bare.gpus.size() == 1);
  CHECK(bare.nics.size() == 1);
  CHECK(bare.notes.size() == 3);
}

TEST_CASE("graphs: rings with the NICs they enter and leave by; numbers decimal or hexadecimal") {
  const auto graphs = read<NodeGraphs>(kGraphs);
  REQUIRE(graphs.graphs.size() == 2);
  const SearchGraph& ring = graphs.graphs[0];
  CHECK(ring.rate_intra == 20.5);
  CHECK(ring.type_intra == "NVL");
  REQUIRE(ring.channels.size() == 2);
  CHECK(ring.channels[0].gpus == std::vector<std::uint32_t>{0, 1, 10});
  CHECK(ring.channels[0].net_in == 0);
  CHECK(ring.channels[0].net_out == (std::uint64_t{1} << 56) + 1);
  CHECK(!ring.channels[1].net_in);
  CHECK(graphs.notes.empty());
  CHECK(read<NodeGraphs>(with(kGraphs, "nchannels=\"2\"", "nchannels=\"12\"")).notes.size() == 1);
}

TEST_CASE("what is wrong with a file is named with its line") {
  CHECK(says(xml_problems("<system>"), "file.xml:1: no XML"));
  CHECK(says(xml_problems(""), "no XML"));
  CHECK(says(xml_problems("<html/>"), "neither a topology nor graphs"));
  CHECK(says(xml_problems("<graphs/>"), "no <graph>"));
  CHECK(says(xml_problems("<system><cpu numaid=\"0\"/></system>"), "no GPU"));
  CHECK(says(xml_problems(with(kNode, "dev=\"1\" sm", "dev=\"0\" sm")), "GPU 0 stands twice"));
  CHECK(says(xml_problems(with(kNode, "rank=\"1\"", "rank=\"0\"")), "rank 0 stands twice"));
  CHECK(says(xml_problems(with(kNode, "0000:13:00.0", "0000:12:00.0")),
             "file.xml:26: bus id 0000:12:00.0 stands twice"));
  CHECK(says(xml_problems(with(kNode, "count=\"4\"", "count=\"3\"")),
             "GPU 1 counts 4 links to GPU 0, which counts 3"));
  CHECK(
      says(xml_problems(with(kNode, "speed=\"200000\"", "speed=\"fast\"")), "'speed' of <net> is \"fast\""));
  CHECK(says(
      xml_problems(with(kGraphs, "<gpu dev=\"10\"/><gpu dev=\"1\"/>", "<gpu dev=\"1\"/><gpu dev=\"1\"/>")),
      "file.xml:2: channel 1 of graph 0 passes a GPU twice"));
  CHECK(says(xml_problems(with(kGraphs, "<gpu dev=\"10\"/><gpu dev=\"1\"/>", "<gpu dev=\"10\"/>")),
             "passes other GPUs"));
}

TEST_CASE("a file that is cut anywhere is refused with a place") {
  for (const std::string& whole : {kNode, kGraphs})
    for (std::size_t length = 0; length < whole.find_last_of('>'); ++length) {
      const auto made = read_nccl_xml(whole.substr(0, length), "file.xml");
      if (made) FAIL("read when cut at " << length);
      CHECK(says(made.problems().front().where, "file.xml:"));
    }
}
