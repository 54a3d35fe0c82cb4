// Any bytes as a log of NCCL, and as two files of one.
#include "captures/nccl_log.hpp"
#include "tests/fuzz/records_fuzz.hpp"

namespace {

using namespace caliper;

void check(std::span<const LogInput> inputs) {
  const auto record = read_nccl_log(inputs);
  if (!record) return fuzz::check_problems(record.problems());
  fuzz::must(!record->communicators.empty());
  for (const CapturedCommunicator& one : record->communicators) fuzz::must(!one.gaps.empty());
  fuzz::check_record(*record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content = fuzz::text_of(data, size);
  check(std::vector<LogInput>{{"a.log", content}});
  check(std::vector<LogInput>{{"a.log", content.substr(0, size / 2)}, {"b.log", content.substr(size / 2)}});
  return 0;
}
