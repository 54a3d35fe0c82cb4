// How much work the engine does a second, on one core: messages of W(n, S, C) and slices of NCCL's own plans.
#include <benchmark/benchmark.h>

#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/parameters.hpp"
#include "engine/flow_run.hpp"
#include "tests/support/ring_work.hpp"
#include "topology/parameters.hpp"

namespace {

using namespace caliper;

/// n GPUs, C channels: one message a step, window 1.
void ring_work(benchmark::State& state) {
  const auto ring =
      caliper::testing::build_ring_work({.ranks = static_cast<std::uint32_t>(state.range(0)),
                                         .bytes = 16 << 20,
                                         .channels = static_cast<std::uint32_t>(state.range(1))});
  std::uint64_t events = 0;
  for (auto _ : state) events += run_flow_level(ring.program, ring.numbers).events;
  const auto runs = static_cast<double>(state.iterations());
  state.counters["messages/s"] =
      benchmark::Counter(static_cast<double>(ring.messages) * runs, benchmark::Counter::kIsRate);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(ring_work)->Args({64, 8})->Args({256, 1})->Args({1024, 1})->Unit(benchmark::kMillisecond);

Machine sixteen_nodes() {
  SystemSpec spec;
  spec.name = "sixteen nodes";
  spec.node = {.gpu_model = "A100",
               .compute_capability = 80,
               .gpus = 4,
               .nvlinks_per_pair = 4,
               .nvlinks = {},
               .nvlink_rate = 25e9,
               .nics = 4,
               .nic_rate = 25e9,
               .nic_of_gpu = {0, 1, 2, 3},
               .pcie_rate = 32e9};
  spec.fabric = {.leaves_per_group = 4,
                 .spines_per_group = 10,
                 .nodes_per_leaf = 5,
                 .links_per_leaf_spine = 2,
                 .leaf_spine_rate = 25e9,
                 .links_per_group_pair = 10,
                 .global_rate = 25e9};
  spec.group_nodes = {"n[00-15]"};
  auto machine = Machine::build(spec);
  CALIPER_CHECK(machine);
  return *std::move(machine);
}

/// Ring/Simple AllReduce over 64 GPUs as NCCL slices it, with the default parameters.
void nccl_all_reduce(benchmark::State& state) {
  const Machine machine = sixteen_nodes();
  std::vector<GpuAddress> gpus;
  for (std::uint32_t node = 0; node < 16; ++node)
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) gpus.push_back({node, gpu});
  const auto execution = derive_execution(machine, gpus, Collective::all_reduce, PartitionFamily::c, 4);
  CALIPER_CHECK(execution);
  std::vector<AuxiliaryParameter> rows = collectives_parameters();
  for (AuxiliaryParameter& row : topology_parameters()) rows.push_back(std::move(row));
  const ParameterTable table(rows, {});
  const Program program =
      lower(make_plan(*execution, static_cast<std::uint64_t>(state.range(0)) << 20), machine, table);
  const std::vector<double> numbers = program.numbers(table.defaults());
  std::uint64_t slices = 0, events = 0;
  for (auto _ : state) {
    const RunResult result = run_flow_level(program, numbers);
    slices += result.slices;
    events += result.events;
  }
  state.counters["slices/s"] = benchmark::Counter(static_cast<double>(slices), benchmark::Counter::kIsRate);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(nccl_all_reduce)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
