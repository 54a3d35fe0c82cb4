#include "engine/flow_run.hpp"

#include <string>

#include <doctest/doctest.h>

#include "base/random.hpp"
#include "engine/program_builder.hpp"

using namespace caliper;

namespace {

RunResult run(const Program& program, OperationTimes* times = nullptr) {
  return run_flow_level(program, program.numbers({}), times);
}

/// A sender, a receiver, and one edge between them over links of the given capacities.
struct Connected {
  ProgramBuilder builder;
  KindId free_kind = builder.kind("free", 0.0, 0.0, kInfinite);
  WorkerId sender = builder.worker(0, 0, "sender"), receiver = builder.worker(1, 0, "receiver");

  EdgeId edge(std::uint32_t window, double route_latency, double edge_latency, TransferMode mode,
              double capacity) {
    const LinkId link = builder.link("wire", "wire", capacity);
    return builder.edge(sender, receiver, window, edge_latency, builder.route({link}, route_latency), mode);
  }
  void slices(EdgeId edge, KindId send, KindId receive, std::initializer_list<std::uint64_t> bytes) {
    for (const std::uint64_t b : bytes) {
      builder.operation(sender, send, kNoEdge, edge, b);
      builder.operation(receiver, receive, edge, kNoEdge, b);
    }
  }
};

}  // namespace

TEST_CASE("flow_run: one transfer takes overhead + route latency + bytes / rate + edge latency") {
  Connected p;
  const KindId send = p.builder.kind("send", 0.5, 0.25, kInfinite);
  p.slices(p.edge(1, 2, 4, TransferMode::attached, 10), send, p.free_kind, {100});
  const RunResult result = run(p.builder.build());
  CHECK(result.seconds == 0.5 + 100 * 0.25 + 2 + 100 / 10.0 + 4);
  CHECK(result.bytes == 100);
  CHECK(result.operations == 2);
}

TEST_CASE("flow_run: a cap below the link's rate is the rate; zero bytes cost latency alone") {
  Connected p;
  const KindId send = p.builder.kind("send", 0.0, 0.0, 4.0);
  p.slices(p.edge(8, 0, 1, TransferMode::attached, 10), send, p.free_kind, {40, 0});
  CHECK(run(p.builder.build()).seconds == 10 + 1);  // the empty one is posted when the first ends
}

TEST_CASE("flow_run: attached, ordered and shared transfers of one edge") {
  // Two slices of 10 bytes over 1 byte/s, no window in the way.
  const auto times_of = [](TransferMode mode) {
    Connected p;
    p.slices(p.edge(2, 3, 0, mode, 1), p.free_kind, p.free_kind, {10, 10});
    OperationTimes times;
    run(p.builder.build(), &times);
    return std::pair(times.done[0], times.done[1]);
  };
  // Attached: latency and transfer, twice. Ordered: the second latency hides behind the first transfer.
  CHECK(times_of(TransferMode::attached) == std::pair(13.0, 26.0));
  CHECK(times_of(TransferMode::detached_ordered) == std::pair(13.0, 23.0));
  CHECK(times_of(TransferMode::detached) == std::pair(23.0, 23.0));
}

TEST_CASE("flow_run: the window paces the sender by the receiver") {
  // The receiver needs 5 s a slice, the sender nothing: of N slices the last is begun when N - 1 are done.
  for (const std::uint32_t window : {1u, 2u, 4u, 8u}) {
    Connected p;
    const KindId slow = p.builder.kind("slow", 5.0, 0.0, kInfinite);
    const EdgeId edge = p.edge(window, 0, 0, TransferMode::attached, 1);
    const std::uint32_t slices = 10;
    for (std::uint32_t i = 0; i < slices; ++i) p.slices(edge, p.free_kind, slow, {1});
    OperationTimes times;
    const RunResult result = run(p.builder.build(), &times);
    // Window 1: each slice waits for the release of the one before it: (1 + 5) a slice. Else the receiver
    // never idles.
    CHECK(result.seconds == (window == 1 ? 6.0 * slices : 1 + 5.0 * slices));
    for (std::uint32_t i = window; i < slices; ++i)
      CHECK(times.begin[i] >= times.done[slices + i - window]);  // a credit is a released slice
  }
}

TEST_CASE("flow_run: a worker that waits for two senders and two receivers does both when all are there") {
  // Senders a and b, a worker that takes 2 for what needs both, receivers c and d, slow one; windows of one.
  ProgramBuilder builder;
  const auto worker = [&](std::uint32_t rank) { return builder.worker(rank, 0, "worker"); };
  const WorkerId a = worker(0), b = worker(1), middle = worker(2), c = worker(3), d = worker(4);
  const KindId free_kind = builder.kind("free", 0.0, 0.0, kInfinite);
  const auto taking = [&](double seconds) {
    return builder.kind(std::to_string(seconds), seconds, 0.0, kInfinite);
  };
  const auto edge = [&](WorkerId from, WorkerId to) { return builder.edge(from, to, 1, 0.0); };
  const EdgeId from_a = edge(a, middle), from_b = edge(b, middle), to_c = edge(middle, c),
               to_d = edge(middle, d);
  for (int slice = 0; slice < 3; ++slice) {
    builder.operation(a, taking(10), kNoEdge, from_a, 1);
    builder.operation(b, taking(3), kNoEdge, from_b, 2);
    builder.wait(middle, from_b);
    builder.wait(middle, to_d);
    builder.operation(middle, taking(2), from_a, to_c, 1);
    builder.operation(middle, free_kind, from_b, kNoEdge, 2);
    builder.operation(middle, free_kind, kNoEdge, to_d, 4);
    builder.operation(c, taking(1), to_c, kNoEdge, 1);
    builder.operation(d, taking(20), to_d, kNoEdge, 4);
  }
  OperationTimes times;
  const Program program = builder.build();
  const RunResult result = run(program, &times);
  REQUIRE(!result.stuck);
  // Slice 0: there at 10, done at 12; b's second slice begins at 12, when its first is given back, not at 3.
  // Slice 1: there at 22, but d is done with slice 0 at 32: 34. Slice 2: d is done with slice 1 at 54:
  // 56, 76.
  CHECK(result.seconds == 76);
  CHECK(result.bytes == 3 * (1 + 2 + 1 + 4));
  CHECK(result.slices == 3 * 4);
  CHECK(result.operations == 3 * 9);
  CHECK(times.begin[times.first[1] + 1] == 12);
  CHECK(times.begin[times.first[2] + 5 + 1] == 32);  // the wait for a credit of d
  CHECK(times.cause[times.first[2] + 5 + 1] == Cause::credit);
  CHECK(times.begin[times.first[2] + 5 + 2] == 32);  // and what had to wait with it
  CHECK(times.begin[times.first[3] + 1] == 34);
}

TEST_CASE("flow_run: a worker that waits for what never comes is stuck there") {
  ProgramBuilder builder;
  const WorkerId a = builder.worker(0, 0, "a"), b = builder.worker(1, 0, "b");
  const KindId free_kind = builder.kind("free", 0.0, 0.0, kInfinite);
  const EdgeId there = builder.edge(a, b, 1, 0.0), back = builder.edge(b, a, 1, 0.0);
  builder.wait(a, back);
  builder.operation(a, free_kind, kNoEdge, there, 1);
  builder.operation(a, free_kind, back, kNoEdge, 1);
  builder.operation(b, free_kind, there, kNoEdge, 1);
  builder.operation(b, free_kind, kNoEdge, back, 1);
  const RunResult result = run(builder.build());
  REQUIRE(result.stuck);
  CHECK(result.stuck->waits.size() == 2);
  CHECK(result.stuck->cycle.size() == 2);
}

TEST_CASE("flow_run: a transfer that joins later slows the other down from then on") {
  // 10 bytes at 1 byte/s alone until t = 4; then both at 1/2: the first has 6 left, ends at 16; the second
  // has then moved 6 of 10 and ends alone at 20.
  ProgramBuilder b;
  const LinkId wire = b.link("wire", "wire", 1.0);
  const RouteId route = b.route({wire}, 0.0);
  const KindId now = b.kind("now", 0.0, 0.0, kInfinite), later = b.kind("later", 4.0, 0.0, kInfinite);
  for (const KindId kind : {now, later}) {
    const WorkerId from = b.worker(0, kind.v, "from"), to = b.worker(1, kind.v, "to");
    const EdgeId edge = b.edge(from, to, 1, 0.0, route, TransferMode::attached);
    b.operation(from, kind, kNoEdge, edge, 10);
    b.operation(to, now, edge, kNoEdge, 10);
  }
  OperationTimes times;
  run(b.build(), &times);
  CHECK(times.done[0] == 16);
  CHECK(times.done[2] == 20);
}

TEST_CASE("flow_run: a circle of waits is reported, not returned as a time") {
  ProgramBuilder b;
  const KindId free = b.kind("free", 0.0, 0.0, kInfinite);
  const WorkerId w[] = {b.worker(0, 0, "block"), b.worker(1, 0, "block"), b.worker(2, 0, "block")};
  EdgeId ring[3];
  for (std::size_t i = 0; i < 3; ++i) ring[i] = b.edge(w[i], w[(i + 1) % 3], 1, 0.0);
  for (std::size_t i = 0; i < 3; ++i)
    b.operation(w[i], free, ring[(i + 2) % 3], ring[i], 1);  // all receive first
  const Program program = b.build();
  const RunResult result = run(program);
  REQUIRE(result.stuck);
  CHECK(result.stuck->cycle.size() == 3);
  const std::string text = result.stuck->describe(program);
  CHECK(
      text.find("rank 1 channel 0 block waits in operation 1 of 1 for the arrival of slice 1 from rank 0") !=
      std::string::npos);
}

TEST_CASE("flow_run: a window too small for the program is reported as waiting for a release") {
  // a sends two slices to b, which first wants a slice that a sends only behind them.
  ProgramBuilder b;
  const KindId free = b.kind("free", 0.0, 0.0, kInfinite);
  const WorkerId a = b.worker(0, 0, "block"), c = b.worker(1, 0, "block");
  const EdgeId narrow = b.edge(a, c, 1, 0.0), other = b.edge(a, c, 1, 0.0);
  b.operation(a, free, kNoEdge, narrow, 1);
  b.operation(a, free, kNoEdge, narrow, 1);
  b.operation(a, free, kNoEdge, other, 1);
  b.operation(c, free, other, kNoEdge, 1);
  b.operation(c, free, narrow, kNoEdge, 1);
  b.operation(c, free, narrow, kNoEdge, 1);
  const Program program = b.build();
  const RunResult result = run(program);
  REQUIRE(result.stuck);
  CHECK(result.stuck->cycle.size() == 2);
  CHECK(result.stuck->describe(program).find("for the release of slice 1 by rank 1") != std::string::npos);
}

namespace {

/// A ring of `n` workers, each passing `steps` slices on, over shared links of random capacity.
Program random_ring(std::uint64_t seed) {
  ProgramBuilder b;
  const auto n = static_cast<std::uint32_t>(2 + hash64(seed, 0, 0) % 9);
  const auto steps = static_cast<std::uint32_t>(1 + hash64(seed, 0, 1) % 12);
  std::vector<LinkId> links;
  for (std::uint32_t l = 0; l < 4; ++l)
    links.push_back(b.link("l", "l", static_cast<double>(1 + hash64(seed, 1, l) % 9)));
  std::vector<WorkerId> workers;
  for (std::uint32_t i = 0; i < n; ++i) workers.push_back(b.worker(i, 0, "w"));
  std::vector<EdgeId> edges;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto h = hash64(seed, 2, i);
    edges.push_back(
        b.edge(workers[i], workers[(i + 1) % n], static_cast<std::uint32_t>(2 + h % 3),
               static_cast<double>(h / 4 % 3),
               b.route({links[h / 16 % 2], links[2 + h / 64 % 2]}, static_cast<double>(h / 256 % 2)),
               static_cast<TransferMode>(h / 1024 % 3)));
  }
  const KindId kind = b.kind("k", 0.125, 0.0625, 3.0);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t s = 0; s <= steps; ++s)
      b.operation(workers[i], kind, s > 0 ? edges[(i + n - 1) % n] : kNoEdge, s < steps ? edges[i] : kNoEdge,
                  16);
  return b.build();
}

}  // namespace

TEST_CASE("flow_run: a ring whose windows are all 1 is stuck: each waits for its own slice to be released") {
  ProgramBuilder b;
  const KindId free = b.kind("free", 0.0, 0.0, kInfinite);
  std::vector<WorkerId> w;
  std::vector<EdgeId> ring;
  for (std::uint32_t i = 0; i < 5; ++i) w.push_back(b.worker(i, 0, "block"));
  for (std::uint32_t i = 0; i < 5; ++i) ring.push_back(b.edge(w[i], w[(i + 1) % 5], 1, 0.0));
  for (std::uint32_t i = 0; i < 5; ++i)
    for (std::uint32_t s = 0; s <= 2; ++s)
      b.operation(w[i], free, s > 0 ? ring[(i + 4) % 5] : kNoEdge, s < 2 ? ring[i] : kNoEdge, 1);
  const RunResult result = run(b.build());
  REQUIRE(result.stuck);
  CHECK(result.stuck->cycle.size() == 5);
}

TEST_CASE("flow_run: random rings with room for two slices end, deliver everything and repeat bit for bit") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = random_ring(seed);
    OperationTimes times;
    const RunResult result = run(program, &times);
    REQUIRE(!result.stuck);
    CHECK(run(program).seconds == result.seconds);
    for (std::size_t op = 0; op < program.operation_count(); ++op) {
      CHECK(times.begin[op] <= times.cost_end[op]);
      CHECK(times.cost_end[op] <= times.done[op]);
    }
  }
}

TEST_CASE("expression: algebra, value and derivative") {
  const Expression a = Expression::parameter(0), b = Expression::parameter(1);
  const std::vector<double> at = {3, 4};
  const Expression e = 2.0 * a / b + 5.0 + a * a;  // 2*3/4 + 5 + 9
  CHECK(e.evaluate(at) == 15.5);
  CHECK(e.derivative(at, 0) == doctest::Approx(2 / 4.0 + 6));
  CHECK(e.derivative(at, 1) == doctest::Approx(-2 * 3 / 16.0));
  CHECK(a * b / a == b);
  CHECK(Expression(0.0).evaluate(at) == 0);
}
