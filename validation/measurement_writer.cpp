#include "validation/measurement_writer.hpp"

#include <fmt/format.h>

namespace caliper {
namespace {

template <class T>
void add_fact(std::string& csv, std::string_view key, const std::optional<T>& value) {
  if (value) csv += fmt::format("# {}: {}\n", key, *value);
}

/// Microseconds, all digits that there are.
std::string cell(double seconds) { return fmt::format("{:.12g}", seconds * 1e6); }

}  // namespace

std::string measurement_csv(const MeasurementLog& log) {
  std::string csv = fmt::format("# source: {}\n", log.facts.source ? *log.facts.source : log.file);
  add_fact(csv, "collective", log.facts.collective);
  add_fact(csv, "dtype", log.facts.data_type);
  add_fact(csv, "nccl_version", log.facts.nccl_version);
  add_fact(csv, "ranks", log.facts.ranks);
  add_fact(csv, "nodes", log.facts.nodes);
  add_fact(csv, "iterations", log.facts.iterations);
  add_fact(csv, "warmups", log.facts.warmups);
  csv += "size_bytes,oop_time_us,ip_time_us\n";
  for (std::size_t i = 0; i < log.measurements.size();) {
    const Measurement& first = log.measurements[i];
    std::string out_of_place, in_place;
    // The two halves of a row stand side by side; a half that was left out leaves its cell empty.
    for (; i < log.measurements.size() && log.measurements[i].line == first.line &&
           log.measurements[i].bytes == first.bytes;
         ++i) {
      std::string& half = log.measurements[i].buffers == Buffers::in_place ? in_place : out_of_place;
      if (!half.empty()) break;
      half = cell(log.measurements[i].seconds);
    }
    csv += fmt::format("{},{},{}\n", first.bytes, out_of_place, in_place);
  }
  return csv;
}

}  // namespace caliper
