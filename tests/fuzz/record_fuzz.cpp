// Any bytes as a record of an execution.
#include "tests/fuzz/records_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = caliper::read_execution_record(caliper::fuzz::text_of(data, size), "fuzz.toml");
  if (record)
    caliper::fuzz::check_record(*record);
  else
    caliper::fuzz::check_problems(record.problems());
  return 0;
}
