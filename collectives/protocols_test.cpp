// LL, LL128 and the cuts of rings that they bring.
#include <array>

#include <doctest/doctest.h>

#include "base/units.hpp"
#include "collectives/partition.hpp"
#include "collectives/proof.hpp"
#include "collectives/slices.hpp"
#include "collectives/test_execution.hpp"

using namespace caliper;

namespace {

constexpr auto kEveryCollective = {Collective::all_reduce, Collective::all_gather,
                                   Collective::reduce_scatter};
constexpr auto kEveryFamily = {PartitionFamily::a, PartitionFamily::b, PartitionFamily::c};
constexpr auto kEveryProtocol = {Protocol::simple, Protocol::ll, Protocol::ll128};

Execution ring_execution(Collective collective, PartitionFamily family, Protocol protocol,
                         std::uint32_t ranks, std::uint32_t channels, std::uint32_t element = 4) {
  Execution execution = single_node_execution(collective, family, ranks, channels, element);
  execution.protocol = protocol;
  return execution;
}

void check_ring_proved(const Execution& execution, std::uint64_t bytes) {
  CAPTURE(name_of(execution.collective));
  CAPTURE(name_of(execution.family));
  CAPTURE(name_of(execution.protocol));
  CAPTURE(execution.ranks());
  CAPTURE(execution.channels());
  CAPTURE(bytes);
  const auto violation = prove(make_plan(execution, bytes));
  INFO((violation ? violation->text : std::string()));
  REQUIRE_FALSE(violation.has_value());
}

/// [channel][run]: the chunks of all loops as pieces of the buffer.
std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces_of(const ChunkTable& table) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (const auto& runs : table.channels)
    for (const LoopRun& run : runs)
      for (std::uint64_t loop = 0; loop < run.loops; ++loop)
        for (std::uint64_t j = 0; j < table.chunks_per_loop; ++j)
          if (run.chunk_bytes(j) > 0)
            pieces.emplace_back(run.offset + loop * run.stride + j * run.spacing, run.chunk_bytes(j));
  std::ranges::sort(pieces);
  return pieces;
}

}  // namespace

TEST_CASE("protocols: names are read as they are written") {
  for (const auto protocol : kEveryProtocol) CHECK(protocol_named(name_of(protocol)) == protocol);
  for (const auto algorithm : {Algorithm::ring, Algorithm::tree})
    CHECK(algorithm_named(name_of(algorithm)) == algorithm);
  CHECK_FALSE(protocol_named("LL"));
}

TEST_CASE("protocols: a line of LL is half data, LL128 sends 16 lines of 120 B at a time") {
  CHECK(wire_bytes(Protocol::simple, 12345) == 12345);
  for (const auto protocol : kEveryProtocol) CHECK(wire_bytes(protocol, 0) == 0);
  CHECK(wire_bytes(Protocol::ll, 1) == 16);
  CHECK(wire_bytes(Protocol::ll, 8) == 16);
  CHECK(wire_bytes(Protocol::ll, 9) == 32);
  CHECK(wire_bytes(Protocol::ll, 32 * kKiB) == 64 * kKiB);
  CHECK(wire_bytes(Protocol::ll128, 1) == 2048);
  CHECK(wire_bytes(Protocol::ll128, 1920) == 2048);
  CHECK(wire_bytes(Protocol::ll128, 1921) == 4096);
  CHECK(wire_bytes(Protocol::ll128, 576'000) == 614'400);  // a step of the buffer: 120 * 640 * 8 * 8 B / 8
}

TEST_CASE("protocols: only a chunk of Ring/Simple has two slices; the window is 8 steps") {
  const auto ring = connection_of(Algorithm::ring, Protocol::simple);
  CHECK(ring.slices_per_chunk == 2);
  CHECK(ring.window == 4);
  for (const auto algorithm : {Algorithm::ring, Algorithm::tree})
    for (const auto protocol : kEveryProtocol) {
      if (algorithm == Algorithm::ring && protocol == Protocol::simple) continue;
      const auto connection = connection_of(algorithm, protocol);
      CHECK(connection.slices_per_chunk == 1);
      CHECK(connection.window == 8);
      CHECK(slices_of(100'004, 4, connection.slices_per_chunk) == Slices{100'004, 0});
    }
}

TEST_CASE("protocols: a channel of LL for each 4 KiB a rank, of LL128 for each 5 KiB; then fewer threads") {
  const auto ll = [](std::uint64_t bytes, std::uint32_t ranks) {
    return channel_use(bytes, {ranks, 24}, Algorithm::ring, Protocol::ll);
  };
  CHECK(ll(24 * 4096 * 4, 4).channels == 24);
  CHECK(ll(24 * 4096 * 4 - 1, 4).channels == 23);
  CHECK(ll(4096 * 4, 4).threads == 512);
  CHECK(ll(4096 * 4 - 1, 4).threads == 256);
  CHECK(ll(4, 4).threads == 96);  // 64, but never fewer than three warps
  CHECK(ll(64 * kKiB, 16).channels == 1);
  const auto ll128 = [](std::uint64_t bytes) {
    return channel_use(bytes, {16, 24}, Algorithm::ring, Protocol::ll128);
  };
  CHECK(ll128(24 * 5120).channels == 24);
  CHECK(ll128(2 * 5120 - 1).channels == 1);
  CHECK(ll128(5120).threads == 640);
  CHECK(ll128(5119).threads == 320);
  CHECK(ll128(4).threads == 320);  // 320 is no multiple of 128
  // Trees: LL does not count ranks, Simple has four warps more.
  CHECK(channel_use(24 * 4096, {16, 24}, Algorithm::tree, Protocol::ll).channels == 24);
  CHECK(channel_use(kMiB, {16, 24}, Algorithm::tree, Protocol::simple).threads == 640);
}

TEST_CASE("protocols: worked cuts, by hand from NCCL's arithmetic") {
  const auto table = [](PartitionFamily family, Protocol protocol, std::uint64_t bytes) {
    return make_chunk_table({Collective::all_reduce, family, 4, 4, 8, bytes / 4, Algorithm::ring, protocol});
  };
  // LL, 64 KiB, 4 ranks: 64 KiB / 16 KiB = 4 channels, 512 threads, grain 4096 B: one chunk of 4096 B a rank.
  const ChunkTable a = table(PartitionFamily::a, Protocol::ll, 64 * kKiB);
  REQUIRE(a.channels.size() == 4);
  CHECK(a.channels[1][0].offset == 4096);  // chunk 0 of channel 1 lies behind chunk 0 of channel 0
  CHECK(a.channels[1][0].spacing == 4 * 4096);
  CHECK(a.channels[1][0].chunk_bytes(3) == 4096);
  const ChunkTable b = table(PartitionFamily::b, Protocol::ll, 64 * kKiB);
  REQUIRE(b.channels.size() == 4);
  CHECK(b.channels[1][0].offset == 16 * kKiB);
  CHECK(b.channels[1][0].chunk_bytes(0) == 4096);
  // C: traffic 8 bytes a byte, 512 KiB, 128 KiB a channel; cells of 2 KiB: 8 of 32 for each of 4 channels.
  const ChunkTable c = table(PartitionFamily::c, Protocol::ll, 64 * kKiB);
  REQUIRE(c.channels.size() == 4);
  CHECK(c.channels[3][0].offset == 48 * kKiB);
  // A full loop of LL128, and one of half of that: 576,000 B a chunk; the rest is cut in units of
  // 640 * 15 / 2 elements = 19,200 B for each of 8 channels and 4 ranks: 288,000 / 19,200 = 15.
  const ChunkTable two = table(PartitionFamily::a, Protocol::ll128, 3 * 8 * 4 * 576'000 / 2);
  REQUIRE(two.channels[7].size() == 2);
  CHECK(two.channels[7][0].chunk == 576'000);
  CHECK(two.channels[7][0].offset == 7 * 576'000);
  CHECK(two.channels[7][1].chunk == 288'000);
  CHECK(two.channels[7][1].offset == 8 * 4 * 576'000 + 7 * 288'000);
}

TEST_CASE("protocols: chunks cover the buffer once, in every family") {
  for (const auto family : kEveryFamily)
    for (const auto protocol : {Protocol::ll, Protocol::ll128})
      for (const std::uint64_t bytes :
           {4ull, 4092ull, 65'536ull, 1'000'004ull, 5'000'008ull, 40'000'000ull}) {
        const ChunkTable table =
            make_chunk_table({Collective::all_reduce, family, 6, 4, 5, bytes / 4, Algorithm::ring, protocol});
        std::uint64_t at = 0;
        for (const auto& [begin, length] : pieces_of(table)) {
          REQUIRE(begin == at);
          at += length;
        }
        REQUIRE(at == bytes);
      }
}

TEST_CASE("protocols: rings are proved for odd and huge sizes, ranks 2 to 17, 48 and 96, channels 1 to 32") {
  std::vector<std::uint32_t> ranks{48, 96};
  for (std::uint32_t n = 1; n <= 17; ++n) ranks.push_back(n);
  const std::uint64_t two_31 = std::uint64_t{1} << 31;
  for (const std::uint32_t n : ranks)
    for (const auto collective : kEveryCollective)
      for (const auto family : kEveryFamily)
        for (const auto protocol : {Protocol::ll, Protocol::ll128})
          for (const std::uint32_t element : {1u, 4u, 8u}) {
            const Execution execution =
                ring_execution(collective, family, protocol, n, 1 + (n * 7) % 32, element);
            const std::uint64_t unit =
                element * (collective == Collective::all_reduce ? std::uint64_t{1} : n);
            for (const std::uint64_t count : {0u, 1u, n - 1, n, n + 1})
              check_ring_proved(execution, count * unit);
            for (const std::uint64_t bytes :
                 {std::uint64_t{12'345}, std::uint64_t{1} << 20, two_31 - 1, two_31 + 1})
              check_ring_proved(execution, bytes);
          }
  for (const auto protocol : kEveryProtocol)
    for (const auto family : kEveryFamily)
      for (std::uint32_t channels = 1; channels <= 32; ++channels)
        for (std::uint64_t bytes = 1; bytes < 3'000'000'000; bytes += bytes * 7 / 3 + 1)
          check_ring_proved(ring_execution(Collective::all_reduce, family, protocol, 6, channels), bytes);
  for (const auto family : kEveryFamily)
    for (const auto protocol : {Protocol::ll, Protocol::ll128})
      check_ring_proved(ring_execution(Collective::all_reduce, family, protocol, 4096, 8), kMaxMessageBytes);
}

TEST_CASE("protocols: a ring of one slice a chunk needs a window of two") {
  const Execution execution = ring_execution(Collective::all_reduce, PartitionFamily::c, Protocol::ll, 4, 1);
  Plan plan = make_plan(execution, 1u << 20);
  CHECK(plan.window == 8);
  plan.window = 2;
  CHECK_FALSE(prove(plan));
  plan.window = 1;
  const auto violation = prove(plan);
  REQUIRE(violation);
  CHECK(violation->what == Violated::progress);
}

TEST_CASE("protocols: bytes of data are the same for all, and the plan's hash is not") {
  std::vector<std::string> hashes;
  for (const auto protocol : kEveryProtocol) {
    const Execution execution = ring_execution(Collective::all_reduce, PartitionFamily::c, protocol, 4, 1);
    const Plan plan = make_plan(execution, 4096);
    CHECK(bytes_sent(plan) == 2 * 3 * 4096);
    hashes.push_back(plan.hash());
  }
  std::ranges::sort(hashes);
  CHECK(std::ranges::adjacent_find(hashes) == hashes.end());
}

TEST_CASE("protocols: chunks that do not cover the buffer are refused where they lie apart, too") {
  const Execution execution = ring_execution(Collective::all_reduce, PartitionFamily::a, Protocol::ll, 4, 8);
  const Plan good = make_plan(execution, 9 * kMiB + 300'000);
  REQUIRE_FALSE(prove(good));
  REQUIRE(good.table.channels[3].size() == 2);
  for (const auto& change : {+[](LoopRun& run) { run.offset += 4; }, +[](LoopRun& run) { run.chunk -= 4; },
                             +[](LoopRun& run) { run.spacing += 4; }}) {
    for (const std::size_t run : {0u, 1u}) {
      Plan plan = good;
      change(plan.table.channels[3][run]);
      const auto violation = prove(plan);
      REQUIRE(violation);
      CHECK(violation->what == Violated::tiling);
    }
  }
}
