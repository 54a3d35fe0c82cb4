#include "tests/support/ring_work.hpp"

#include <numeric>

#include <fmt/format.h>

#include "collectives/derivation.hpp"
#include "collectives/parameters.hpp"
#include "topology/fabric.hpp"
#include "topology/parameters.hpp"

namespace caliper::testing {
namespace {

constexpr std::uint32_t kGpus = 4, kNodesPerLeaf = 4;
constexpr double kLatency = 1e-6, kRate = 25e9, kNvlinkRate = 100e9;

Machine machine_of(const RingWork& work) {
  const std::uint32_t nodes = work.ranks / kGpus;
  SystemSpec spec;
  spec.name = "ring work";
  spec.node.gpus = kGpus;
  spec.node.compute_capability = 80;
  spec.node.nvlinks_per_pair = 1;
  spec.node.nvlink_rate = kNvlinkRate;
  spec.node.nics = kGpus;
  spec.node.nic_rate = kRate;
  spec.node.nic_of_gpu = {0, 1, 2, 3};
  spec.node.pcie_rate = 1e15;  // a GPU's NIC is its own: the bus never limits
  spec.fabric = {.leaves_per_group = (nodes + kNodesPerLeaf - 1) / kNodesPerLeaf,
                 .spines_per_group = work.spines,
                 .nodes_per_leaf = kNodesPerLeaf,
                 .links_per_leaf_spine = 1,
                 .leaf_spine_rate = kRate,
                 .links_per_group_pair = 1,
                 .global_rate = kRate};
  spec.group_nodes = {fmt::format("n[0-{}]", nodes - 1)};
  auto machine = Machine::build(spec);
  CALIPER_CHECK(machine);
  return *std::move(machine);
}

/// Fisher-Yates with a 64-bit linear congruential generator.
std::vector<std::uint32_t> node_order(const RingWork& work) {
  std::vector<std::uint32_t> order(work.ranks / kGpus);
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t x = work.shuffle;
  for (std::size_t i = order.size(); work.shuffle && i-- > 1;) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[i], order[(x >> 33) % (i + 1)]);
  }
  return order;
}

Execution execution_of(const RingWork& work, const Machine& machine) {
  std::vector<GpuAddress> gpus;
  for (const std::uint32_t node : node_order(work))
    for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) gpus.push_back({node, gpu});
  auto execution = derive_execution(machine, gpus, Collective::all_reduce, PartitionFamily::c, 4,
                                    work.channels, NicLayout::oracle);
  CALIPER_CHECK(execution);
  if (machine.nodes() ==
      1)  // inside one node NCCL's rings differ from channel to channel; here only by their start
    for (std::uint32_t c = 0; c < work.channels; ++c) execution->rings[c].order = {0, 1, 2, 3};
  return *std::move(execution);
}

/// One ring: a sender and a receiver per position. The receiver takes a message as soon as it has arrived,
/// which frees the window, and tells its sender.
void add_ring(ProgramBuilder& builder, Fabric& fabric, const Execution& execution, std::uint32_t channel,
              const RingWork& work, const std::vector<std::uint64_t>& chunks) {
  const auto& order = execution.rings[channel].order;
  const auto n = static_cast<std::uint32_t>(order.size());
  const auto pieces = static_cast<std::uint32_t>(chunks.size());
  const KindId free = builder.kind("free", 0.0, 0.0, kInfinite);
  const std::uint32_t messages = 2 * (n - 1) * pieces;
  // Chunk j of a step waits for chunk j of the step before; nothing waits for the last step.
  const auto body = [&](Port receive, Port send) {
    std::vector<Operation> operations;
    for (std::uint32_t j = 0; j < pieces; ++j)
      operations.push_back({static_cast<std::uint16_t>(free.v), receive, send, j});
    return operations;
  };
  constexpr Port kTold = 0, kWire = 1;
  const std::uint32_t steps = 2 * (n - 1), sizes = builder.sizes(chunks);
  const ListId sends = builder.list({{body(kNoPort, kWire), 1}, {body(kTold, kWire), steps - 1}});
  const ListId receives = builder.list({{body(kWire, kTold), steps - 1}, {body(kWire, kNoPort), 1}});
  std::vector<WorkerId> senders, receivers;
  for (const std::uint32_t rank : order) {
    senders.push_back(builder.worker(rank, channel, "sender", sends, sizes));
    receivers.push_back(builder.worker(rank, channel, "receiver", receives, sizes));
  }
  std::vector<EdgeId> wires(n), told(n);  // by receiving position
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    const GpuAddress from = execution.gpu_of_rank[order[i]], to = execution.gpu_of_rank[order[next]];
    const bool inside = from.node == to.node;
    const RouteId route =
        inside ? fabric.nvlink(from, to) : fabric.network(from, {from.node, from.gpu}, {to.node, to.gpu}, to);
    wires[next] = builder.edge(senders[i], receivers[next], work.window, inside ? kLatency : 0.0, route,
                               TransferMode::detached);
    told[next] = builder.edge(receivers[next], senders[next], messages, 0.0);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    builder.connect(senders[i], kTold, told[i]);
    builder.connect(senders[i], kWire, wires[(i + 1) % n]);
    builder.connect(receivers[i], kTold, told[i]);
    builder.connect(receivers[i], kWire, wires[i]);
  }
}

}  // namespace

RingProgram build_ring_work(const RingWork& work) {
  const Machine machine = machine_of(work);
  const Execution execution = execution_of(work, machine);
  std::vector<AuxiliaryParameter> rows = collectives_parameters();
  for (AuxiliaryParameter& row : topology_parameters()) rows.push_back(std::move(row));
  const ParameterTable table(rows, {});
  std::vector<double> parameters = table.defaults();
  for (const char* id : {"nvlink.efficiency", "net.efficiency", "net.duplex"})
    parameters[table.index_of(id)] = 1;
  parameters[table.index_of("net.hop_latency")] = kLatency;

  const std::uint64_t per_channel = (work.bytes + work.channels - 1) / work.channels;
  const std::uint64_t per_step = (per_channel + work.ranks - 1) / work.ranks;
  const std::uint64_t pieces = work.chunk ? (per_step + work.chunk - 1) / work.chunk : 1;
  std::vector<std::uint64_t> chunks;
  for (std::uint64_t j = 0; j < pieces; ++j) chunks.push_back(per_step / pieces + (j < per_step % pieces));

  ProgramBuilder builder;
  Fabric fabric(machine, table, builder);
  for (std::uint32_t c = 0; c < work.channels; ++c) add_ring(builder, fabric, execution, c, work, chunks);
  RingProgram result{builder.build(), {}, 0};
  result.numbers = result.program.numbers(parameters);
  result.messages = std::uint64_t{work.channels} * work.ranks * 2 * (work.ranks - 1) * pieces;
  return result;
}

}  // namespace caliper::testing
