// Any bytes as XML of NCCL.
#include "captures/nccl_xml.hpp"
#include "scenarios/node_record_file.hpp"
#include "scenarios/toml_document.hpp"
#include "tests/fuzz/measurements_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caliper;
  const auto made = read_nccl_xml(fuzz::text_of(data, size), "fuzz.xml");
  if (!made) {
    fuzz::check_problems(made.problems());
    return 0;
  }
  if (const auto* node = std::get_if<NodeTopology>(&*made)) {
    fuzz::must(!node->gpus.empty());
    for (const GpuPair& pair : node->pairs)
      fuzz::must(pair.first < pair.second && pair.second < node->gpus.size());
  }
  fuzz::must(bool(parse_toml(node_record_toml(*made, "fuzz.xml"), "again.toml")));
  return 0;
}
