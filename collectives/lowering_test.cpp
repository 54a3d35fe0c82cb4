#include "collectives/lowering.hpp"

#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "collectives/derivation.hpp"
#include "collectives/proof.hpp"
#include "collectives/test_machine.hpp"

using namespace caliper;

namespace {

Execution derived(const Machine& machine, std::vector<GpuAddress> gpus, Collective collective,
                  std::optional<std::uint32_t> channels, NicLayout layout = NicLayout::pxn) {
  auto execution =
      derive_execution(machine, std::move(gpus), collective, PartitionFamily::c, 4, channels, layout);
  REQUIRE(execution);
  return *std::move(execution);
}

/// Operations by the role of their worker.
std::map<std::string, std::uint64_t> operations_by_role(const Program& program) {
  std::map<std::string, std::uint64_t> all;
  for (std::size_t w = 0; w < program.workers.size(); ++w)
    all[program.roles[program.workers[w].role]] += program.operations_of(program.workers[w]);
  return all;
}

std::vector<UnrolledOperation> unrolled(const Program& program) {
  std::vector<UnrolledOperation> all;
  for (std::uint32_t w = 0; w < program.workers.size(); ++w) {
    const auto mine = program.unroll({w});
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

std::map<std::string, std::uint64_t> operations_by_kind(const Program& program) {
  std::map<std::string, std::uint64_t> all;
  for (const UnrolledOperation& op : unrolled(program)) ++all[program.kinds[op.kind.v].name];
  return all;
}

const CostKind& kind_named(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.kinds, name, &CostKind::name);
  REQUIRE(found != program.kinds.end());
  return *found;
}

/// Bytes and slices that were sent on each edge are those received.
void check_edges(const Program& program) {
  std::vector<std::vector<std::uint64_t>> sent(program.edges.size()), received(program.edges.size());
  for (const UnrolledOperation& op : unrolled(program)) {
    if (op.send.valid()) sent[op.send.v].push_back(op.bytes);
    if (op.receive.valid()) received[op.receive.v].push_back(op.bytes);
  }
  for (std::size_t edge = 0; edge < program.edges.size(); ++edge) {
    CHECK(sent[edge] == received[edge]);
    CHECK_FALSE(sent[edge].empty());
    CHECK(program.edges[edge].window == 4);
  }
}

}  // namespace

TEST_CASE("lowering: one node: a launch and 2 slices of 2n-1 primitives a loop for each block") {
  const Machine machine = a100_machine(1);
  const std::uint32_t n = 4, channels = 2, loops = 2;
  const Execution execution = derived(machine, node_major(1, n), Collective::all_reduce, channels);
  const Plan plan = make_plan(execution, std::uint64_t{channels} * loops * n * (2u << 20));
  REQUIRE_FALSE(prove(plan));
  const Program program = lower(plan, machine, full_table());
  CHECK(program.workers.size() == n * channels);
  CHECK(program.edges.size() == n * channels);
  CHECK(operations_by_role(program)["block"] == n * channels * (1 + (2 * n - 1) * 2 * loops));
  CHECK(program.operation_count() == operation_count(plan));
  const auto kinds = operations_by_kind(program);
  const std::uint64_t each = n * channels * loops * 2;
  CHECK(kinds.at("launch") == n * channels);
  CHECK(kinds.at("send over nvlink") == each);
  CHECK(kinds.at("receive-reduce-send over nvlink") == each * (n - 2));
  CHECK(kinds.at("receive-reduce-copy-send over nvlink") == each);
  CHECK(kinds.at("receive-copy-send over nvlink") == each * (n - 2));
  CHECK(kinds.at("receive") == each);
  check_edges(program);
  for (const ProgramEdge& edge : program.edges) {
    CHECK(edge.route.valid());
    CHECK(edge.mode == TransferMode::attached);
  }
}

TEST_CASE("lowering: AllGather and ReduceScatter have n primitives, n-1 of them send") {
  const Machine machine = a100_machine(1);
  for (const auto collective : {Collective::all_gather, Collective::reduce_scatter}) {
    const Execution execution = derived(machine, node_major(1, 4), collective, 1);
    const Program program = lower(make_plan(execution, 3u << 20), machine, full_table());
    CHECK(program.operation_count() == 4 * (1 + 4 * 2));
    const auto kinds = operations_by_kind(program);
    const bool gather = collective == Collective::all_gather;
    CHECK(kinds.at("send over nvlink") == 8);
    CHECK(kinds.at(gather ? "receive-copy-send over nvlink" : "receive-reduce-send over nvlink") == 16);
    CHECK(kinds.at(gather ? "receive" : "receive-reduce-copy") == 8);
    check_edges(program);
  }
}

TEST_CASE("lowering: between nodes a proxy for each crossing; with PXN the hand-over goes over NVLink") {
  const Machine machine = a100_machine(2);
  const std::uint32_t n = 8;
  for (const auto layout : {NicLayout::pxn, NicLayout::pairs}) {
    const Execution execution = derived(machine, node_major(2, 4), Collective::all_reduce, 4, layout);
    const Plan plan = make_plan(execution, 4u << 20);
    REQUIRE(plan.channels() == 4);
    const Program program = lower(plan, machine, full_table());
    const auto roles = operations_by_role(program);
    CHECK(roles.at("block") == n * 4 * (1 + (2 * n - 1) * 2));
    CHECK(roles.at("proxy") == 2 * 4 * 2 * (n - 1) * 2);
    CHECK(program.operation_count() == operation_count(plan));
    check_edges(program);
    std::uint32_t network = 0, over_nvlink = 0, in_place = 0;
    for (const ProgramEdge& edge : program.edges) {
      const bool from_proxy = program.roles[program.workers[edge.from.v].role] == "proxy";
      const bool to_proxy = program.roles[program.workers[edge.to.v].role] == "proxy";
      if (from_proxy) {
        ++network;
        CHECK(edge.route.valid());
        CHECK(edge.mode == TransferMode::detached_ordered);
      } else if (to_proxy) {
        ++(edge.route.valid() ? over_nvlink : in_place);
      }
    }
    CHECK(network == 8);
    CHECK(over_nvlink == (layout == NicLayout::pxn ? 8 : 0));
    CHECK(in_place == (layout == NicLayout::pxn ? 0 : 8));
  }
}

TEST_CASE("lowering: bytes of all sends to other ranks are those of the plan, empty slices are there too") {
  const Machine machine = a100_machine(2);
  for (const auto layout : {NicLayout::pxn, NicLayout::oracle}) {
    const Execution execution = derived(machine, node_major(2, 4), Collective::all_reduce, {}, layout);
    for (const std::uint64_t bytes : {4ull, 1000ull, 1ull << 20, 100'000'004ull}) {
      const Plan plan = make_plan(execution, bytes);
      const Program program = lower(plan, machine, full_table());
      std::uint64_t sent = 0, empty = 0;
      for (const UnrolledOperation& op : unrolled(program)) {
        if (!op.send.valid()) continue;
        // A hand-over to a proxy is not counted, its network send is.
        const WorkerId to = program.edges[op.send.v].to;
        if (program.roles[program.workers[to.v].role] == "proxy") continue;
        sent += op.bytes;
        empty += op.bytes == 0;
      }
      CHECK(sent == bytes_sent(plan));
      CHECK(sent == 2 * 7 * plan.buffer_bytes());
      if (bytes <= 1000) CHECK(empty > 0);
    }
  }
}

TEST_CASE("lowering: what a slice costs") {
  const Machine machine = a100_machine(2);
  const ParameterTable table = full_table();
  std::vector<double> values = table.defaults();
  values[table.index_of("gpu.reduce_cost")] = 1.5;
  const double rate = values[table.index_of("gpu.channel_rate")],
               copy = values[table.index_of("gpu.copy_rate")];
  const auto check = [&](const Program& program, std::string_view name, double per_byte, double cap) {
    const CostKind& kind = kind_named(program, name);
    const auto value = [&](ExpressionId id) { return program.expressions[id.v].evaluate(values); };
    CHECK(value(kind.overhead) == values[table.index_of("gpu.slice_overhead")]);
    CHECK(value(kind.seconds_per_byte) == doctest::Approx(per_byte));
    if (std::isinf(cap))
      CHECK(std::isinf(value(kind.rate_cap)));
    else
      CHECK(value(kind.rate_cap) == doctest::Approx(cap));
  };
  const double none = std::numeric_limits<double>::infinity();
  const Execution execution =
      derived(machine, node_major(2, 4), Collective::reduce_scatter, {}, NicLayout::oracle);
  const Program program = lower(make_plan(execution, 64u << 20), machine, table);
  check(program, "send over nvlink", 0, rate);
  check(program, "receive-reduce-send over nvlink", 0, rate / 1.5);
  check(program, "receive-copy-send over nvlink", 0, rate);
  check(program, "send into fifo", 1 / rate, none);
  check(program, "receive-reduce-send into fifo", 1.5 / rate, none);
  check(program, "receive", 1 / copy, none);
  check(program, "receive-reduce-copy", 1.5 / copy, none);
  const CostKind& proxy = kind_named(program, "proxy send");
  CHECK(program.expressions[proxy.overhead.v].evaluate(values) == values[table.index_of("net.send_delay")]);
  const CostKind& launch = kind_named(program, "launch");
  CHECK(program.expressions[launch.overhead.v].evaluate(values) == values[table.index_of("gpu.launch")]);
}

TEST_CASE("lowering: nothing for an empty message, a launch alone for a single rank") {
  const Machine machine = a100_machine(1);
  const Execution four = derived(machine, node_major(1, 4), Collective::all_reduce, {});
  CHECK(lower(make_plan(four, 0), machine, full_table()).operation_count() == 0);
  CHECK(lower(make_plan(four, 3), machine, full_table()).operation_count() == 0);
  const Execution one = derived(machine, node_major(1, 1), Collective::all_reduce, {});
  const Program program = lower(make_plan(one, 1u << 20), machine, full_table());
  REQUIRE(program.operation_count() == 1);
  CHECK(program.kinds[unrolled(program)[0].kind.v].name == "launch");
  CHECK(lower(make_plan(one, 0), machine, full_table()).operation_count() == 0);
}

TEST_CASE("lowering: the same plan gives the same program") {
  const Machine machine = a100_machine(2);
  const Execution execution = derived(machine, node_major(2, 4), Collective::all_gather, {});
  const auto hash = [&](std::uint64_t bytes) {
    return lower(make_plan(execution, bytes), machine, full_table()).hash();
  };
  CHECK(hash(1u << 20) == hash(1u << 20));
  CHECK(hash(1u << 20) != hash((1u << 20) + 32));
}
