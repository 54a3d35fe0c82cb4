#include "collectives/partition.hpp"

#include <initializer_list>

#include <doctest/doctest.h>

#include "base/units.hpp"

using namespace caliper;

namespace {

ChunkTable table_of(Collective collective, PartitionFamily family, std::uint64_t bytes, std::uint32_t ranks,
                    std::uint32_t channels) {
  const std::uint64_t count = bytes / 4 / (collective == Collective::all_reduce ? 1 : ranks);
  return make_chunk_table({collective, family, ranks, 4, channels, count});
}

constexpr auto kAllFamilies = {PartitionFamily::a, PartitionFamily::b, PartitionFamily::c};

std::uint64_t loops_of(const std::vector<LoopRun>& runs) {
  std::uint64_t loops = 0;
  for (const LoopRun& run : runs) loops += run.loops;
  return loops;
}

}  // namespace

TEST_CASE("partition: a channel for each 32 KiB, then fewer threads") {
  CHECK(channel_use(768 * kKiB, {4, 24}).channels == 24);
  CHECK(channel_use(768 * kKiB - 1, {4, 24}).channels == 23);
  CHECK(channel_use(256 * kKiB, {4, 8}).channels == 8);
  CHECK(channel_use(64 * kKiB, {4, 24}).channels == 2);
  CHECK(channel_use(32 * kKiB, {4, 24}).threads == 544);
  CHECK(channel_use(32 * kKiB - 1, {4, 24}).threads == 288);
  CHECK(channel_use(16 * kKiB - 1, {4, 24}).threads == 160);
  CHECK(channel_use(8 * kKiB - 1, {4, 24}).threads == 96);
  CHECK(channel_use(0, {4, 24}).channels == 1);
}

TEST_CASE("partition: worked AllReduce numbers, float32") {
  // The first chunk of channel 0 and the channels used, by hand from NCCL's arithmetic.
  using enum PartitionFamily;
  const auto row = [](PartitionFamily family, std::uint64_t bytes, std::uint32_t ranks,
                      std::uint32_t channels) {
    const ChunkTable table = table_of(Collective::all_reduce, family, bytes, ranks, channels);
    return std::pair{table.channels.size(), table.channels[0][0].chunk_bytes(0)};
  };
  using Row = std::pair<std::size_t, std::uint64_t>;
  for (const auto family : kAllFamilies) {
    CHECK(row(family, 64 * kKiB, 4, 24) == Row{2, 8192});
    CHECK(row(family, kMiB, 4, 24) == Row{family == c ? 22 : 24, 12288});
    CHECK(row(family, 8 * kMiB, 4, 24) == Row{24, family == c ? 88064 : 90112});
    CHECK(row(family, 64 * kMiB, 4, 24) == Row{24, 700416});
    CHECK(row(family, 64 * kMiB, 8, 8) == Row{8, kMiB});
    CHECK(row(family, kGiB, 4, 24) == Row{24, 2 * kMiB});
    CHECK(row(family, kGiB, 8, 8) == Row{8, 2 * kMiB});
    CHECK(loops_of(table_of(Collective::all_reduce, family, kGiB, 4, 24).channels[0]) == 6);
    CHECK(loops_of(table_of(Collective::all_reduce, family, kGiB, 8, 8).channels[0]) == 8);
  }
}

TEST_CASE("partition: worked AllGather numbers: family A runs channels that have nothing to do") {
  for (const auto family : kAllFamilies) {
    const ChunkTable table = table_of(Collective::all_gather, family, kMiB, 4, 24);
    CHECK(table.channels.size() == (family == PartitionFamily::a ? 24 : 22));
    CHECK(table.channels[0][0].chunk_bytes(0) == 12288);
    CHECK(table.channels[21][0].extent == 4096);
    if (family == PartitionFamily::a) CHECK(table.channels[23][0].extent == 0);
  }
}

TEST_CASE("partition: family C hands out cells of 8 KiB: 342 of them 23 times, then what is left") {
  const ChunkTable table = table_of(Collective::all_reduce, PartitionFamily::c, 64 * kMiB, 4, 24);
  for (std::size_t channel = 0; channel < 23; ++channel) {
    REQUIRE(table.channels[channel].size() == 1);
    CHECK(table.channels[channel][0].extent == 2801664);
  }
  CHECK(table.channels[23][0].extent == 2670592);
}

TEST_CASE("partition: families A and B round a cut chunk to 4096 B, C to 16 B") {
  // 100,000 float32 on one channel of 4 ranks: a quarter is 25,000 elements = 100,000 B.
  const auto chunk = [](PartitionFamily family) {
    return make_chunk_table({Collective::all_reduce, family, 4, 4, 1, 100000}).channels[0][0].chunk;
  };
  CHECK(chunk(PartitionFamily::a) == 102400);
  CHECK(chunk(PartitionFamily::b) == 102400);
  CHECK(chunk(PartitionFamily::c) == 100000);
}

TEST_CASE("partition: family A interleaves channels, B and C give each a contiguous slab") {
  const std::uint64_t bytes = 96 * kMiB * 4;  // two full loops of 24 channels, 4 ranks
  const auto a = table_of(Collective::all_reduce, PartitionFamily::a, bytes, 4, 24).channels[1];
  REQUIRE(a.size() == 1);
  CHECK(a[0] == LoopRun{2, 8 * kMiB, 192 * kMiB, 2 * kMiB, 8 * kMiB});
  const auto b = table_of(Collective::all_reduce, PartitionFamily::b, bytes, 4, 24).channels[1];
  REQUIRE(b.size() == 1);
  CHECK(b[0] == LoopRun{2, 16 * kMiB, 8 * kMiB, 2 * kMiB, 8 * kMiB});
}

TEST_CASE("partition: family C, cells that do not divide") {
  const auto extents = [](std::uint32_t channels, std::uint64_t count) {
    std::vector<std::uint64_t> all;
    const auto table = make_chunk_table({Collective::all_reduce, PartitionFamily::c, 2, 1, channels, count});
    for (const auto& runs : table.channels) all.push_back(runs[0].extent);
    return all;
  };
  using List = std::vector<std::uint64_t>;
  // Below 64 KiB the budget is one channel: all 7 cells of 8 KiB, the last one with a single byte.
  CHECK(extents(2, 6 * 8192 + 1) == List{6 * 8192 + 1});
  // 64 KiB + 1 B: 9 cells, 65537 B of traffic a channel are 5 cells: 5, then 4 less what the last cell lacks.
  CHECK(extents(2, 65537) == List{5 * 8192, 65537 - 5 * 8192});
  // 24 channels, 24 * 4 cells + 1 B: the budget of each rounds down to 4 cells, so that a 25th channel would
  // be needed. The 93 cells behind the first channel's are split anew: 22 * 4, and 4 + 1 for the last.
  List wanted(23, 4 * 8192);
  wanted.push_back(4 * 8192 + 1);
  CHECK(extents(24, 24 * 4 * 8192 + 1) == wanted);
}

TEST_CASE("partition: nothing to do, no channels") {
  for (const auto family : kAllFamilies)
    CHECK(make_chunk_table({Collective::all_reduce, family, 4, 4, 24, 0}).channels.empty());
}
