#include "collectives/partition.hpp"

#include "collectives/slices.hpp"
#include "collectives/tree_chunk.hpp"

namespace caliper {
namespace {

constexpr std::uint64_t kMinTraffic = 16384;  // bytes a channel should at least move (family C)
constexpr std::uint32_t kWarp = 32;           // threads

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t to) { return ceil_div(a, to) * to; }

/// Data that a thread of LL128 moves at a time, in whole elements; AllGather moves bytes.
std::uint64_t ll128_thread_bytes(const PartitionInput& in) {
  const std::uint64_t e = in.collective == Collective::all_gather ? 1 : in.element_bytes;
  return 60 / e * e;
}

/// What family A rounds a piece of a ring to, in bytes.
std::uint64_t ring_grain(const PartitionInput& in, std::uint32_t threads) {
  switch (in.protocol) {
    case Protocol::simple:
      return (threads - kWarp) * std::uint64_t{8};
    case Protocol::ll:
      return threads * std::uint64_t{8};
    case Protocol::ll128:
      break;
  }
  const std::uint64_t grain = threads * ll128_thread_bytes(in);
  return in.collective == Collective::all_reduce ? grain / in.element_bytes / 2 * in.element_bytes : grain;
}

/// And a chunk of a tree.
std::uint64_t tree_grain(const PartitionInput& in, std::uint32_t threads) {
  switch (in.protocol) {
    case Protocol::simple:
      return (threads - 2 * kWarp) * std::uint64_t{64};
    case Protocol::ll:
      return threads * std::uint64_t{8};
    case Protocol::ll128:
      break;
  }
  return threads * ll128_thread_bytes(in) / in.element_bytes / 8 * in.element_bytes;
}

/// What family B rounds the slab of a channel and the chunks of a last loop to, in bytes.
std::uint64_t slab_grain(const PartitionInput& in, std::uint32_t threads) {
  switch (in.protocol) {
    case Protocol::simple:
      return 4096;
    case Protocol::ll:
      return threads * std::uint64_t{8};
    case Protocol::ll128:
      break;
  }
  return threads / kWarp * std::uint64_t{480};
}

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

  /// The chunks of the last loop of family A. `rest` is less than a loop.
  std::uint64_t last_piece(std::uint64_t rest) const {
    const std::uint64_t grain = ring_grain(in, use.threads) / in.element_bytes;
    const std::uint64_t parts = use.channels * shares;
    // LL cuts AllGather and ReduceScatter on the host, and like this.
    if (in.protocol == Protocol::simple || (in.protocol == Protocol::ll && shares == 1))
      return round_up(std::min(chunk, ceil_div(rest, parts)), grain);
    return std::min(chunk, ceil_div(rest, parts * grain) * grain);
  }

  /// One loop over all channels, re-split for the bytes that are left. Late channels may get nothing and
  /// still run.
  void interleaved(ChunkTable& table) const {
    const std::uint64_t loop = use.channels * shares * chunk;
    const std::uint64_t full = in.count / loop;
    const std::uint64_t start = full * loop;
    const std::uint64_t rest = in.count - start;
    const std::uint64_t piece = last_piece(rest);
    for (std::uint64_t channel = 0; channel < use.channels; ++channel) {
      auto& runs = table.channels.emplace_back();
      if (full > 0) runs.push_back(run(full, channel * shares * chunk, loop, chunk, shares * chunk));
      if (rest == 0) continue;
      const std::uint64_t begin = std::min(rest, channel * shares * piece);
      const std::uint64_t extent = std::min(rest - begin, shares * piece);
      runs.push_back(run(1, start + begin, extent, piece, extent));
    }
  }

  /// LL and LL128 hand out chunk j of all channels before chunk j + 1.
  void chunks_interleaved(ChunkTable& table) const {
    const std::uint64_t e = in.element_bytes;
    const std::uint64_t loop = use.channels * shares * chunk;
    const std::uint64_t full = in.count / loop;
    const std::uint64_t start = full * loop;
    const std::uint64_t rest = in.count - start;
    const std::uint64_t piece = last_piece(rest);
    for (std::uint64_t channel = 0; channel < use.channels; ++channel) {
      auto& runs = table.channels.emplace_back();
      const auto add = [&](std::uint64_t loops, std::uint64_t at, std::uint64_t size, std::uint64_t length) {
        const std::uint64_t begin = std::min(length, channel * size);
        runs.push_back(run(loops, at + begin, loop, size, length - begin));
        runs.back().spacing = use.channels * size * e;
      };
      if (full > 0) add(full, 0, chunk, loop);
      if (rest > 0) add(1, start, piece, rest);
    }
  }

  /// Trees of family A: chunks are handed out channel by channel and never cut to what is left, but a single
  /// loop is.
  void tree_interleaved(ChunkTable& table) const {
    const std::uint64_t loop = use.channels * chunk;
    const std::uint64_t full = in.count < loop ? 0 : in.count / loop;
    const std::uint64_t rest = in.count - full * loop;
    const std::uint64_t grain = tree_grain(in, use.threads) / in.element_bytes;
    const std::uint64_t piece = full > 0 ? chunk : ceil_div(rest, use.channels * grain) * grain;
    for (std::uint64_t channel = 0; channel < use.channels; ++channel) {
      auto& runs = table.channels.emplace_back();
      if (full > 0) runs.push_back(run(full, channel * chunk, loop, chunk, chunk));
      if (rest == 0) continue;
      const std::uint64_t begin = std::min(rest, channel * piece);
      const std::uint64_t extent = std::min(rest - begin, piece);
      runs.push_back(run(1, full * loop + begin, extent, piece, extent));
    }
  }

  void equal_slabs(ChunkTable& table) const {
    const std::uint64_t e = in.element_bytes;
    const std::uint64_t alignment = slab_grain(in, use.threads) / e;
    const std::uint64_t channel_bytes = round_up(ceil_div(in.count * e, use.channels), 16);
    const std::uint64_t size = round_up(ceil_div(channel_bytes, e), alignment);
    for (std::uint64_t offset = 0; offset < in.count; offset += size)
      table.channels.push_back(slab(offset, std::min(size, in.count - offset), alignment));
  }

  /// The slab of a channel whose chunks its own bytes determine.
  std::vector<LoopRun> slab_of_cells(std::uint64_t offset, std::uint64_t count) const {
    const std::uint64_t e = in.element_bytes;
    if (in.algorithm == Algorithm::ring) return slab(offset, count, 16 / e);
    return Cut{in, tree_chunk(in, count * e, 1) / e, shares, use}.slab(offset, count, 16 / e);
  }

  /// Continuous byte distribution: cells handed out in one low, several middle and one high share. The
  /// deficit of the last, partial cell falls on the last channel.
  void cells(ChunkTable& table) const {
    const std::uint64_t e = in.element_bytes;
    const std::uint64_t traffic_per_byte = (in.collective == Collective::all_reduce ? 2 : in.ranks) *
                                           std::uint64_t{in.protocol == Protocol::ll ? 4u : 1u};
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
      table.channels.push_back(slab_of_cells(offset, count));
      offset += count;
    }
  }
};

/// Largest chunk of a loop, in bytes.
std::uint64_t largest_chunk(const PartitionInput& in, const ChannelUse& use) {
  if (in.algorithm == Algorithm::tree)
    return tree_chunk(in, in.count * in.element_bytes, use.channels) / in.element_bytes * in.element_bytes;
  const Connection connection = connection_of(in.algorithm, in.protocol);
  return connection.slices_per_chunk * connection.slot_bytes;
}

}  // namespace

ChannelUse channel_use(std::uint64_t bytes, Communicator communicator, Algorithm algorithm,
                       Protocol protocol) {
  CALIPER_CHECK(communicator.channels >= 1);
  const bool ring = algorithm == Algorithm::ring;
  std::uint64_t bytes_per_thread = protocol == Protocol::simple ? 64 : 8;
  if (ring && protocol == Protocol::ll) bytes_per_thread *= communicator.ranks;
  std::uint64_t threads = protocol == Protocol::ll128 ? 640 : 512;
  const std::uint64_t used =
      std::clamp<std::uint64_t>(bytes / (threads * bytes_per_thread), 1, communicator.channels);
  while (bytes < used * threads * bytes_per_thread && threads % 128 == 0) threads /= 2;
  // Simple has a warp more to synchronise, four in the two halves of a tree's block.
  if (protocol == Protocol::simple) threads += ring ? kWarp : 4 * kWarp;
  return {static_cast<std::uint32_t>(used), std::max(static_cast<std::uint32_t>(threads), 3 * kWarp)};
}

ChunkTable make_chunk_table(const PartitionInput& input) {
  const std::uint64_t e = input.element_bytes;
  CALIPER_CHECK(e == 1 || e == 2 || e == 4 || e == 8);
  CALIPER_CHECK(input.ranks >= 2 && input.ranks <= kMaxRanks);
  CALIPER_CHECK(input.channels >= 1 && input.channels <= kMaxChannels);
  const bool all_reduce = input.collective == Collective::all_reduce;
  const bool ring = input.algorithm == Algorithm::ring;
  CALIPER_CHECK(ring || all_reduce);
  ChunkTable table;
  table.chunks_per_loop = all_reduce && ring ? input.ranks : 1;
  if (input.count == 0) return table;
  const std::uint64_t bytes = input.count * e * (all_reduce ? 1 : input.ranks);
  const ChannelUse use = channel_use(bytes, {input.ranks, input.channels}, input.algorithm, input.protocol);
  const Cut cut{input, largest_chunk(input, use) / e, table.chunks_per_loop, use};
  switch (input.family) {
    case PartitionFamily::a:
      if (!ring)
        cut.tree_interleaved(table);
      else if (all_reduce && input.protocol != Protocol::simple)
        cut.chunks_interleaved(table);
      else
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
