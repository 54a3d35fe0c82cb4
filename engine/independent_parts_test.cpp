#include "engine/independent_parts.hpp"

#include <doctest/doctest.h>

#include "engine/flow_run.hpp"
#include "engine/program_builder.hpp"

using namespace caliper;

namespace {

/// `pairs` of a sender and a receiver, pair i sending i + 1 slices of 8 bytes over its own link, or over one
/// link of all.
Program pairs(std::uint32_t count, bool shared) {
  ProgramBuilder b;
  const LinkId common = b.link("common", "link", 8);
  const KindId kind = b.kind("move", 0.25, 0.0, kInfinite);
  const auto op = static_cast<std::uint16_t>(kind.v);
  const std::uint32_t sizes = b.sizes({8});
  for (std::uint32_t i = 0; i < count; ++i) {
    const LinkId link = shared ? common : b.link("own", "link", 8);
    const WorkerId from = b.worker(2 * i, 0, "sender", b.list({{{{op, kNoPort, 0, 0}}, i + 1}}), sizes);
    const WorkerId to = b.worker(2 * i + 1, 0, "receiver", b.list({{{{op, 0, kNoPort, 0}}, i + 1}}), sizes);
    const EdgeId edge = b.edge(from, to, 2, 0.0, b.route({link}, 0.0), TransferMode::attached);
    b.connect(from, 0, edge);
    b.connect(to, 0, edge);
  }
  return b.build();
}

EdgeRun edge_between(std::uint32_t from, std::uint32_t to) {
  EdgeRun edge;
  edge.from = from;
  edge.to = to;
  return edge;
}

}  // namespace

TEST_CASE("independent parts: workers by edges, edges by links, in the order of first workers") {
  // Slots 0 and 2 cross link 0, slot 1 link 1: edges 0 and 2 share, edge 1 stands alone.
  const SharingProblem problem{{1, 1}, {0, 1, 2, 3}, {0, 1, 0}, {1, 1, 1}, {1, 1, 1}};
  const Sharing sharing(problem, {1.0});
  const std::vector<EdgeRun> edges{edge_between(0, 4), edge_between(1, 3), edge_between(2, 5)};
  const std::vector<SharedEdge> shared{{.edge = 0, .first_slot = 0, .slots = 1},
                                       {.edge = 2, .first_slot = 2, .slots = 1}};
  const auto parts = independent_parts(7, edges, shared, sharing);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].workers == std::vector<std::uint32_t>{0, 2, 4, 5});
  CHECK(parts[0].edges == std::vector<std::uint32_t>{0, 2});
  CHECK(parts[0].shared == std::vector<std::uint32_t>{0, 1});
  CHECK(parts[1].workers == std::vector<std::uint32_t>{1, 3});
  CHECK(parts[1].shared.empty());
  CHECK(parts[2].workers == std::vector<std::uint32_t>{6});
}

TEST_CASE("independent parts: a run takes as long as its longest part, and does the work of all") {
  // A sender's slice costs 0.25 s and moves for 1 s; the receiver ends 0.25 s after the last one.
  for (std::uint32_t count = 1; count < 8; ++count) {
    const Program program = pairs(count, false);
    const RunResult run = run_flow_level(program, program.numbers({}));
    CHECK(run.seconds == 1.25 * count + 0.25);
    CHECK(run.operations == std::uint64_t{count} * (count + 1));
    CHECK(!run.stuck);
  }
  const Program program = pairs(2, true);  // one link for both: a slice each at half the rate, then one alone
  CHECK(run_flow_level(program, program.numbers({})).seconds == 0.25 + 2 + 0.25 + 1 + 0.25);
}
