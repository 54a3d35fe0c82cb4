// A log of two nodes whose plan is known by construction, and what is wrong with logs.
#include "captures/nccl_log.hpp"

#include "captures/captured_parts.hpp"
#include "captures/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;

TEST_CASE("a whole log gives version, ranks, rings, trees, transports, NICs and calls, each with its line") {
  const ExecutionRecord record = record_of(synthetic_log());
  REQUIRE(record.communicators.size() == 1);
  const CapturedCommunicator& one = record.communicators.front();
  CHECK(one.version == "2.28.3");
  CHECK(one.id == "0x77aa");
  CHECK(one.ranks == 4);
  CHECK(one.nodes == 2);
  CHECK(one.channels == 2);
  REQUIRE(one.members.size() == 4);
  CHECK(one.members[3].host == "beta");
  CHECK(one.members[3].nvml_device == 1);
  CHECK(one.members[3].bus_id == "5000");
  REQUIRE(one.rings.size() == 2);
  CHECK(one.rings[0].rule == RingRule::listed);
  CHECK(one.rings[0].order == std::vector<std::uint32_t>{0, 1, 3, 2});
  CHECK(one.rings[1].order == std::vector<std::uint32_t>{0, 2, 3, 1});
  CHECK(record.where(*one.rings[0].at) == "log:6");
  CHECK(one.trees.size() == 8);
  CHECK(one.trees[2].up == 0);
  CHECK(one.trees[2].down == std::vector<std::uint32_t>{3});
  CHECK(one.connections.size() == 8);
  CHECK(record.nics.size() == 4);
  CHECK(record.nics[0].mbits == 200000);
  CHECK(record.notes.empty());
  CHECK(lacks(one, "rate of 2 NICs in use"));  // device 1 of each host
  CHECK(lacks(one, "chunks and slices"));
  CHECK(one.gaps.size() == 2);
}

TEST_CASE(
    "the parts of an execution: GPUs, rings, the NICs and the proxy of each crossing, sizes by algorithm") {
  const ExecutionRecord record = record_of(synthetic_log());
  const auto parts = captured_parts(record, "comm-1");
  REQUIRE_MESSAGE(bool(parts), describe(parts.problems()));
  CHECK(parts->hosts == std::vector<std::string>{"alpha", "beta"});
  CHECK(parts->gpu_of_rank[3] == GpuAddress{1, 1});
  REQUIRE(parts->rings.size() == 2);
  const ChannelRing& pxn = parts->rings[1];
  REQUIRE(pxn.crossings.size() == 2);
  CHECK(pxn.crossings[1].from_rank == 3);
  CHECK(pxn.crossings[1].to_rank == 1);
  CHECK(pxn.crossings[1].proxy_gpu == GpuAddress{1, 0});  // rank 2
  CHECK(pxn.crossings[1].out == NicAddress{1, 1});
  CHECK(pxn.crossings[1].in == NicAddress{0, 1});
  REQUIRE(parts->ranges.size() == 3);
  CHECK(parts->ranges[0].collective == "AllGather");
  CHECK(parts->ranges[0].first == 4 * 1048576);  // logged for one rank
  CHECK(parts->ranges[1].protocol == "ll");
  CHECK(parts->ranges[2].first == 64 << 20);
  CHECK(parts->ranges[2].last == 128 << 20);
  CHECK(says(describe(captured_parts(record, "comm-2").problems()), "no such communicator"));
}

TEST_CASE("parts that the log does not hold are named, never filled in") {
  const auto lacking = [](const std::string& log) {
    const ExecutionRecord record = record_of(log);
    const auto parts = captured_parts(record, record.communicators.front().name);
    return parts ? std::string("nothing") : describe(parts.problems());
  };
  const std::string log = synthetic_log();
  CHECK(says(lacking(without(log, "[receive]")), "NIC of one or both ends"));
  CHECK(says(lacking(without(log, "beta:503")), "host of rank 3 is not known"));
  const std::string no_rings = without(without(log, "Channel 0"), "coll channels");
  CHECK(says(lacking(no_rings), "ring of channel 00 is not known"));
}

TEST_CASE("rings without a list: by neighbours, by connections; a list that goes on is completed by them") {
  const std::string log = synthetic_log();
  const std::string no_list = without(log, "/02 :");
  const CapturedCommunicator by_connections = record_of(no_list).communicators.front();
  CHECK(by_connections.rings[0].rule == RingRule::connections);
  CHECK(by_connections.rings[0].order == std::vector<std::uint32_t>{0, 1, 3, 2});
  CHECK(lacks(by_connections, "order of the ring of channel 0-1"));
  std::string neighbours = without(no_list, "Channel 0");
  const std::vector<std::uint32_t> order{0, 1, 3, 2};
  for (std::uint32_t i = 0; i < 4; ++i)
    neighbours +=
        fmt::format("{}Ring 00 : {} -> {} -> {}\n",
                    prefix(order[i] < 2 ? "alpha" : "beta", 500 + int(order[i]), 600 + int(order[i]), 0),
                    order[(i + 3) % 4], order[i], order[(i + 1) % 4]);
  const CapturedCommunicator by_neighbours = record_of(neighbours).communicators.front();
  CHECK(by_neighbours.rings[0].rule == RingRule::neighbours);
  CHECK(by_neighbours.rings[0].order == order);
  CHECK(by_neighbours.rings[1].rule == RingRule::none);
  const CapturedCommunicator cut =
      record_of(replaced(log, "/02 : 0 1 3 2", "/02 : 0 1 3...")).communicators.front();
  CHECK(cut.rings[0].order == order);
  CHECK(cut.rings[0].rule == RingRule::connections);
}

TEST_CASE(
    "tree connections make a ring ambiguous; the first that each rank opens is the ring's, if it closes") {
  const int kRanks = 24;
  std::string log = "NCCL version 2.8.4+cuda11.1\n";
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string at = prefix(fmt::format("n{}", rank / 4), 100 + rank % 4, 200, rank % 4);
    if (rank == 0) {
      log += at + "Channel 00/01 : ";
      for (int i = 0; i < 20; ++i) log += fmt::format(" {:2}", i);  // NCCL's limit up to 2.22
      log += "\n";
    }
    const auto opens = [&](int to) {
      log += at + fmt::format("Channel 00 : {}[{}000] -> {}[{}000] via P2P/IPC\n", rank, rank % 4 + 1, to,
                              to % 4 + 1);
    };
    opens((rank + 1) % kRanks);
    if (rank >= 20) opens(rank == 20 ? 22 : rank == 22 ? 20 : 20);
    if (rank >= 20) opens(rank == 23 ? 22 : 23);
    log += at + fmt::format("comm 0x1{0} rank {0} nranks {1} cudaDev {2} busId {3}000 - Init COMPLETE\n",
                            rank, kRanks, rank % 4, rank % 4 + 1);
  }
  const CapturedRing ring = record_of(log).communicators.front().rings.front();
  REQUIRE(ring.order.size() == 24);
  for (std::uint32_t i = 0; i < 24; ++i) CHECK(ring.order[i] == i);
  // Out of order the log does not say which connection is the ring's, and nothing else is made up.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto other = read_log(shuffled(log, seed));
    REQUIRE(bool(other));
    const CapturedRing& found = other->communicators.front().rings.front();
    CHECK((found.order.empty() || found.order == ring.order));
  }
}

TEST_CASE("formats of old versions: rings that carry connections, trees up first, bus ids in brackets") {
  const std::string a = "3: " + prefix("old", 11, 21, 0), b = "4: " + prefix("old", 12, 22, 1);
  const std::string log = "NCCL version 2.4.7+cuda10.1\n" + a + "Channel 00 :    0   1\n" + a +
                          "Ring 00 : 0[0] -> 1[1] via P2P/IPC\n" + b +
                          "Ring 00 : 1[1] -> 0[0] via direct shared memory\n" + a +
                          "Trees [0] -1->0->1/-1/-1\n" + b + "Trees [0] 0->1->-1/-1/-1\n";
  const ExecutionRecord record = record_of(log);
  const CapturedCommunicator& one = record.communicators.front();
  CHECK(one.version == "2.4.7");
  CHECK(one.ranks == 2);
  CHECK(lacks(one, "number of ranks"));
  CHECK(one.members[1].cuda_device == 1);
  CHECK(one.trees[0].down == std::vector<std::uint32_t>{1});
  CHECK(one.trees[1].up == 0);
  CHECK(one.connections[1].kind == TransportKind::shm);
  const std::string doubled =
      a + "Trees [0] 1/-1/-1->0->-1|-1->0->1/-1/-1 [1] -1/-1/-1->0->1|1->0->-1/-1/-1\n";
  CHECK(record_of(log + doubled).communicators.front().trees.size() == 3);
}

TEST_CASE("plans by number name their collective through the calls of that size; calls alone say no plan") {
  const std::string at = prefix("n", 1, 2, 0);
  const std::string call =
      at +
      "AllReduce: opCount 3 sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 root 0 comm 0xa "
      "[nranks=8] stream 0x3\n";
  const std::string plan = at + "4096 Bytes -> Algo 1 proto 2 time 33.100000\n";
  const CapturedCommunicator both = record_of(call + plan + plan).communicators.front();
  REQUIRE(both.calls.size() == 2);
  CHECK(both.ranks == 8);
  CHECK(both.calls[0].collective == "AllReduce");
  CHECK(both.calls[0].algorithm == "ring");
  CHECK(both.calls[0].protocol == "simple");
  CHECK(both.calls[0].times == 2);
  CHECK(lacks(both, "collective of plans"));
  CHECK(record_of(plan).communicators.front().calls[0].collective.empty());
  CHECK(lacks(record_of(call).communicators.front(), "algorithm and protocol of the calls"));
}

TEST_CASE(
    "several communicators in a log: by commId, by order in a thread, by process where nothing else says") {
  const std::string log = synthetic_log();
  const std::string other =
      replaced(replaced(replaced(log, "0x77aa", "0x88bb"), "0xab", "0xcd"), " 0 1 3 2", " 0 2 3 1");
  const ExecutionRecord two = record_of(log + without(other, " via "));
  REQUIRE(two.communicators.size() == 2);
  CHECK(two.communicators[0].rings[0].order == std::vector<std::uint32_t>{0, 1, 3, 2});
  CHECK(two.communicators[1].rings[0].order == std::vector<std::uint32_t>{0, 2, 3, 1});
  CHECK(
      says(problems_of(shuffled(log + other, 1)), "several communicators, and their lines are not in order"));
  // Before 2.16 nothing names a communicator: pairs on each host, told apart by host.
  std::string pairs = "NCCL version 2.10.3+cuda11.0\n";
  for (const char* host : {"a", "b"})
    for (int rank = 0; rank < 2; ++rank)
      pairs += prefix(host, 7 + rank, 9, rank) +
               fmt::format("comm 0x{0} rank {0} nranks 2 cudaDev {0} busId {0}000 - Init COMPLETE\n", rank);
  CHECK(record_of(pairs).communicators.size() == 2);
  const std::string again = replaced(pairs, ":9 ", ":10 ");
  CHECK(says(problems_of(replaced(pairs, "b:", "a:") + replaced(again, "a:7", "a:17")),
             "nothing says which ranks belong"));
}

TEST_CASE(
    "splits have no commId: parent, count and color tell them apart, on every process; so do splits of "
    "splits") {
  std::string log = without(synthetic_log(), " via ");
  const auto split = [&](int rank, const char* made, const char* of, int child, int color, int r) {
    const std::string at = prefix(rank < 2 ? "alpha" : "beta", 500 + rank, 600 + rank, rank % 2);
    const auto line = [&](const char* end) {
      return at +
             fmt::format(
                 "ncclCommSplit comm 0x{}{} rank {} nranks 2 cudaDev {} nvmlDev {} busId {}000 parent 0x{}{} "
                 "splitCount {} color {} key {}{} Init {}\n",
                 made, rank, r, rank % 2, rank % 2, rank % 2 + 4, of, rank, child, color, rank,
                 end[0] == 'S' ? "-" : " -", end);
    };
    log += line("START");
    if (r == 0) log += at + "Channel 00/01 : 0 1\n";
    log += line("COMPLETE");
  };
  for (int rank = 0; rank < 4; ++rank) split(rank, "e", "ab", 1, rank / 2, rank % 2);
  for (int rank = 0; rank < 4; ++rank) split(rank, "f", "ab", 2, rank % 2, rank / 2);
  const ExecutionRecord record = record_of(log);
  REQUIRE(record.communicators.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) {
    const CapturedCommunicator& one = record.communicators[i];
    CHECK(one.ranks == 2);
    CHECK(one.members.size() == 2);
    CHECK(one.rings.front().order == std::vector<std::uint32_t>{0, 1});
    CHECK(says(one.id, "0x77aa/child "));
    CHECK((one.members[0].host == one.members[1].host) == says(one.id, "child 1"));
  }
}

TEST_CASE("what is wrong with a log is named, with file, line and what would be right") {
  const std::string log = synthetic_log();
  const auto list = [&](const std::string& order) {
    return problems_of(replaced(log, "/02 : 0 1 3 2", "/02 : " + order));
  };
  CHECK(says(list("0 1 3"), "no problem"));  // the connections say how it goes on
  const std::string bare = without(without(log, "via P2P"), "via NET");
  const auto bare_list = [&](const std::string& order) {
    return problems_of(replaced(bare, "/02 : 0 1 3 2", "/02 : " + order));
  };
  CHECK(says(bare_list("0 1 3"), "log:6: channel 00: the ring lists 3 of 4 ranks; missing: 2"));
  CHECK(says(list("0 1 3 1"), "log:6: channel 00: rank 1 stands twice"));
  CHECK(says(list("0 1 3 7"), "rank 7 in a ring of 4 ranks"));
  CHECK(says(problems_of(log + prefix("alpha", 500, 600, 0) + "Channel 00/02 : 0 3 1 2\n"),
             "is followed by rank"));
  CHECK(says(problems_of(log + prefix("alpha", 500, 600, 0) + "Ring 00 : 3 -> 0 -> 1\n"),
             "rank 3 is followed by rank 0 here and by rank 2 at log:6"));
  CHECK(says(problems_of(log + prefix("beta", 503, 603, 1) + "Trees [0] 1/-1/-1->3->2\n"),
             "two places in the tree"));
  CHECK(says(
      problems_of(log + prefix("beta", 503, 603, 1) + "Channel 00/0 : 1[1] -> 3[1] [receive] via NET/IB/5\n"),
      "runs another way"));
  CHECK(says(
      problems_of(
          log + prefix("beta", 503, 603, 1) +
          "3 coll channels, 2 collnet channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer\n"),
      "3 channels, at log:"));
  CHECK(says(problems_of(replaced(log, "0xab3 rank 3", "0xab3 rank 2")),
             "rank 2 of communicator 0x77aa stands twice"));
  CHECK(says(problems_of(replaced(log, "rank 3 nranks 4", "rank 3 nranks 5")), "has 5 ranks, rank 0 says 4"));
  CHECK(says(problems_of(log + prefix("beta", 503, 603, 1) + "Channel 00/0 : 3[1] -> 4[0] via P2P/IPC\n"),
             "rank 4 in a communicator of 4 ranks"));
  CHECK(says(problems_of(log + prefix("beta", 503, 603, 1) + "Trees [1] 9/-1/-1->3->2\n"),
             "two places in the tree"));
  CHECK(says(problems_of(replaced(log, "={0..1}", "={0..2}")),
             "a call runs on channel 02, but there are 2 channels"));
  CHECK(says(problems_of(log, 8), "no communicator of 8 ranks (the log is of 4 ranks)"));
  CHECK(says(problems_of("shall I compare thee\n"), "no line of NCCL's log"));
  CHECK(says(problems_of(prefix("a", 1, 1, 0) + "Bootstrap : Using ib0:198.51.100.1<0>\n"),
             "no communicator, ring or call"));
  std::string open;
  for (int i = 0; i < 4; ++i)
    open += prefix("a", 1 + i, 1, 0) +
            fmt::format("comm 0x{0} rank {0} nranks 4 cudaDev 0 busId 1000 - Init COMPLETE\n", i) +
            prefix("a", 1 + i, 1, 0) + fmt::format("Ring 00 : {0} -> {1} -> {0}\n", i ^ 1, i);
  CHECK(says(problems_of(open), "does not close over all 4 ranks"));
}
