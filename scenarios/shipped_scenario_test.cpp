#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "scenarios/scenario_loader.hpp"

using namespace caliper;
namespace fs = std::filesystem;

namespace {

const fs::path kScenarios = CALIPERSIM_SCENARIOS_DIR;
const fs::path kFile = kScenarios / "jupiter-booster" / "scenario.toml";

}  // namespace

TEST_CASE("jupiter-booster: loads, and its split is the declared one") {
  const auto loaded = load_scenario(kFile, kScenarios / "systems");
  if (!loaded) FAIL(describe(loaded.problems()));
  const Scenario& s = *loaded;
  CHECK(s.groups.size() == 17);
  CHECK(s.skipped.empty());
  CHECK(s.inputs.size() == 2 + 17);
  for (const ScenarioGroup& group : s.groups) {
    CHECK(group.family == PartitionFamily::c);
    CHECK(group.pool == Pool::min);
  }
  for (const ScenarioStage& stage : s.stages) CHECK(stage.loss == Loss::log_rmse);
  for (const Experiment& experiment : s.dataset.experiments) {
    CHECK(experiment.repeats.size() == 2);
    CHECK(experiment.seconds == *std::ranges::min_element(experiment.repeats));
  }

  // 11 sizes from 8 MiB to 8 GiB, doubling: every second is 6; from 64 MiB on there are 8, every second is 4.
  REQUIRE(s.split.stage_fits.size() == 2);
  const auto fitted = [&](std::size_t stage) {
    std::vector<std::uint64_t> sizes;
    for (const ExperimentId id : s.split.stage_fits[stage][0].experiments)
      sizes.push_back(s.dataset[id].bytes / kMiB);
    return sizes;
  };
  CHECK(fitted(0) == std::vector<std::uint64_t>{8, 32, 128, 512, 2048, 8192});
  CHECK(fitted(1) == std::vector<std::uint64_t>{64, 256, 1024, 4096});
  // Held out: 5 of AR 1x4, 11 each of AG and RS 1x4, 4 of AR 4x4, 7 each (from 128 MiB) of AG and RS on 2x4
  // and 4x4.
  CHECK(s.split.members(Set::calibration).size() == 10);
  CHECK(s.split.members(Set::validation).size() == 5 + 22 + 4 + 4 * 7);
  for (const ExperimentId id : s.split.members(Set::validation)) {
    const ScenarioGroup& group = s.groups[s.dataset[id].group];
    CHECK(group.gpus_per_node == 4);
    CHECK(group.name != "ar-2x4");
  }
}

TEST_CASE("jupiter-booster: cut anywhere or damaged anywhere, it is read or refused with places") {
  // The machine is a small one of the same name, so that hundreds of readings take seconds.
  const fs::path systems =
      fs::temp_directory_path() / ("calipersim_shipped_test." + std::to_string(::getpid()));
  fs::remove_all(systems);
  fs::create_directories(systems);
  std::string small = *read_file(kScenarios / "systems" / "jupiter-booster.toml");
  small = small.substr(0, small.find("[[group]]")) + "[[group]]\nnodes = \"jpbo-001-[01-48]\"\n";
  REQUIRE(write_file(systems / "jupiter-booster.toml", small).empty());
  const std::string text = *read_file(kFile);
  REQUIRE(read_scenario(text, kFile, systems));

  const auto sound = [&](const std::string& damaged) {
    const auto scenario = read_scenario(damaged, kFile, systems);
    if (scenario) return true;
    return std::ranges::all_of(
        scenario.problems(), [](const Error& error) { return !error.where.empty() && !error.what.empty(); });
  };
  for (std::size_t length = 0; length < text.size(); length += 7) CHECK(sound(text.substr(0, length)));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::string damaged = text;
    damaged[hash64(2, i, 0) % text.size()] = static_cast<char>(hash64(2, i, 1));
    CHECK(sound(damaged));
  }
  fs::remove_all(systems);
}
