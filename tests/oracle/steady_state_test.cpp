// Long runs that are moved on by whole periods, against every step computed.
#include "engine/steady_state.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/random.hpp"
#include "engine/flow_run.hpp"
#include "engine/fold.hpp"
#include "engine/program_builder.hpp"
#include "tests/support/compare_curve.hpp"
#include "tests/support/ring_work.hpp"

using namespace caliper;

namespace {

/// Rings of 2 to 7 workers that pass slices of a few sizes on thousands of times, at costs that are nobody's
/// multiple. Slices grow with `along`, each at a pace of its own.
Program long_rings(std::uint64_t seed, std::uint32_t times, std::uint64_t along = 0) {
  const auto draw = [&](std::uint64_t what, std::uint64_t below) { return hash64(seed, 20, what) % below; };
  ProgramBuilder b;
  std::vector<LinkId> links;
  for (std::uint64_t l = 0; l < 4; ++l)
    links.push_back(b.link("link", "link", 1 + 8 * unit_draw(seed, 21, l)));
  std::vector<KindId> kinds;
  for (std::uint64_t k = 0; k < 3; ++k)
    kinds.push_back(b.kind(fmt::format("k{}", k), unit_draw(seed, 22, k), 0.05 * unit_draw(seed, 23, k),
                           k == 0 ? kInfinite : 1 + 3 * unit_draw(seed, 24, k)));
  const std::uint64_t slices = 1 + draw(0, 3);
  std::vector<std::uint64_t> bytes;
  for (std::uint64_t s = 0; s < slices; ++s) bytes.push_back(draw(10 + s, 30) + along * draw(20 + s, 4));
  for (std::uint32_t ring = 0; ring < 1 + draw(1, 2); ++ring) {
    const auto n = static_cast<std::uint32_t>(2 + draw(30 + ring, 6));
    std::vector<WorkerId> workers;
    std::vector<EdgeId> edges;
    for (std::uint32_t i = 0; i < n; ++i) {
      OperationList list;
      for (const bool first : {true, false}) {
        std::vector<Operation> body;
        for (std::uint32_t s = 0; s < slices; ++s)
          body.push_back({static_cast<std::uint16_t>(kinds[draw(100 + ring * 50 + i * 5 + s, 3)].v),
                          first ? kNoPort : Port{0}, 1, s});
        list.push_back({body, first ? 1 : times});
      }
      std::vector<Operation> last;
      for (std::uint32_t s = 0; s < slices; ++s)
        last.push_back({static_cast<std::uint16_t>(kinds[0].v), 0, kNoPort, s});
      list.push_back({last, 1});
      workers.push_back(b.worker(i, ring, "worker", b.list(list), b.sizes(bytes)));
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t at = 400 + ring * 50 + i * 5;
      const RouteId route = b.route({links[draw(at, 4)]}, Expression(unit_draw(seed, 25, at)));
      edges.push_back(b.edge(workers[i], workers[(i + 1) % n],
                             static_cast<std::uint32_t>(slices + 1 + draw(at + 1, 4)),
                             unit_draw(seed, 26, at), route, static_cast<TransferMode>(draw(at + 2, 3))));
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      b.connect(workers[i], 0, edges[(i + n - 1) % n]);
      b.connect(workers[i], 1, edges[i]);
    }
  }
  return b.build();
}

}  // namespace

TEST_CASE("steady state: long rings that share links take the same time to 1e-9") {
  std::uint64_t skipped = 0, all = 0, moved_on = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Program program = long_rings(seed, 3000);
    const std::vector<double> numbers = program.numbers({});
    const RunResult whole = run_flow_level(program, numbers), steady = run_to_steady_state(program, numbers);
    CAPTURE(seed);
    REQUIRE(!whole.stuck);
    REQUIRE(!steady.stuck);
    REQUIRE(steady.seconds == doctest::Approx(whole.seconds).epsilon(1e-9));
    CHECK(steady.operations == whole.operations);
    CHECK(steady.bytes == whole.bytes);
    CHECK(whole.skipped == 0);
    skipped += steady.skipped;
    all += whole.operations;
    moved_on += steady.skipped > 0;
  }
  MESSAGE(fmt::format("{} of 150 programs repeat themselves, {:.0f} % of all operations skipped", moved_on,
                      100.0 * static_cast<double>(skipped) / static_cast<double>(all)));
  CHECK(moved_on > 75);
}

TEST_CASE("steady state: a folded ring of 1,024 ranks is a few dozen steps") {
  const auto ring = testing::build_ring_work({.ranks = 1024, .bytes = 16 << 20, .channels = 1});
  const RunResult whole = run_flow_level(ring.program, ring.numbers);
  const RunResult plain = run_to_steady_state(ring.program, ring.numbers);
  const FoldedProgram folded(ring.program);
  const RunResult both = FoldedProgram::run(folded.folding(ring.numbers), ring.numbers, true);
  CHECK(plain.seconds == doctest::Approx(whole.seconds).epsilon(1e-9));
  CHECK(both.seconds == doctest::Approx(whole.seconds).epsilon(1e-9));
  CHECK(both.skipped > 0);
  CHECK(both.events < whole.events / 1000);
}

TEST_CASE("steady state: short loops are computed as they are, bit for bit") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Program program = long_rings(seed, 23);
    const std::vector<double> numbers = program.numbers({});
    CHECK(run_to_steady_state(program, numbers).seconds == run_flow_level(program, numbers).seconds);
  }
}

TEST_CASE("steady state: loops of a ring's length take the same time to 1e-9") {
  std::uint64_t moved_on = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Program program = long_rings(seed, static_cast<std::uint32_t>(24 + seed % 200));
    const std::vector<double> numbers = program.numbers({});
    const RunResult whole = run_flow_level(program, numbers), steady = run_to_steady_state(program, numbers);
    CAPTURE(seed);
    REQUIRE(steady.seconds == doctest::Approx(whole.seconds).epsilon(1e-9));
    moved_on += steady.skipped > 0;
  }
  CHECK(moved_on > 100);
}

TEST_CASE("steady state: curves of runs that skip periods are those of runs that do not") {
  testing::ComparedCurves total;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<double> x;
    for (std::uint64_t i = 0; i < 60; ++i) x.push_back(static_cast<double>(i));
    const auto program = [&](std::size_t i) { return long_rings(seed, 60, i); };
    testing::compare_curve(
        x, [&](std::size_t i) { return run_to_steady_state(program(i), program(i).numbers({})); },
        [&](std::size_t i) { return run_flow_level(program(i), program(i).numbers({})).seconds; }, total);
  }
  MESSAGE(fmt::format("{} of {} points computed, {} wrong", total.computed, total.points, total.wrong));
  CHECK(total.wrong == 0);
  CHECK(total.computed < total.points);
}
