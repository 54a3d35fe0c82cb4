// For tests: synthetic logs in the formats that NCCL prints, and what befalls logs on their way. No line was
// taken from a real log.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/random.hpp"
#include "base/text.hpp"
#include "captures/nccl_log.hpp"

namespace caliper::test {

inline std::string prefix(const std::string& host, int process, int thread, int device) {
  return fmt::format("{}:{}:{} [{}] NCCL INFO ", host, process, thread, device);
}

/// Two nodes of two GPUs, two channels, NCCL 2.28's format: rings 0 1 3 2 and 0 2 3 1, of which the second
/// crosses nodes by PXN. Four processes, one communicator.
inline std::string synthetic_log() {
  struct Edge {
    int channel, from, to;
  };
  const std::vector<Edge> edges{{0, 0, 1}, {0, 1, 3}, {0, 3, 2}, {0, 2, 0},
                                {1, 0, 2}, {1, 2, 3}, {1, 3, 1}, {1, 1, 0}};
  const std::vector<std::string> trees{
      "[0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->2", "[0] -1/-1/-1->1->0 [1] -1/-1/-1->1->0",
      "[0] 3/-1/-1->2->0 [1] 3/0/-1->2->-1", "[0] -1/-1/-1->3->2 [1] -1/-1/-1->3->2"};
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string host = rank < 2 ? "alpha" : "beta";
    const std::string at = prefix(host, 500 + rank, 600 + rank, rank % 2);
    log += at + "NCCL version 2.28.3+cuda12.9\n";
    log += at + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:198.51.100.1<0>\n";
    log += at + "NET/IB : Made virtual device [0] name=mlx5_0 speed=200000 ndevs=1\n";
    log += at +
           fmt::format(
               "ncclCommInitRank comm 0xab{0} rank {0} nranks 4 cudaDev {1} nvmlDev {1} busId {2}000 commId "
               "0x77aa - Init START\n",
               rank, rank % 2, rank % 2 + 4);
    log += at + fmt::format("comm 0xab{0} rank {0} nRanks 4 nNodes 2 localRanks 2 localRank {1} MNNVL 0\n",
                            rank, rank % 2);
    if (rank == 0) log += at + "Channel 00/02 : 0 1 3 2\n" + at + "Channel 01/02 : 0 2 3 1\n";
    log += at + "Trees " + trees[static_cast<std::size_t>(rank)] + "\n";
    for (const Edge& edge : edges) {
      const std::string line = at + fmt::format("Channel {:02}/0 : {}[{}] -> {}[{}]", edge.channel, edge.from,
                                                edge.from % 2, edge.to, edge.to % 2);
      const bool crosses = edge.from / 2 != edge.to / 2;
      if (!crosses && edge.from == rank) log += line + " via P2P/CUMEM/read\n";
      if (crosses && edge.from == rank)
        log += line + fmt::format(" [send] via NET/IB/{}{}/GDRDMA\n", edge.channel,
                                  edge.channel == 1 ? fmt::format("({})", edge.from / 2 * 2) : "");
      if (crosses && edge.to == rank)
        log += line + fmt::format(" [receive] via NET/IB/{}/GDRDMA\n", edge.channel);
    }
    log += at +
           "2 coll channels, 2 collnet channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer\n";
    log += at +
           fmt::format(
               "ncclCommInitRank comm 0xab{0} rank {0} nranks 4 cudaDev {1} nvmlDev {1} busId {2}000 commId "
               "0x77aa - Init COMPLETE\n",
               rank, rank % 2, rank % 2 + 4);
    if (rank > 0) continue;
    log += at + "AllReduce: 65536 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}\n";
    log += at + "AllReduce: 67108864 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}\n";
    log += at + "AllReduce: 134217728 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}\n";
    log += at + "AllGather: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}\n";
  }
  return log;
}

inline Result<ExecutionRecord> read_log(const std::string& content, std::optional<std::uint32_t> ranks = {}) {
  const std::vector<LogInput> inputs{{"log", content}};
  return read_nccl_log(inputs, ranks);
}

inline ExecutionRecord record_of(const std::string& content) {
  auto record = read_log(content);
  if (!record) FAIL(describe(record.problems()));
  return *std::move(record);
}

inline std::string problems_of(const std::string& content, std::optional<std::uint32_t> ranks = {}) {
  const auto record = read_log(content, ranks);
  return record ? "no problem" : describe(record.problems());
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool lacks(const CapturedCommunicator& one, const std::string& what) {
  return std::any_of(one.gaps.begin(), one.gaps.end(),
                     [&](const CapturedGap& gap) { return says(gap.what, what); });
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The text without the lines that hold `part`.
inline std::string without(const std::string& text, const std::string& part) {
  std::string kept;
  for (const std::string_view line : split_lines(text))
    if (line.find(part) == std::string_view::npos) kept += std::string(line) + "\n";
  return kept;
}

inline std::string shuffled(const std::string& text, std::uint64_t seed) {
  auto lines = split_lines(text);
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[hash64(seed, i, 0) % i]);
  std::string result;
  for (const std::string_view line : lines) result += std::string(line) + "\n";
  return result;
}

/// Every line behind what a launcher or a terminal puts there, another for each.
inline std::string with_random_prefixes(const std::string& text, std::uint64_t seed) {
  static const std::vector<std::string> kPrefixes{"",
                                                  " 7: ",
                                                  "13: ",
                                                  "[1,3]<stdout>:",
                                                  "[job@1,3]<stderr>: ",
                                                  "[2026-01-01 10:00:00] ",
                                                  "2026-01-01T10:00:00.123 ",
                                                  "worker-0 | ",
                                                  "\x1b[32m",
                                                  "\t",
                                                  "float     sum"};
  std::string result;
  std::size_t i = 0;
  for (const std::string_view line : split_lines(text))
    result += kPrefixes[hash64(seed, i++, 1) % kPrefixes.size()] + std::string(line) + "\n";
  return result;
}

/// The record without the numbers of lines.
inline ExecutionRecord without_lines(ExecutionRecord record) {
  for (CapturedNic& nic : record.nics) nic.at = {};
  for (CapturedCommunicator& one : record.communicators) {
    for (CapturedRank& member : one.members) member.at = {};
    for (CapturedRing& ring : one.rings) ring.at.reset();
    for (CapturedTree& tree : one.trees) tree.at = {};
    for (CapturedCall& call : one.calls) call.at = {};
    for (CapturedConnection& connection : one.connections) {
      if (connection.at) connection.at = LineRef{};
      for (auto* end : {&connection.send, &connection.receive})
        if (*end) (*end)->at = {};
    }
  }
  return record;
}

}  // namespace caliper::test
