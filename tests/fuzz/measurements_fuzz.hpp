// What every answer of the reader of measurements has to be, whatever the bytes were.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "validation/measurement_log.hpp"
#include "validation/measurement_writer.hpp"

namespace caliper::fuzz {

inline void must(bool condition) {
  if (!condition) std::abort();
}

inline void check_problems(const Problems& problems) {
  must(!problems.empty());
  for (const Error& problem : problems) must(!problem.what.empty());
}

/// No table is empty, no time is none, nothing is left out without a reason, and what was kept can be written
/// and read again to the same times.
inline void check_measurements(const Result<MeasurementFile>& file) {
  if (!file) return check_problems(file.problems());
  must(!file->tables.empty());
  for (const Skipped& skipped : file->skipped) must(!skipped.reason.empty());
  for (const MeasurementLog& table : file->tables) {
    must(!table.measurements.empty());
    for (const Skipped& skipped : table.skipped) must(!skipped.reason.empty());
    for (const Measurement& measurement : table.measurements)
      must(measurement.bytes > 0 && std::isfinite(measurement.seconds) && measurement.seconds > 0);
    const auto again = read_measurements(measurement_csv(table), "again.csv");
    must(bool(again));
    must(again->tables.size() == 1 && again->tables[0].measurements.size() == table.measurements.size());
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace caliper::fuzz
