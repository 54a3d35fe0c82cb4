// https://github.com/simgrid/simgrid/issues/122: above a cap of 100, tasks on one resource were lost.
#include <doctest/doctest.h>

#include "engine/flow_run.hpp"
#include "engine/program_builder.hpp"

using namespace caliper;

TEST_CASE("issue simgrid 122: of 1, 100, 101 and 10,000 flows on one link none is lost") {
  for (const std::uint32_t flows : {1u, 100u, 101u, 10'000u}) {
    ProgramBuilder builder;
    const KindId free_kind = builder.kind("free", 0.0, 0.0, kInfinite);
    const RouteId route = builder.route({builder.link("wire", "wire", 1000.0)}, 0.0);
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      const WorkerId sender = builder.worker(0, flow, "sender"),
                     receiver = builder.worker(1, flow, "receiver");
      const EdgeId edge = builder.edge(sender, receiver, 1, 0.0, route, TransferMode::attached);
      builder.operation(sender, free_kind, EdgeId{}, edge, 500);
      builder.operation(receiver, free_kind, edge, EdgeId{}, 500);
    }
    const Program program = builder.build();
    const RunResult result = run_flow_level(program, program.numbers({}), nullptr);
    CHECK(result.bytes == 500u * flows);
    CHECK(result.operations == 2u * flows);
    CHECK(result.seconds == doctest::Approx(0.5 * flows).epsilon(1e-12));  // they share one link
  }
}
