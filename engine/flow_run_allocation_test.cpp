// Nothing is allocated in the event loop: a run of many operations allocates as often as a run of few.
#include <atomic>
#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include "engine/flow_run.hpp"
#include "engine/program_builder.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Of the whole test program; the tests of other files do not notice.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace caliper;

namespace {

/// Rings whose transfers share two links and have unlike sizes, so that rates change all the time and ends
/// are outdated.
Program busy_rings(std::uint32_t slices) {
  ProgramBuilder b;
  const LinkId links[] = {b.link("a", "wire", 3.0), b.link("b", "wire", 5.0)};
  const KindId kind = b.kind("pass", 0.25, 0.0, 2.0);
  for (std::uint32_t ring = 0; ring < 6; ++ring) {
    WorkerId workers[4];
    for (std::uint32_t i = 0; i < 4; ++i) workers[i] = b.worker(i, ring, "block");
    EdgeId edges[4];
    for (std::uint32_t i = 0; i < 4; ++i)
      edges[i] =
          b.edge(workers[i], workers[(i + 1) % 4], 4, 0.5, b.route({links[0], links[1]}, Expression(0.125)),
                 static_cast<TransferMode>((ring + i) % 3));
    for (std::uint32_t i = 0; i < 4; ++i)
      for (std::uint32_t s = 0; s <= slices; ++s)
        b.operation(workers[i], kind, s > 0 ? edges[(i + 3) % 4] : EdgeId{}, s < slices ? edges[i] : EdgeId{},
                    7 + 3 * ring);
  }
  return b.build();
}

std::uint64_t allocations_of(std::uint32_t slices) {
  const Program program = busy_rings(slices);
  const std::vector<double> numbers = program.numbers({});
  const std::uint64_t before = allocations;
  const RunResult result = run_flow_level(program, numbers);
  const std::uint64_t count = allocations - before;
  CHECK(!result.stuck);
  CHECK(result.operations == 24u * (slices + 1));
  return count;
}

}  // namespace

TEST_CASE("flow_run: a hundred times the operations, not one allocation more") {
  CHECK(allocations_of(2000) == allocations_of(20));
}
