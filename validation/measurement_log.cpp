#include "validation/measurement_log.hpp"

#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/measurement_csv.hpp"
#include "validation/nccl_tests_json.hpp"
#include "validation/nccl_tests_text.hpp"

namespace caliper {

Result<MeasurementFile> read_measurements(std::string_view content, const std::string& name) {
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF"))
    return Error{name, "the file is UTF-16, not plain text", "iconv -f UTF-16 -t UTF-8 makes it so"};
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  if (trim(content).empty()) return Error{name, "the file is empty", ""};
  // An nccl-tests header may stand in the comments of a CSV, so the stricter form is asked first.
  if (trim(content).starts_with('{')) return read_nccl_tests_json(content, name);
  if (is_measurement_csv(content)) return read_measurement_csv(content, name);
  if (is_nccl_tests_text(content)) return read_nccl_tests_text(content, name);
  return Error{name, "no measurements: neither nccl-tests output, nor its JSON, nor a CSV with a header line",
               "a CSV needs a header with size_bytes and oop_time_us or ip_time_us"};
}

std::string label(const MeasurementLog& table) {
  std::set<std::uint64_t> sizes;
  for (const Measurement& measurement : table.measurements) sizes.insert(measurement.bytes);
  const RunFacts& facts = table.facts;
  return fmt::format("line {}: {}, {}, {}, {} {}", table.line,
                     facts.collective.value_or("collective not named"),
                     facts.data_type.value_or("type not named"),
                     facts.ranks ? fmt::format("{} {}", *facts.ranks, *facts.ranks == 1 ? "rank" : "ranks")
                                 : "ranks not listed",
                     sizes.size(), sizes.size() == 1 ? "size" : "sizes");
}

}  // namespace caliper
