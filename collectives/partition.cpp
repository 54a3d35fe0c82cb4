#include "collectives/partition.hpp"

namespace caliper {
namespace {

constexpr std::uint64_t kMaxChunkBytes = 2u << 20;  // 4 of the 8 steps of a 4 MiB buffer
constexpr std::uint64_t kMinTraffic = 16384;        // bytes a channel should at least move (family C)
constexpr std::uint64_t kWorkAlignment = 4096;      // bytes (family B)

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t to) { return ceil_div(a, to) * to; }

/// Everything in elements here; converted where a LoopRun is made.
struct Cut {
  const PartitionInput& in;
  std::uint64_t chunk;   // largest
  std::uint64_t shares;  // chunks of a loop
  ChannelUse use;

  LoopRun run(std::uint64_t loops, std::uint64_t offset, std::uint64_t stride, std::uint64_t piece,
              std::uint64_t extent) const {
    const std::uint64_t e = in.element_bytes;
    return {loops, offset * e, stride * e, piece * e, extent * e};
  }

  /// Families B and C: loops over the contiguous slab of one channel, the last one with chunks cut to what is
  /// left.
  std::vector<LoopRun> slab(std::uint64_t offset, std::uint64_t count, std::uint64_t alignment) const {
    const std::uint64_t loop = chunk * shares;
    const std::uint64_t full = count / loop;
    const std::uint64_t rest = count % loop;
    std::vector<LoopRun> runs;
    if (full > 0) runs.push_back(run(full, offset, loop, chunk, loop));
    if (rest > 0) {
      const std::uint64_t piece = shares == 1 ? rest : round_up(ceil_div(rest, shares), alignment);
      runs.push_back(run(1, offset + full * loop, rest, piece, rest));
    }
    return runs;
  }

  /// One loop over all channels, re-split for the bytes that are left. Late channels may get nothing and
  /// still run.
  void interleaved(ChunkTable& table) const {
    const std::uint64_t loop = use.channels * shares * chunk;
    const std::uint64_t full = in.count / loop;
    const std::uint64_t start = full * loop;
    const std::uint64_t rest = in.count - start;
    const std::uint64_t grain = (use.threads - 32) * sizeof(std::uint64_t) / in.element_bytes;
    const std::uint64_t piece = round_up(std::min(chunk, ceil_div(rest, use.channels * shares)), grain);
    for (std::uint64_t channel = 0; channel < use.channels; ++channel) {
      auto& runs = table.channels.emplace_back();
      if (full > 0) runs.push_back(run(full, channel * shares * chunk, loop, chunk, shares * chunk));
      if (rest == 0) continue;
      const std::uint64_t begin = std::min(rest, channel * shares * piece);
      const std::uint64_t extent = std::min(rest - begin, shares * piece);
      runs.push_back(run(1, start + begin, extent, piece, extent));
    }
  }

  void equal_slabs(ChunkTable& table) const {
    const std::uint64_t e = in.element_bytes;
    const std::uint64_t channel_bytes = round_up(ceil_div(in.count * e, use.channels), 16);
    const std::uint64_t size = round_up(ceil_div(channel_bytes, e), kWorkAlignment / e);
    for (std::uint64_t offset = 0; offset < in.count; offset += size)
      table.channels.push_back(slab(offset, std::min(size, in.count - offset), kWorkAlignment / e));
  }

  /// Continuous byte distribution: cells handed out in one low, several middle and one high share. The
  /// deficit of the last, partial cell falls on the last channel.
  void cells(ChunkTable& table) const {
    const std::uint64_t e = in.element_bytes;
    const std::uint64_t traffic_per_byte = in.collective == Collective::all_reduce ? 2 : in.ranks;
    const std::uint64_t traffic = std::max(kMinTraffic, in.count * e * traffic_per_byte);
    const std::uint64_t per_channel = std::max(kMinTraffic, traffic / use.channels);
    const std::uint64_t cell = round_up(ceil_div(kMinTraffic, traffic_per_byte), 16);
    const std::uint64_t total = ceil_div(in.count * e, cell);
    std::uint64_t share = std::min(total, ceil_div(per_channel, cell * traffic_per_byte));
    const std::uint64_t low = in.channels == 1 ? total : share;
    std::uint64_t middle = (total - low) / share;
    std::uint64_t high = (total - low) % share;
    if (1 + middle + (high > 0 ? 1 : 0) > in.channels) {
      middle = in.channels - 2;
      share = (total - low) / (middle + 1);
      high = share + (total - low) % (middle + 1);
    }
    const std::uint64_t used = 1 + middle + (high > 0 ? 1 : 0);
    std::uint64_t offset = 0;
    for (std::uint64_t channel = 0; channel < used; ++channel) {
      const std::uint64_t mine = channel == 0 ? low : channel <= middle ? share : high;
      const std::uint64_t count = channel + 1 == used ? in.count - offset : mine * cell / e;
      table.channels.push_back(slab(offset, count, 16 / e));
      offset += count;
    }
  }
};

}  // namespace

ChannelUse channel_use(std::uint64_t bytes, std::uint32_t channels) {
  constexpr std::uint64_t kBytesPerThread = 64;
  constexpr std::uint32_t kSyncWarp = 32;
  CALIPER_CHECK(channels >= 1);
  std::uint64_t threads = 512;
  std::uint64_t used = std::clamp<std::uint64_t>(bytes / (threads * kBytesPerThread), 1, channels);
  while (bytes < used * threads * kBytesPerThread && threads % 128 == 0) threads /= 2;
  return {static_cast<std::uint32_t>(used), std::max(static_cast<std::uint32_t>(threads) + kSyncWarp, 96u)};
}

ChunkTable make_chunk_table(const PartitionInput& input) {
  const std::uint64_t e = input.element_bytes;
  CALIPER_CHECK(e == 1 || e == 2 || e == 4 || e == 8);
  CALIPER_CHECK(input.ranks >= 2 && input.ranks <= kMaxRanks);
  CALIPER_CHECK(input.channels >= 1 && input.channels <= kMaxChannels);
  const bool all_reduce = input.collective == Collective::all_reduce;
  ChunkTable table;
  table.chunks_per_loop = all_reduce ? input.ranks : 1;
  if (input.count == 0) return table;
  const std::uint64_t bytes = input.count * e * (all_reduce ? 1 : input.ranks);
  const Cut cut{input, kMaxChunkBytes / e, table.chunks_per_loop, channel_use(bytes, input.channels)};
  switch (input.family) {
    case PartitionFamily::a:
      cut.interleaved(table);
      break;
    case PartitionFamily::b:
      cut.equal_slabs(table);
      break;
    case PartitionFamily::c:
      cut.cells(table);
      break;
  }
  return table;
}

}  // namespace caliper
