// What simgrid_ring and ring_work_bench have in common: the command line, the clocks, the line they print.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/run_record.hpp"

namespace caliper::bench {

/// CPU seconds of this process, user and system, and wall seconds since any start.
struct Clock {
  double cpu_s, wall_s;
  static Clock now();
};
/// MiB, the largest resident memory that this process has had.
double peak_rss_mib();

struct Measurement {
  RingWork work;
  std::string series, mode, precision;
};
/// The command line that all programs of the comparison share, then `measure`, then the line. Returns the
/// exit code: 2 for a wrong command line, else what `measure` says by having a record (0) or problems (1).
/// @param modes    names --mode takes; empty: there is no such option
/// @param precision_option  whether --precision is known
int measure_main(int argc, char** argv, const char* about, const std::vector<std::string>& modes,
                 bool precision_option, const std::function<Result<RunRecord>(const Measurement&)>& measure);

}  // namespace caliper::bench
