#include "validation/measurement_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace caliper {
namespace {

/// On one line, whatever the file that it comes from held.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

template <class T>
void add_fact(std::string& csv, std::string_view key, const std::optional<T>& value) {
  if (value) csv += fmt::format("# {}: {}\n", key, one_line(fmt::format("{}", *value)));
}

/// Microseconds, all digits that there are.
std::string cell(double seconds) { return fmt::format("{:.12g}", seconds * 1e6); }

}  // namespace

std::string measurement_csv(const MeasurementLog& log) {
  const RunFacts& facts = log.facts;
  std::string csv = fmt::format("# source: {}\n", one_line(facts.source.value_or(log.file)));
  add_fact(csv, "collective", facts.collective);
  add_fact(csv, "data_type", facts.data_type);
  add_fact(csv, "nccl_version", facts.nccl_version);
  add_fact(csv, "nccl_tests_version", facts.nccl_tests_version);
  add_fact(csv, "gpu_model", facts.gpu_model);
  add_fact(csv, "ranks", facts.ranks);
  add_fact(csv, "nodes", facts.nodes);
  add_fact(csv, "gpus_per_node", facts.gpus_per_node);
  add_fact(csv, "iterations", facts.iterations);
  add_fact(csv, "warmups", facts.warmups);
  add_fact(csv, "aggregated_iterations", facts.aggregated_iterations);
  for (const std::string& note : log.notes) csv += fmt::format("# note: {}\n", one_line(note));
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
