#include "validation/measurement_log.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/measurement_csv.hpp"
#include "validation/nccl_tests_json.hpp"
#include "validation/nccl_tests_text.hpp"

namespace caliper {

Result<MeasurementLog> read_measurements(std::string_view content, const std::string& name) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  if (trim(content).empty()) return Error{name, "the file is empty", ""};
  // An nccl-tests header may stand in the comments of a CSV, so the stricter form is asked first.
  if (trim(content).starts_with('{')) return read_nccl_tests_json(content, name);
  if (is_measurement_csv(content)) return read_measurement_csv(content, name);
  if (is_nccl_tests_text(content)) return read_nccl_tests_text(content, name);
  return Error{name, "no measurements: neither nccl-tests output, nor its JSON, nor a CSV with a header line",
               "a CSV needs a header with size_bytes and oop_time_us or ip_time_us"};
}

}  // namespace caliper
