// https://github.com/simgrid/simgrid/issues/219: a model of cross traffic took a share of the rate from a
// flow that had its link to itself.
#include <doctest/doctest.h>

#include "engine/flow_run.hpp"
#include "engine/program_builder.hpp"

using namespace caliper;

namespace {

/// A flow of 1000 bytes over a duplex wire of 10 bytes/s each way, whose two directions share `joint`; with
/// `answer`, as much comes back at once. Seconds of the whole.
double duplex_run(double joint, bool answer) {
  ProgramBuilder builder;
  const KindId free_kind = builder.kind("free", 0.0, 0.0, kInfinite);
  const LinkId there = builder.link("there", "wire", 10.0), back = builder.link("back", "wire", 10.0),
               both = builder.link("both", "wire", joint, true);
  for (const LinkId way : {there, back}) {
    if (way == back && !answer) continue;
    const WorkerId sender = builder.worker(0, way.v, "sender"),
                   receiver = builder.worker(1, way.v, "receiver");
    const EdgeId edge =
        builder.edge(sender, receiver, 1, 0.0, builder.route({way, both}, 0.0), TransferMode::attached);
    builder.operation(sender, free_kind, EdgeId{}, edge, 1000);
    builder.operation(receiver, free_kind, edge, EdgeId{}, 1000);
  }
  const Program program = builder.build();
  return run_flow_level(program, program.numbers({}), nullptr).seconds;
}

}  // namespace

TEST_CASE("issue simgrid 219: a flow alone has its whole link, whatever two directions would share") {
  for (const double joint : {10.0, 14.0, 20.0}) {
    CHECK(duplex_run(joint, false) == 100);
    CHECK(duplex_run(joint, true) == doctest::Approx(2000 / joint).epsilon(1e-15));
  }
}
