#include "collectives/lowering.hpp"

#include <limits>

#include <fmt/format.h>

#include "topology/fabric.hpp"

namespace caliper {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Every cost of the program, resolved once.
struct Costs {
  KindId launch, proxy;
  std::array<KindId, kPrimitives> over_nvlink;  // [primitive]
  std::array<KindId, kPrimitives> in_place;     // [primitive]; for primitives that do not send the same
  Expression nvlink_latency, message_latency;

  Costs(const ParameterTable& table, ProgramBuilder& builder) {
    const auto parameter = [&](std::string_view id) { return Expression::parameter(table.index_of(id)); };
    const Expression overhead = parameter("gpu.slice_overhead");
    const Expression channel_rate = parameter("gpu.channel_rate");
    const Expression copy_rate = parameter("gpu.copy_rate");
    nvlink_latency = parameter("nvlink.latency");
    message_latency = parameter("net.message_latency");
    launch = builder.kind("launch", parameter("gpu.launch"), 0.0, kUnlimited);
    proxy = builder.kind("proxy send", parameter("net.send_delay"), 0.0, kUnlimited);
    for (std::uint32_t p = 0; p < kPrimitives; ++p) {
      const auto primitive = static_cast<Primitive>(p);
      const Expression cost = reduces(primitive) ? parameter("gpu.reduce_cost") : Expression(1.0);
      const std::string name(name_of(primitive));
      if (sends(primitive)) {
        over_nvlink[p] = builder.kind(name + " over nvlink", overhead, 0.0, channel_rate / cost);
        in_place[p] = builder.kind(name + " into fifo", overhead, cost / channel_rate, kUnlimited);
      } else {
        over_nvlink[p] = in_place[p] = builder.kind(name, overhead, cost / copy_rate, kUnlimited);
      }
    }
  }
};

/// How one rank sends on one channel.
struct Sender {
  WorkerId block;
  EdgeId receive;            // from the rank before, or from its proxy
  EdgeId send;               // to the next rank, or to the own proxy
  WorkerId proxy;            // invalid inside a node
  EdgeId network;            // from the proxy to the next rank
  bool over_nvlink = false;  // whether `send` has a route
};

class Lowering {
 public:
  Lowering(const Plan& plan, const Machine& machine, const ParameterTable& table)
      : plan_(plan),
        execution_(*plan.execution),
        fabric_(machine, table, builder_),
        costs_(table, builder_) {}

  Program run() {
    if (plan_.count > 0 && execution_.ranks() == 1) launch(builder_.worker(0, 0, "block"));
    for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel) {
      const std::vector<Sender> senders = connect(channel);
      for (std::uint32_t position = 0; position < senders.size(); ++position)
        fill(senders[position], position, plan_.table.channels[channel]);
    }
    return builder_.build();
  }

 private:
  void launch(WorkerId block) { builder_.operation(block, costs_.launch, {}, {}, 0); }

  /// Workers and edges of a channel, by ring position.
  std::vector<Sender> connect(std::uint32_t channel) {
    const ChannelRing& ring = execution_.rings[channel];
    const std::size_t n = ring.order.size();
    std::vector<Sender> senders(n);
    for (std::size_t k = 0; k < n; ++k) senders[k].block = builder_.worker(ring.order[k], channel, "block");
    std::size_t crossing = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t next = (k + 1) % n;
      const GpuAddress from = execution_.gpu_of_rank[ring.order[k]];
      const GpuAddress to = execution_.gpu_of_rank[ring.order[next]];
      if (from.node == to.node)
        connect_in_node(senders[k], senders[next], from, to);
      else
        connect_between_nodes(senders[k], senders[next], ring.crossings[crossing++], channel);
    }
    CALIPER_CHECK(crossing == ring.crossings.size());
    return senders;
  }

  void connect_in_node(Sender& sender, Sender& next, GpuAddress from, GpuAddress to) {
    sender.send = next.receive = builder_.edge(sender.block, next.block, plan_.window, costs_.nvlink_latency,
                                               fabric_.nvlink(from, to), TransferMode::attached);
    sender.over_nvlink = true;
  }

  void connect_between_nodes(Sender& sender, Sender& next, const NodeCrossing& crossing,
                             std::uint32_t channel) {
    const GpuAddress from = execution_.gpu_of_rank[crossing.from_rank];
    const GpuAddress to = execution_.gpu_of_rank[crossing.to_rank];
    sender.proxy = builder_.worker(crossing.from_rank, channel, "proxy");
    sender.over_nvlink = from != crossing.proxy_gpu;
    sender.send = sender.over_nvlink
                      ? builder_.edge(sender.block, sender.proxy, plan_.window, costs_.nvlink_latency,
                                      fabric_.nvlink(from, crossing.proxy_gpu), TransferMode::attached)
                      : builder_.edge(sender.block, sender.proxy, plan_.window, 0.0);
    sender.network = next.receive = builder_.edge(
        sender.proxy, next.block, plan_.window, costs_.message_latency,
        fabric_.network(crossing.proxy_gpu, crossing.out, crossing.in, to), TransferMode::detached_ordered);
  }

  void fill(const Sender& sender, std::uint32_t position, const std::vector<LoopRun>& runs) {
    launch(sender.block);
    for (const LoopRun& run : runs) {
      const auto slices = slices_of_parts(run);
      for (std::uint64_t loop = 0; loop < run.loops; ++loop) fill_loop(sender, position, slices);
    }
  }

  using Slices = std::array<std::uint64_t, kSlicesPerChunk>;

  std::vector<Slices> slices_of_parts(const LoopRun& run) const {
    std::vector<Slices> slices(plan_.table.chunks_per_loop);
    for (std::uint32_t j = 0; j < slices.size(); ++j)
      slices[j] = slices_of(run.chunk_bytes(j), execution_.element_bytes);
    return slices;
  }

  void fill_loop(const Sender& sender, std::uint32_t position, const std::vector<Slices>& slices) {
    std::uint32_t step = 0;
    for (const PrimitiveRun& run : plan_.sequence.runs) {
      const auto kinds = sender.over_nvlink ? costs_.over_nvlink : costs_.in_place;
      const KindId kind = kinds[static_cast<std::size_t>(run.primitive)];
      const EdgeId receive = receives(run.primitive) ? sender.receive : EdgeId{};
      const EdgeId send = sends(run.primitive) ? sender.send : EdgeId{};
      for (std::uint32_t i = 0; i < run.count; ++i, ++step) {
        // All blocks of AllGather and ReduceScatter are cut alike: one entry stands for them.
        const std::uint32_t part = slices.size() == 1 ? 0 : plan_.sequence.part(position, step);
        for (const std::uint64_t bytes : slices[part]) {
          builder_.operation(sender.block, kind, receive, send, bytes);
          if (send.valid() && sender.proxy.valid())
            builder_.operation(sender.proxy, costs_.proxy, sender.send, sender.network, bytes);
        }
      }
    }
  }

  const Plan& plan_;
  const Execution& execution_;
  ProgramBuilder builder_;
  Fabric fabric_;
  Costs costs_;
};

}  // namespace

Program lower(const Plan& plan, const Machine& machine, const ParameterTable& table) {
  return Lowering(plan, machine, table).run();
}

}  // namespace caliper
