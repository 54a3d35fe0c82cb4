// The synthetic measurements of calibration_load.sh: simulated times of known parameters, with noise.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace caliper::bench {

/// A line of what `calipersim simulate --out FILE.csv` writes.
struct SimulatedPoint {
  std::string group, collective;
  std::uint32_t ranks;
  std::uint64_t bytes;
  double seconds;
};
/// Problems, with file:line: another header, lines that are none, a time that is none.
Result<std::vector<SimulatedPoint>> parse_simulated(std::string_view csv, std::string_view file);

/// Of a time: 1 + sigma z, z standard normal and a function of its arguments alone.
double noise_factor(double sigma, std::uint64_t seed, std::uint64_t who, std::uint64_t which);

/// Each group's measurements as CSV, by name: out-of-place and in-place times with independent noise.
/// @param sigma  relative
std::vector<std::pair<std::string, std::string>> measurements(std::span<const SimulatedPoint> points,
                                                              double sigma, std::uint64_t seed);

}  // namespace caliper::bench
