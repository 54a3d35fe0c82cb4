// Any bytes as a scenario and as a system file, beside a machine and measurements that are as they should be.
#include <filesystem>

#include <unistd.h>

#include "base/file.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/scenario_loader.hpp"
#include "scenarios/system_file.hpp"
#include "tests/fuzz/measurements_fuzz.hpp"

namespace {

namespace fs = std::filesystem;
using namespace caliper;

/// A copy of the small files that the seeds name.
const fs::path& inputs() {
  static const fs::path folder = [] {
    fs::path made = fs::temp_directory_path() / ("calipersim_fuzz_" + std::to_string(::getpid()));
    fs::create_directories(made);
    for (const char* name : {"system.toml", "ar.csv", "ag.csv", "nodes.txt"})
      fs::copy_file(fs::path(CALIPERSIM_FUZZ_INPUTS) / name, made / name,
                    fs::copy_options::overwrite_existing);
    return made;
  }();
  return folder;
}

/// Building a machine of many parts says nothing about reading it, and would be all that the time goes to.
bool is_small(const SystemSpec& spec) {
  const double switches = double(spec.fabric.leaves_per_group) + spec.fabric.spines_per_group;
  return spec.group_nodes.size() < 20 && spec.node.gpus < 20 && spec.node.nics < 20 && switches < 40;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content = fuzz::text_of(data, size);
  const auto scenario = read_scenario(content, inputs() / "scenario.toml", inputs());
  if (scenario) {
    fuzz::must(!scenario->groups.empty());
    const auto parameters = parse_calibrated(content, "fuzz.toml", scenario->parameters);
    if (!parameters) fuzz::check_problems(parameters.problems());
  } else {
    fuzz::check_problems(scenario.problems());
  }
  const auto spec = read_system(content, "fuzz", "fuzz.toml");
  if (!spec)
    fuzz::check_problems(spec.problems());
  else if (is_small(*spec))
    if (const auto machine = Machine::build(*spec); !machine) fuzz::check_problems(machine.problems());
  return 0;
}
