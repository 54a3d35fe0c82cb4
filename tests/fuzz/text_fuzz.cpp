// Any bytes as nccl-tests' terminal output.
#include "tests/fuzz/measurements_fuzz.hpp"
#include "validation/nccl_tests_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content = caliper::fuzz::text_of(data, size);
  caliper::fuzz::check_measurements(caliper::read_nccl_tests_text(content, "fuzz"));
  caliper::fuzz::check_measurements(caliper::read_measurements(content, "fuzz"));
  return 0;
}
