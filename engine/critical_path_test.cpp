#include "engine/critical_path.hpp"

#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "engine/flow_run.hpp"
#include "engine/program_builder.hpp"

using namespace caliper;

namespace {

/// Values of the parameters that the programs here are written in.
enum Name : ParameterIndex { overhead, per_byte, cap, capacity, other_capacity, flight, visible, kNames };
const std::vector<double> kValues = {0.75, 0.0625, 3, 8, 5, 1.25, 0.5};

Expression value_of(Name name) { return Expression::parameter(name); }

struct Walked {
  RunResult run;
  CriticalPath path;
  std::vector<double> derivative;  // [kNames]
  std::map<PathCost, double> seconds;
};

/// Runs the program, and checks that the parts follow one another from 0 to the end.
Walked walk(const Program& program, const std::vector<double>& values = kValues) {
  const std::vector<double> numbers = program.numbers(values);
  OperationTimes times;
  Walked walked{run_flow_level(program, numbers, &times), {}, {}, {}};
  REQUIRE(!walked.run.stuck);
  walked.path = critical_path(program, numbers, times);
  walked.derivative = derivative_by_parameter(program, values, walked.path);
  double sum = 0;
  for (const PathPart& part : walked.path.parts) {
    CHECK(part.begin == sum);
    CHECK(part.seconds > 0);
    CHECK(part.link.valid() == (part.cost == PathCost::link));
    sum += part.seconds;
    walked.seconds[part.cost] += part.seconds;
  }
  CHECK(sum == walked.run.seconds);
  CHECK(walked.path.seconds == walked.run.seconds);
  return walked;
}

/// A sender, a receiver, edges over one wire.
struct Measured {
  ProgramBuilder builder;
  KindId free_kind = builder.kind("free", 0.0, 0.0, kInfinite);
  KindId send = builder.kind("send", value_of(overhead), value_of(per_byte), kInfinite);
  KindId capped = builder.kind("capped", value_of(overhead), value_of(per_byte), value_of(cap));
  WorkerId sender = builder.worker(0, 0, "sender"), receiver = builder.worker(1, 0, "receiver");
  LinkId wire = builder.link("wire", "copper", value_of(capacity));

  EdgeId edge(std::uint32_t window, TransferMode mode) {
    return builder.edge(sender, receiver, window, value_of(visible), builder.route({wire}, value_of(flight)),
                        mode);
  }
  void slice(EdgeId edge, KindId sending, KindId receiving, std::uint64_t bytes) {
    builder.operation(sender, sending, kNoEdge, edge, bytes);
    builder.operation(receiver, receiving, edge, kNoEdge, bytes);
  }
};

}  // namespace

TEST_CASE("critical_path: one transfer is overhead, bytes of the cost, route, bytes over the link, edge") {
  Measured p;
  p.slice(p.edge(1, TransferMode::attached), p.send, p.free_kind, 40);
  const Program program = p.builder.build();
  const Walked w = walk(program);
  REQUIRE(w.path.parts.size() == 5);
  const std::vector<PathCost> order = {PathCost::overhead, PathCost::bytes, PathCost::route_latency,
                                       PathCost::link, PathCost::edge_latency};
  const std::vector<double> seconds = {0.75, 40 * 0.0625, 1.25, 40 / 8.0, 0.5};
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(w.path.parts[i].cost == order[i]);
    CHECK(w.path.parts[i].seconds == seconds[i]);
  }
  CHECK(program.class_of(w.path.parts[3].link) == "copper");
  CHECK(w.path.exact());
  CHECK(w.derivative == std::vector<double>{1, 40, 0, -40 / 64.0, 0, 1, 1});
}

TEST_CASE("critical_path: a cap below the link takes its place") {
  Measured p;
  p.slice(p.edge(1, TransferMode::attached), p.capped, p.free_kind, 30);
  const Walked w = walk(p.builder.build());
  CHECK(w.seconds.at(PathCost::rate_cap) == 10);
  CHECK(!w.seconds.contains(PathCost::link));
  CHECK(w.derivative[cap] == doctest::Approx(-30 / 9.0).epsilon(1e-15));
  CHECK(w.derivative[capacity] == 0);
}

TEST_CASE("critical_path: of a pipeline of two stages the slower one counts for each slice, the other once") {
  // Stage 1 takes `flight` = 1.25 s a slice, stage 2 takes `overhead` + 16 * `per_byte` = 1.75 s, or
  // `visible` = 0.5 s.
  for (const bool second_is_slow : {true, false}) {
    Measured p;
    const KindId one = p.builder.kind("one", value_of(flight), 0.0, kInfinite);
    const KindId fast = p.builder.kind("fast", value_of(visible), 0.0, kInfinite);
    const EdgeId edge = p.builder.edge(p.sender, p.receiver, 64, Expression(0.0));
    constexpr int kSlices = 20;
    for (int s = 0; s < kSlices; ++s) p.slice(edge, one, second_is_slow ? p.send : fast, 16);
    const Walked w = walk(p.builder.build());
    CHECK(w.path.exact());
    CHECK(w.derivative[flight] == (second_is_slow ? 1 : kSlices));
    CHECK(w.derivative[overhead] == (second_is_slow ? kSlices : 0));
    CHECK(w.derivative[per_byte] == (second_is_slow ? 16 * kSlices : 0));
    CHECK(w.derivative[visible] == (second_is_slow ? 0 : 1));
  }
}

TEST_CASE("critical_path: a window of one makes each slice wait for the release of the one before") {
  Measured p;
  const EdgeId edge = p.edge(1, TransferMode::detached);
  constexpr int kSlices = 7;
  for (int s = 0; s < kSlices; ++s) p.slice(edge, p.send, p.capped, 8);
  const Walked w = walk(p.builder.build());
  CHECK(w.path.exact());
  // Both ends pay their cost, and the way is paid, for each slice.
  CHECK(w.derivative[overhead] == 2 * kSlices);
  CHECK(w.derivative[per_byte] == 2 * 8 * kSlices);
  CHECK(w.derivative[flight] == kSlices);
  CHECK(w.derivative[visible] == kSlices);
  CHECK(w.seconds.at(PathCost::link) == kSlices * 8 / 8.0);
}

TEST_CASE("critical_path: on an ordered edge a transfer that waited goes on along the one before") {
  Measured p;
  const EdgeId edge = p.edge(64, TransferMode::detached_ordered);
  constexpr int kSlices = 9;  // cost 0.75 + 1 s, transfer 16 / 8 = 2 s
  for (int s = 0; s < kSlices; ++s) p.slice(edge, p.send, p.free_kind, 16);
  const Walked w = walk(p.builder.build());
  CHECK(w.path.exact());
  CHECK(w.run.seconds == 0.75 + 1 + 1.25 + kSlices * 2 + 0.5);
  CHECK(w.seconds.at(PathCost::link) == kSlices * 2);
  CHECK(w.derivative[overhead] == 1);
  CHECK(w.derivative[flight] == 1);
}

TEST_CASE("critical_path: transfers in step share a link and are exact; one that is left alone is not") {
  const auto shared = [](std::uint64_t first, std::uint64_t second) {
    ProgramBuilder b;
    const KindId free_kind = b.kind("free", 0.0, 0.0, kInfinite);
    const LinkId wire = b.link("wire", "copper", value_of(capacity));
    for (const std::uint64_t bytes : {first, second}) {
      const WorkerId from = b.worker(0, 0, "sender"), to = b.worker(1, 0, "receiver");
      const EdgeId edge =
          b.edge(from, to, 1, Expression(0.0), b.route({wire}, Expression(0.0)), TransferMode::attached);
      b.operation(from, free_kind, kNoEdge, edge, bytes);
      b.operation(to, free_kind, edge, kNoEdge, bytes);
    }
    return walk(b.build());
  };
  const Walked in_step = shared(40, 40);
  CHECK(in_step.run.seconds == 10);
  CHECK(in_step.path.exact());
  CHECK(in_step.derivative[capacity] == -10 / 8.0);

  const Walked alone_at_last = shared(40, 24);  // 6 s at 4, then 16 bytes at 8
  CHECK(alone_at_last.run.seconds == 8);
  CHECK(alone_at_last.path.approximate_seconds == 8);
  REQUIRE(alone_at_last.path.parts.size() == 2);
  CHECK(alone_at_last.path.parts[0].seconds == 6);
  CHECK(alone_at_last.path.parts[1].seconds == 2);
}

TEST_CASE("critical_path: a rate that is what others leave of a link is not exact; theirs is") {
  // Over the wire of 8: one capped at 3, which leaves 5 to the other.
  const auto bytes_of_last = [](std::uint64_t bytes_of_capped, std::uint64_t bytes) {
    ProgramBuilder b;
    const KindId free_kind = b.kind("free", 0.0, 0.0, kInfinite);
    const KindId capped = b.kind("capped", 0.0, 0.0, value_of(cap));
    const LinkId wire = b.link("wire", "copper", value_of(capacity));
    for (const bool is_capped : {true, false}) {
      const WorkerId from = b.worker(0, 0, "sender"), to = b.worker(1, 0, "receiver");
      const EdgeId edge =
          b.edge(from, to, 1, Expression(0.0), b.route({wire}, Expression(0.0)), TransferMode::attached);
      const std::uint64_t size = is_capped ? bytes_of_capped : bytes;
      b.operation(from, is_capped ? capped : free_kind, kNoEdge, edge, size);
      b.operation(to, free_kind, edge, kNoEdge, size);
    }
    return walk(b.build());
  };
  const Walked rest = bytes_of_last(30, 50);  // both 10 s: the capped one is the first
  CHECK(rest.run.seconds == 10);
  CHECK(rest.path.exact());
  CHECK(rest.seconds.at(PathCost::rate_cap) == 10);
  const Walked longer = bytes_of_last(33, 50 + 8 * 2);  // 11 s at 5, then alone
  CHECK(!longer.path.exact());
  CHECK(longer.path.parts.front().cost == PathCost::link);
}

TEST_CASE("critical_path: the sum is exact where no double leads from one time to the next") {
  // The overhead ends half an ulp of the end beside a multiple of it, and the end is odd.
  const double cost_overhead = 0x1p-51 + 0x1p-54, cost_bytes = 5;
  const double begin = 1 + cost_overhead, end = 1 + (cost_overhead + cost_bytes);
  for (const double step : {std::nextafter(end - begin, 0), end - begin, std::nextafter(end - begin, 9)})
    REQUIRE(begin + step != end);
  ProgramBuilder b;
  const WorkerId worker = b.worker(0, 0, "worker");
  b.operation(worker, b.kind("first", 1.0, 0.0, kInfinite), kNoEdge, kNoEdge, 0);
  b.operation(worker, b.kind("second", cost_overhead, cost_bytes, kInfinite), kNoEdge, kNoEdge, 1);
  const Walked w = walk(b.build());
  CHECK(w.run.seconds == end);
  REQUIRE(w.path.parts.size() == 4);
  CHECK(w.path.parts[3].begin == end / 2);
}

TEST_CASE("critical_path: a program that does nothing has no parts") {
  const Walked w = walk(ProgramBuilder().build());
  CHECK(w.path.seconds == 0);
  CHECK(w.path.parts.empty());
}
