// One measured run of one simulator on the ring work: what simgrid_ring and ring_work_bench print, a JSON
// line each, and what bench_report reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/error.hpp"
#include "tests/support/ring_work.hpp"

namespace caliper::bench {

using caliper::testing::RingWork;

struct RunRecord {
  std::string series;     ///< what it was run for: "compare", or a series of growth
  std::string simulator;  ///< "simgrid", "plain", ...: whose times are compared
  std::string version;    ///< of the simulator
  std::string settings;   ///< what a reader has to know besides; mostly empty
  std::string compiler;   ///< of the program around it
  RingWork work;
  std::uint64_t messages = 0;
  double completion_us = 0;    ///< simulated time at the last delivery
  double build_cpu_s = 0;      ///< platform, program and routes, before the run
  std::uint32_t runs = 1;      ///< how many the medians are of
  double run_cpu_s = 0;        ///< median over the runs
  double run_wall_s = 0;       ///< median over the runs
  double first_run_cpu_s = 0;  ///< the first run pays for cold memory
  double peak_rss_mib = 0;     ///< of the whole process
  std::optional<std::uint64_t> operations;
  /// Growth of the resident memory by the program and by a run of it, over the operations; absent where the
  /// growth is too small to be told from the allocator's own.
  std::optional<double> program_bytes_per_operation, run_bytes_per_operation;
};

bool same(const RingWork& a, const RingWork& b);
/// Chunks a step is cut into, and messages of the whole work.
std::uint64_t chunks_per_step(const RingWork& work);
std::uint64_t message_count(const RingWork& work);
/// "n = 64, C = 8, 16 MiB, chunks of 512 KiB, window 2, 4 spines, shuffled": what is not usual is named.
std::string describe(const RingWork& work);

nlohmann::ordered_json to_json(const RunRecord& record);
/// Every field of a line that was printed; a problem names what is missing.
Result<RunRecord> parse_run_record(const nlohmann::ordered_json& json, std::string_view where);

}  // namespace caliper::bench
