#include "collectives/lowering.hpp"

#include <limits>
#include <map>

#include "collectives/program_costs.hpp"
#include "collectives/tree_lowering.hpp"
#include "engine/program_builder.hpp"
#include "topology/fabric.hpp"

namespace caliper {
namespace {

/// Ports of blocks and proxies: what comes in, what goes out.
constexpr Port kIn = 0, kOut = 1;

/// How one rank sends on one channel.
struct Sender {
  WorkerId block;
  WorkerId proxy;  // invalid inside a node
  EdgeId in;       // from the rank before, or from its proxy
  EdgeId out;      // to the next rank, or to the own proxy
  EdgeId network;  // from the proxy to the next rank
};

/// Lists of a channel: its loops are cut alike for all ranks.
struct ChannelLists {
  ListId over_nvlink, in_place, proxy;
  std::uint32_t first_size;  // of position 0
  std::uint32_t
      per_position;  // rows by which the first size of a position lies before that of the one before
};

class RingLowering {
 public:
  RingLowering(const Plan& plan, const Machine& machine, const ParameterTable& table)
      : plan_(plan),
        execution_(*plan.execution),
        fabric_(machine, table, builder_),
        costs_(table, builder_, execution_.protocol) {}

  Program run() {
    reserve();
    if (plan_.count > 0 && execution_.ranks() == 1)
      builder_.worker(0, 0, "block", builder_.list({{{launch()}, 1}}), 0);
    for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel) add_channel(channel);
    return builder_.build();
  }

 private:
  Operation launch() const {
    return {static_cast<std::uint16_t>(costs_.launch.v), kNoPort, kNoPort, kNoSize};
  }

  /// A block and an edge for each rank, a proxy and another edge for each crossing.
  void reserve() {
    std::size_t workers = 0;
    for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel)
      workers += execution_.rings[channel].order.size() + execution_.rings[channel].crossings.size();
    builder_.reserve(workers, workers);
  }

  void add_channel(std::uint32_t channel) {
    std::vector<LoopRun> cut = plan_.table.channels[channel];
    for (LoopRun& run : cut) run.offset = run.stride = 0;  // where the bytes lie is all the same to time
    const auto [lists, is_new] = lists_.try_emplace(std::move(cut));
    if (is_new) lists->second = lists_of(lists->first);
    const ChannelRing& ring = execution_.rings[channel];
    const std::size_t n = ring.order.size();
    std::vector<Sender> senders(n);
    std::size_t crossing = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const bool crosses = node_of(ring, k) != node_of(ring, (k + 1) % n);
      add_workers(senders[k], channel, static_cast<std::uint32_t>(k),
                  crosses ? &ring.crossings[crossing++] : nullptr, lists->second);
    }
    CALIPER_CHECK(crossing == ring.crossings.size());
    crossing = 0;
    for (std::size_t k = 0; k < n; ++k) {
      Sender &sender = senders[k], &next = senders[(k + 1) % n];
      if (sender.proxy.valid())
        connect_between_nodes(sender, next, ring.crossings[crossing++]);
      else
        connect_in_node(sender, next, gpu_of(ring, k), gpu_of(ring, (k + 1) % n));
    }
    for (const Sender& sender : senders) {
      builder_.connect(sender.block, kIn, sender.in);
      builder_.connect(sender.block, kOut, sender.out);
      if (!sender.proxy.valid()) continue;
      builder_.connect(sender.proxy, kIn, sender.out);
      builder_.connect(sender.proxy, kOut, sender.network);
    }
  }

  GpuAddress gpu_of(const ChannelRing& ring, std::size_t position) const {
    return execution_.gpu_of_rank[ring.order[position]];
  }
  std::uint32_t node_of(const ChannelRing& ring, std::size_t position) const {
    return gpu_of(ring, position).node;
  }
  /// LL goes through host memory, which the GPU writes itself.
  bool hands_over_in_place(const NodeCrossing& crossing) const {
    return execution_.protocol == Protocol::ll ||
           execution_.gpu_of_rank[crossing.from_rank] == crossing.proxy_gpu;
  }

  void add_workers(Sender& sender, std::uint32_t channel, std::uint32_t position,
                   const NodeCrossing* crossing, const ChannelLists& lists) {
    const std::uint32_t rank = execution_.rings[channel].order[position];
    const std::uint32_t first_size = lists.first_size - position * lists.per_position;
    const bool in_place = crossing && hands_over_in_place(*crossing);
    sender.block =
        builder_.worker(rank, channel, "block", in_place ? lists.in_place : lists.over_nvlink, first_size);
    if (crossing) sender.proxy = builder_.worker(rank, channel, "proxy", lists.proxy, first_size);
  }

  void connect_in_node(Sender& sender, Sender& next, GpuAddress from, GpuAddress to) {
    sender.out = next.in = builder_.edge(sender.block, next.block, plan_.window, costs_.nvlink_latency,
                                         fabric_.nvlink(from, to), TransferMode::attached);
  }

  void connect_between_nodes(Sender& sender, Sender& next, const NodeCrossing& crossing) {
    const GpuAddress from = execution_.gpu_of_rank[crossing.from_rank];
    const GpuAddress to = execution_.gpu_of_rank[crossing.to_rank];
    const bool in_place = hands_over_in_place(crossing);
    sender.out = builder_.edge(
        sender.block, sender.proxy, plan_.window, in_place ? costs_.none : costs_.nvlink_latency,
        in_place ? RouteId{} : fabric_.nvlink(from, crossing.proxy_gpu), TransferMode::attached);
    sender.network = next.in = builder_.edge(
        sender.proxy, next.block, plan_.window, costs_.message_latency,
        fabric_.network(crossing.proxy_gpu, crossing.out, crossing.in, to), TransferMode::detached_ordered);
  }

  // Sizes. At ring position p, step s of a loop works on part (p + shift - s) mod n. In a table whose row x
  // holds part (shift - x) mod n that is row s + (n - p), so that one table serves all positions: position p
  // begins n - p rows in. Where all parts of all loops are equal, two rows, for the slices of a chunk, do.

  /// On the wire.
  std::vector<Slices> slices_of_parts(const LoopRun& run) const {
    std::vector<Slices> slices(plan_.table.chunks_per_loop);
    for (std::uint32_t j = 0; j < slices.size(); ++j) {
      slices[j] = plan_.slices(run.chunk_bytes(j));
      for (std::uint64_t& slice : slices[j]) slice = wire_bytes(execution_.protocol, slice);
    }
    return slices;
  }

  static bool all_equal(const std::vector<Slices>& slices) {
    return std::ranges::adjacent_find(slices, std::ranges::not_equal_to{}) == slices.end();
  }

  ChannelLists lists_of(const std::vector<LoopRun>& runs) {
    std::vector<std::vector<Slices>> parts;
    for (const LoopRun& run : runs) parts.push_back(slices_of_parts(run));
    const bool equal = std::ranges::all_of(parts, all_equal);
    const std::uint32_t n = execution_.ranks(), steps = plan_.sequence.steps();
    const std::uint32_t rows_of_run = equal ? 1 : n + steps;
    std::vector<std::uint64_t> sizes;
    for (const auto& of_run : parts)
      for (std::uint32_t x = 0; x < rows_of_run; ++x) {
        // All blocks of AllGather and ReduceScatter are cut alike: one entry stands for them.
        const std::size_t part =
            of_run.size() == 1 ? 0 : (plan_.sequence.shift + 2 * std::size_t{n} + n - x % n) % n;
        sizes.insert(sizes.end(), of_run[part].begin(), of_run[part].begin() + plan_.slices_per_chunk);
      }
    ChannelLists lists;
    lists.per_position = equal ? 0 : plan_.slices_per_chunk;
    lists.first_size = builder_.sizes(sizes) + n * lists.per_position;
    OperationList block{{{launch()}, 1}}, in_place = block, proxy;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto first = static_cast<std::uint32_t>(r) * rows_of_run * plan_.slices_per_chunk;
      add_loops(runs[r].loops, first, equal || all_equal(parts[r]), costs_.over_nvlink, block);
      add_loops(runs[r].loops, first, equal || all_equal(parts[r]), costs_.in_place, in_place);
      add_proxy_loops(runs[r].loops, first, equal || all_equal(parts[r]), proxy);
    }
    lists.over_nvlink = builder_.list(block);
    lists.in_place = builder_.list(in_place);
    lists.proxy = builder_.list(proxy);
    return lists;
  }

  /// One loop is runs of equal steps where its parts are equal; several loops are one body, written out.
  void add_loops(std::uint64_t loops, std::uint32_t first, bool equal,
                 const std::array<KindId, kPrimitives>& kinds, OperationList& list) const {
    CALIPER_CHECK(loops <= std::numeric_limits<std::uint32_t>::max());
    std::vector<Operation> loop;
    std::uint32_t step = 0;
    for (const PrimitiveRun& run : plan_.sequence.runs) {
      const auto kind = static_cast<std::uint16_t>(kinds[static_cast<std::size_t>(run.primitive)].v);
      const Port in = receives(run.primitive) ? kIn : kNoPort, out = sends(run.primitive) ? kOut : kNoPort;
      std::vector<Operation> body;
      const std::uint32_t written = equal && loops == 1 ? std::min(run.count, 1u) : run.count;
      for (std::uint32_t i = 0; i < written; ++i)
        for (std::uint32_t s = 0; s < plan_.slices_per_chunk; ++s)
          body.push_back({kind, in, out, first + (equal ? 0 : step + i) * plan_.slices_per_chunk + s});
      step += run.count;
      if (loops == 1)
        list.push_back({std::move(body), equal ? run.count : 1});
      else
        loop.insert(loop.end(), body.begin(), body.end());
    }
    if (loops > 1) list.push_back({std::move(loop), static_cast<std::uint32_t>(loops)});
  }

  /// The proxy passes on what the block sends.
  void add_proxy_loops(std::uint64_t loops, std::uint32_t first, bool equal, OperationList& list) const {
    OperationList block;
    add_loops(loops, first, equal, costs_.in_place, block);
    for (ListRepeat& repeat : block) {
      std::erase_if(repeat.body, [](const Operation& op) { return op.send == kNoPort; });
      for (Operation& op : repeat.body) op = {static_cast<std::uint16_t>(costs_.proxy.v), kIn, kOut, op.size};
      // Steps that a block does in unlike ways are all the same to the proxy.
      if (!list.empty() && list.back().body == repeat.body && !repeat.body.empty())
        list.back().times += repeat.times;
      else
        list.push_back(std::move(repeat));
    }
  }

  const Plan& plan_;
  const Execution& execution_;
  ProgramBuilder builder_;
  Fabric fabric_;
  ProgramCosts costs_;
  std::map<std::vector<LoopRun>, ChannelLists> lists_;  // by cut
};

}  // namespace

Program lower(const Plan& plan, const Machine& machine, const ParameterTable& table) {
  if (plan.execution->algorithm == Algorithm::tree) return lower_trees(plan, machine, table);
  return RingLowering(plan, machine, table).run();
}

}  // namespace caliper
