// Any bytes as CSV files of measurements.
#include "tests/fuzz/measurements_fuzz.hpp"
#include "validation/measurement_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content = caliper::fuzz::text_of(data, size);
  caliper::fuzz::check_measurements(caliper::read_measurement_csv(content, "fuzz"));
  caliper::fuzz::check_measurements(caliper::read_measurements(content, "fuzz"));
  return 0;
}
