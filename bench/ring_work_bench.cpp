// The ring work W(n, S, C) on our engine, measured as simgrid_ring measures SimGrid: the work is built once,
// then run until 0.3 CPU seconds have passed, the median counts.
#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include "bench/measure_main.hpp"
#include "engine/flow_run.hpp"
#include "engine/fold.hpp"
#include "tests/support/ring_work.hpp"

namespace {

using namespace caliper;
using caliper::bench::Clock;
using caliper::bench::Measurement;
using caliper::bench::RingWork;
using caliper::bench::RunRecord;

constexpr double kEnoughSeconds = 0.3;
/// Runs that are shorter are measured several at a time: reading the clock takes a part of a microsecond.
constexpr double kLeastSample = 1e-3;
/// Growth of the resident memory below it is not told from the allocator's own.
constexpr double kLeastGrowth = 1 << 20;

/// A work ready to be run any number of times.
struct Prepared {
  std::uint64_t messages, operations;
  std::function<RunResult()> run;
};

Prepared prepare_plain(const RingWork& work) {
  auto ring = std::make_shared<const testing::RingProgram>(testing::build_ring_work(work));
  return {ring->messages, ring->program.operation_count(),
          [ring] { return run_flow_level(ring->program, ring->numbers); }};
}

Prepared prepare_folded(const RingWork& work, bool steady) {
  auto ring = testing::build_ring_work(work);
  const std::uint64_t messages = ring.messages, operations = ring.program.operation_count();
  auto numbers = std::make_shared<const std::vector<double>>(std::move(ring.numbers));
  auto program = std::make_shared<const FoldedProgram>(std::move(ring.program));
  // Found once for all runs, as in a calibration.
  const Folding& folding = program->folding(*numbers);
  return {messages, operations,
          [program, numbers, &folding, steady] { return FoldedProgram::run(folding, *numbers, steady); }};
}

Prepared prepare_folded_exactly(const RingWork& work) { return prepare_folded(work, false); }
Prepared prepare_steady(const RingWork& work) { return prepare_folded(work, true); }

/// Ways to compute the same completion time. Building and running are measured apart.
struct Mode {
  const char* name;
  Prepared (*prepare)(const RingWork&);
};
constexpr Mode kModes[] = {
    {"plain", prepare_plain}, {"folded", prepare_folded_exactly}, {"steady", prepare_steady}};

/// Bytes of resident memory now, after what is free has been given back.
double resident_bytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// From here on the peak is counted anew; false where the kernel does not let us.
bool restart_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << '5' << std::flush;
  return clear.good();
}

/// Bytes, since restart_peak().
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  return 0;
}

std::optional<double> per_operation(double growth, std::uint64_t operations) {
  if (growth < kLeastGrowth) return std::nullopt;
  return growth / static_cast<double>(operations);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<RunRecord> measure(const Measurement& wanted) {
  const Mode& mode = *std::find_if(std::begin(kModes), std::end(kModes),
                                   [&](const Mode& m) { return m.name == wanted.mode; });
  RunRecord record;
  record.simulator = mode.name;
  record.version = CALIPERSIM_VERSION;
  record.runs = 0;

  const double before = resident_bytes();
  const auto start = Clock::now();
  const Prepared prepared = mode.prepare(wanted.work);
  record.build_cpu_s = Clock::now().cpu_s - start.cpu_s;
  record.peak_rss_mib = bench::peak_rss_mib();  // counted anew below
  const double built = resident_bytes();
  const bool peak_is_of_the_run = restart_peak();

  std::vector<double> cpu, wall;  // of a run
  double spent = 0;
  std::uint32_t together = 1;
  while (spent < kEnoughSeconds) {
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < together; ++i) {
      const RunResult result = prepared.run();
      if (result.stuck) return Error{"ring_work_bench", "the run is stuck", ""};
      record.completion_us = result.seconds * 1e6;
    }
    const auto end = Clock::now();
    const double seconds = end.cpu_s - begin.cpu_s;
    cpu.push_back(seconds / together);
    wall.push_back((end.wall_s - begin.wall_s) / together);
    spent += seconds;
    record.runs += together;
    together = std::max(1u, static_cast<std::uint32_t>(kLeastSample / std::max(cpu.front(), 1e-9)));
  }
  record.messages = prepared.messages;
  record.operations = prepared.operations;
  record.first_run_cpu_s = cpu.front();
  record.run_cpu_s = median(cpu);
  record.run_wall_s = median(wall);
  record.program_bytes_per_operation = per_operation(built - before, prepared.operations);
  if (peak_is_of_the_run)
    record.run_bytes_per_operation = per_operation(peak_bytes() - built, prepared.operations);
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const Mode& mode : kModes) names.emplace_back(mode.name);
  return caliper::bench::measure_main(argc, argv, "Ring AllReduce W(n, S, C) on the flow-level engine", names,
                                      false, measure);
}
