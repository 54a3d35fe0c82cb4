// Real logs and XML files of NCCL, where CALIPERSIM_CORPUS names a folder of them: each gives the facts of
// the tables below, which were counted with other means than these readers.
#include <filesystem>
#include <map>
#include <set>

#include "captures/log_comparison.hpp"
#include "captures/log_fixtures.hpp"
#include "captures/nccl_xml.hpp"
#include "scenarios/execution_record_file.hpp"
#include "tests/support/corpus.hpp"

using namespace caliper;
using namespace caliper::test;
using testing::content_of;
using testing::corpus;
namespace fs = std::filesystem;

namespace {

using Order = std::vector<std::uint32_t>;

Order counting(std::uint32_t ranks) {
  Order order;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) order.push_back(rank);
  return order;
}

struct ExpectedLog {
  const char* file;  ///< how its name begins
  const char* version;
  std::uint32_t ranks, nodes, channels;
  std::size_t communicators, members, trees, nics, calls;
  std::map<std::string, std::size_t> connections;  ///< of both kinds of index
  std::set<std::uint32_t> devices;                 ///< of the network
  std::size_t gdrdma;                              ///< connections that have it at both ends
  RingRule rule;                                   ///< of channel 0
  Order first, second;                             ///< rings of channels 0 and 1
};

// clang-format off
/// Of the first communicator. Zero and empty: the log does not say.
const std::vector<ExpectedLog> kLogs = {
    {"01-", "2.4.8", 16, 2, 12, 1, 16, 0, 18, 0, {{"NET/IB", 30}, {"P2P/IPC", 80}}, {0, 2, 6, 8}, 0, RingRule::listed,
     {0, 2, 3, 7, 4, 6, 5, 1, 8, 10, 11, 15, 12, 14, 13, 9}, {0, 4, 7, 6, 5, 1, 3, 10, 8, 12, 15, 14, 13, 9, 11, 2}},
    {"02-", "2.5.6", 16, 2, 4, 1, 16, 64, 6, 0, {{"NET/Socket", 12}, {"P2P/IPC", 144}}, {0, 1}, 0, RingRule::listed,
     {0, 4, 5, 6, 7, 3, 10, 9, 8, 12, 13, 14, 15, 11, 2, 1}, {0, 1, 2, 3, 7, 14, 13, 12, 8, 9, 10, 11, 15, 6, 5, 4}},
    {"07-", "2.7.8", 4, 1, 12, 1, 4, 48, 4, 0, {{"P2P/IPC", 100}}, {}, 0, RingRule::listed, {0, 1, 2, 3}, {0, 1, 3, 2}},
    // Rank 0 lists 20 of 64 ranks; the log ends before all connections are opened.
    {"08-", "2.7.8", 64, 16, 4, 1, 64, 256, 52, 0, {{"NET/IB", 64}, {"P2P/IPC", 126}}, {2, 3}, 0,
     RingRule::connections, counting(64), {}},
    {"09-", "2.10.3", 32, 4, 2, 1, 32, 64, 16, 0, {{"NET/IB", 20}, {"P2P/IPC/read", 112}}, {1, 3}, 0,
     RingRule::connections, counting(32), counting(32)},
    {"10-", "2.10.3", 16, 4, 4, 1, 16, 64, 16, 0, {{"NET/IB", 40}, {"P2P/IPC", 104}}, {1, 3}, 0, RingRule::listed,
     counting(16), {0, 3, 2, 1, 4, 7, 6, 5, 8, 11, 10, 9, 12, 15, 14, 13}},
    // Calls alone.
    {"11-", "2.12.12", 32, 0, 0, 1, 0, 0, 0, 26, {}, {}, 0, RingRule::none, {}, {}},
    {"12-", "2.20.5", 8, 2, 4, 1, 6, 24, 0, 0, {{"NET/AWS Libfabric", 10}, {"P2P/CUMEM/read", 31}}, {1, 3}, 10,
     RingRule::listed, {0, 2, 3, 7, 6, 4, 5, 1}, {0, 1, 5, 4, 6, 7, 3, 2}},
    {"13-", "2.20.5", 8, 2, 4, 1, 8, 29, 0, 0, {{"NET/AWS Libfabric", 12}, {"P2P/CUMEM/read", 56}}, {1, 3}, 0,
     RingRule::listed, {0, 2, 3, 7, 6, 4, 5, 1}, {0, 1, 5, 4, 6, 7, 3, 2}},
    {"15-", "2.9.9", 16, 2, 8, 1, 16, 128, 0, 0, {{"NET/AWS Libfabric", 32}, {"P2P/IPC/read", 172}}, {0, 1, 2, 3}, 32,
     RingRule::listed, {0, 7, 6, 5, 4, 3, 2, 1, 8, 15, 14, 13, 12, 11, 10, 9},
     {0, 3, 10, 15, 14, 13, 12, 9, 8, 11, 2, 7, 6, 5, 4, 1}},
    {"16-", "2.26.6", 2, 2, 2, 1, 2, 0, 8, 0, {{"NET/IB", 4}}, {2}, 0, RingRule::connections, {0, 1}, {0, 1}},
    // Two versions, four lone ranks.
    {"17-", "2.26.5", 1, 1, 64, 4, 1, 47, 4, 0, {}, {}, 0, RingRule::none, {}, {}},
    // Most of it is torn.
    {"19-", "2.28.9", 4, 0, 2, 1, 3, 2, 16, 0, {{"SHM/direct/direct", 3}}, {}, 0, RingRule::none, {}, {}},
    {"20-", "2.7.3", 3, 1, 24, 1, 3, 72, 1, 0, {{"P2P/direct pointer/read", 120}}, {}, 0, RingRule::listed,
     {0, 1, 2}, {0, 1, 2}},
    {"21-", "2.22.3", 2, 1, 8, 1, 2, 16, 4, 0, {{"P2P/direct pointer/read", 16}}, {}, 0, RingRule::listed,
     {0, 1}, {0, 1}},
    // Plans of calls alone.
    {"23-", "", 0, 0, 0, 1, 0, 0, 0, 7, {}, {}, 0, RingRule::none, {}, {}},
};
// clang-format on

void check_log(const ExecutionRecord& record, const ExpectedLog& expected) {
  CHECK(record.communicators.size() == expected.communicators);
  CHECK(record.nics.size() == expected.nics);
  const CapturedCommunicator& one = record.communicators.front();
  CHECK(one.version == expected.version);
  CHECK(one.ranks == expected.ranks);
  CHECK(one.nodes == expected.nodes);
  CHECK(one.channels == expected.channels);
  CHECK(one.members.size() == expected.members);
  CHECK(one.trees.size() == expected.trees);
  CHECK(one.calls.size() == expected.calls);
  std::map<std::string, std::size_t> connections;
  std::set<std::uint32_t> devices;
  std::size_t gdrdma = 0;
  for (const CapturedConnection& connection : one.connections) {
    ++connections[fmt::format("{}/{}", name_of(connection.kind), connection.detail)];
    for (const auto& end : {connection.send, connection.receive})
      if (end) devices.insert(end->device);
    gdrdma += connection.send && connection.receive && connection.send->gdrdma && connection.receive->gdrdma
                  ? 1
                  : 0;
  }
  CHECK(connections == expected.connections);
  CHECK(devices == expected.devices);
  CHECK(gdrdma == expected.gdrdma);
  const auto ring = [&](std::size_t channel) {
    return channel < one.rings.size() ? one.rings[channel] : CapturedRing{};
  };
  CHECK(ring(0).rule == expected.rule);
  CHECK(ring(0).order == expected.first);
  CHECK(ring(1).order == expected.second);
  CHECK(lacks(one, "chunks and slices"));
}

struct ExpectedXml {
  const char* file;
  std::size_t gpus, nics;
  std::uint32_t links, switch_links, nvswitches;
  std::vector<std::uint32_t> nearest;  ///< to the first GPU
  const char* distance;
  std::set<std::uint64_t> mbits;
  std::vector<Order> rings;  ///< of a dump of graphs; the first two
  std::size_t notes = 0;
  const char* refusal = "";
};

// clang-format off
const std::vector<ExpectedXml> kXml = {
    // Every GPU has 12 links to itself.
    {"01-", 4, 1, 0, 0, 0, {0}, "PHB", {100000}, {}, 5},
    {"02-", 0, 0, 0, 0, 0, {}, "", {}, {{0, 1, 2, 3}, {0, 3, 2, 1}}},
    {"03-", 2, 1, 12, 0, 0, {0}, "PHB", {100000}, {}, 1},
    {"04-", 0, 0, 0, 0, 0, {}, "", {}, {{0, 1}, {0, 1}}},
    {"05-", 8, 1, 0, 0, 0, {0}, "PHB", {}, {}, 2},
    {"07-", 8, 8, 0, 0, 0, {0}, "PIX", {}, {}, 2},
    {"08-", 8, 4, 0, 0, 0, {0}, "PIX", {}, {}, 2},
    {"09-", 8, 4, 0, 0, 0, {0}, "PIX", {}, {}, 2},
    // Bus ids alone.
    {"10-", 0, 0, 0, 0, 0, {}, "", {}, {}, 0, "no GPU in the topology"},
    {"12-", 8, 8, 0, 0, 0, {0, 1}, "PIX", {}, {}, 2},
    {"13-", 8, 8, 0, 0, 0, {0, 1}, "PIX", {}, {}, 2},
    {"14-", 8, 8, 0, 64, 4, {0}, "PIX", {400000}, {}},
    {"15-", 16, 8, 0, 0, 0, {0}, "PIX", {400000}, {}},
    {"16-", 4, 10, 0, 0, 0, counting(10), "PHB", {1000, 10000}, {}},
    // Tunnels stand under every CPU.
    {"18-", 4, 16, 0, 0, 0, counting(15), "PHB", {1000, 10000}, {}},
    {"19-", 1, 1, 0, 0, 0, {0}, "PHB", {10000}, {}},
    {"21-", 4, 2, 6, 0, 0, {0, 1}, "PHB", {10000}, {}},
    // The rate in the file is a thousand times what the NIC has.
    {"22-", 4, 4, 6, 0, 0, {0}, "PHB", {200000000}, {}},
    {"23-", 8, 4, 24, 0, 0, {0, 1}, "PHB", {200000}, {}},
    {"25-", 8, 4, 12, 0, 0, {0}, "PXB", {200000}, {}},
    // One of four GPUs.
    {"26-", 1, 2, 0, 0, 0, {0, 1}, "PHB", {1000, 200000}, {}, 1},
    {"27-", 0, 0, 0, 0, 0, {}, "", {}, {{0, 1, 2, 3}, {0, 1, 3, 2}}, 1},
};
// clang-format on

void check_node(const NodeTopology& node, const ExpectedXml& expected) {
  CHECK(node.gpus.size() == expected.gpus);
  CHECK(node.nics.size() == expected.nics);
  std::uint32_t links = 0, switch_links = 0;
  std::set<std::uint64_t> mbits;
  for (const GpuPair& pair : node.pairs) links += pair.links;
  for (const TopologyGpu& gpu : node.gpus) switch_links += gpu.switch_links;
  for (const TopologyNic& nic : node.nics)
    if (nic.mbits) mbits.insert(*nic.mbits);
  CHECK(links == expected.links);
  CHECK(switch_links == expected.switch_links);
  CHECK(node.nvswitches == expected.nvswitches);
  CHECK(mbits == expected.mbits);
  CHECK(node.notes.size() == expected.notes);
  CHECK(node.nearest_nics(0) == expected.nearest);
  CHECK(name_of(node.distance(0, node.nearest_nics(0).front())) == expected.distance);
}

}  // namespace

TEST_CASE("corpus: every log of NCCL gives the plan that it holds, and a record that survives its file") {
  const auto logs = corpus("nccl-debug");
  if (logs.empty()) return;
  REQUIRE(logs.size() == kLogs.size());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    CAPTURE(logs[i].filename().string());
    REQUIRE(logs[i].filename().string().starts_with(kLogs[i].file));
    const ExecutionRecord record = record_of(content_of(logs[i]));
    check_log(record, kLogs[i]);
    const auto again = read_execution_record(execution_record_toml(record), "record.toml");
    REQUIRE_MESSAGE(bool(again), describe(again.problems()));
    CHECK(*again == record);
  }
}

TEST_CASE(
    "corpus: a log shuffled or behind prefixes says what it said; one that is cut says a part, or is refused "
    "with a reason") {
  for (const fs::path& path : corpus("nccl-debug")) {
    CAPTURE(path.filename().string());
    const std::string log = content_of(path);
    const ExecutionRecord whole = record_of(log);
    if (whole.communicators.size() > 1) continue;
    const CapturedCommunicator& said = whole.communicators.front();
    for (std::uint64_t seed = 0; seed < 5; ++seed)
      for (const std::string& text : {shuffled(log, seed), with_random_prefixes(log, seed)}) {
        const ExecutionRecord record = record_of(text);
        REQUIRE(record.communicators.size() == 1);
        CHECK(is_part(record.communicators.front(), said));
        CHECK(is_part(said, record.communicators.front()));
      }
    bool read = false;  // what a cut log says, a longer one says too
    for (std::size_t cut = 1; cut <= 40; ++cut) {
      const auto record = read_log(log.substr(0, log.size() * cut / 41));
      CHECK(bool(record) >= read);
      read = bool(record);
      if (!record) CHECK(!record.problems().front().what.empty());
      if (!record) continue;
      for (const CapturedCommunicator& one : record->communicators) CHECK(is_part(one, said));
    }
  }
}

TEST_CASE("corpus: plans of calls that are logged agree with the channels of their communicator") {
  for (const fs::path& path : corpus("nccl-debug"))
    for (const CapturedCommunicator& one : record_of(content_of(path)).communicators)
      for (const CapturedCall& call : one.calls) {
        CAPTURE(path.filename().string());
        if (one.channels > 0 && call.last_channel) CHECK(*call.last_channel < one.channels);
        if (call.algorithm.empty()) continue;
        CHECK(call.bytes > 0);
        CHECK(!call.protocol.empty());
      }
}

TEST_CASE("corpus: every XML file gives the node or the rings that it holds, or is refused with the reason") {
  const auto files = corpus("xml");
  if (files.empty()) return;
  REQUIRE(files.size() == kXml.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = files[i].filename().string();
    CAPTURE(name);
    REQUIRE(name.starts_with(kXml[i].file));
    const auto made = read_nccl_xml(content_of(files[i]), name);
    REQUIRE(bool(made) == std::string(kXml[i].refusal).empty());
    if (!made) {
      CHECK(says(describe(made.problems()), kXml[i].refusal));
    } else if (const auto* node = std::get_if<NodeTopology>(&*made)) {
      check_node(*node, kXml[i]);
    } else {
      const auto& graphs = std::get<NodeGraphs>(*made);
      REQUIRE(kXml[i].rings.size() == 2);
      CHECK(graphs.notes.size() == kXml[i].notes);
      for (std::size_t c = 0; c < 2; ++c) CHECK(graphs.graphs.front().channels[c].gpus == kXml[i].rings[c]);
    }
  }
}
