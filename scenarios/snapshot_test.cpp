#include "scenarios/snapshot.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "scenarios/baseline_file.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/small_scenario.hpp"

using namespace caliper;

namespace {

const OnDone kQuiet = [] {};

Snapshot snapshot_of(const Scenario& scenario) {
  auto snapshot = take_snapshot(scenario, scenario.starting_parameters(), kQuiet);
  REQUIRE(snapshot);
  return *std::move(snapshot);
}

Scenario scenario_of(const std::string& text) {
  test::Folder folder;
  auto scenario = folder.read(text);
  REQUIRE_MESSAGE(scenario, describe(scenario.problems()));
  return *std::move(scenario);
}

}  // namespace

TEST_CASE("snapshot: every measured size with a plan is there, with the group's program hash") {
  const Scenario scenario = scenario_of(test::kScenario);
  const Baseline baseline = snapshot_of(scenario).baseline;
  REQUIRE(baseline.groups.size() == 2);  // rs-4x4 has no measurements
  CHECK(baseline.groups[0].times.size() == 4);
  CHECK(baseline.groups[1].times.size() == 2);  // 1 MiB is out of scope and without plan
  CHECK(baseline.parameters.size() == scenario.parameters.size());
  const std::uint64_t sizes[] = {1 << 20, 2 << 20, 4 << 20, 8 << 20};
  CHECK(baseline.groups[0].program == *group_program_hash(scenario, 0, sizes));
}

TEST_CASE("snapshot: written as a baseline and read back, nothing has moved even without tolerance") {
  const Scenario scenario = scenario_of(test::kScenario);
  Baseline baseline = snapshot_of(scenario).baseline;
  baseline.updates = {{"2026-01-02", "test", ""}};
  auto read = parse_baseline(baseline_toml(baseline), "b.toml");
  REQUIRE(read);
  read->tolerances = {};
  for (const CheckRow& row : compare(*read, baseline))
    CHECK_MESSAGE(row.verdict == Verdict::same, describe(row));
}

TEST_CASE("snapshot: errors are those of the times, per set") {
  const Scenario scenario = scenario_of(test::kScenario);
  const BaselineGroup group = snapshot_of(scenario).baseline.groups[0];
  for (const BaselineErrors& errors : group.errors) {
    double sum = 0, count = 0;
    for (const BaselineTime& time : group.times)
      for (const ExperimentId id : scenario.dataset.of_group(0))
        if (time.set == errors.set && scenario.dataset[id].bytes == time.bytes) {
          sum += std::abs(time.us * 1e-6 / scenario.dataset[id].seconds - 1);
          ++count;
        }
    REQUIRE(count > 0);
    CHECK(errors.error.mean == doctest::Approx(sum / count).epsilon(1e-5));
  }
}

TEST_CASE("snapshot: another partition family and swapped nodes are another execution") {
  const Baseline before = snapshot_of(scenario_of(test::kScenario)).baseline;
  const auto execution_moves = [&](const std::string& text, const std::string& group) {
    for (const CheckRow& row : compare(before, snapshot_of(scenario_of(text)).baseline))
      if (row.group == group && row.metric == "execution") return row.verdict == Verdict::moved;
    return false;
  };
  CHECK(!execution_moves(test::kScenario, "ar-1x4"));
  CHECK(!execution_moves(test::kScenario, "ag-2x2"));
  CHECK(execution_moves(test::edited("channels = 8", "channels = 4"), "ag-2x2"));
  CHECK(execution_moves(test::edited("gpus_per_node = 2\nranks = 4\nplacement = \"B\"",
                                     "gpus_per_node = 2\nranks = 4\nplacement = \"A\""),
                        "ag-2x2"));  // B is n2, n1
}

TEST_CASE("snapshot: what is wrong with a group is said once, and all groups are looked at") {
  Scenario scenario = scenario_of(test::kScenario);
  for (ScenarioGroup& group : scenario.groups) group.ranks[1] = group.ranks[0];
  for (const Problems& problems :
       {prove_programs(scenario, kQuiet),
        take_snapshot(scenario, scenario.starting_parameters(), kQuiet).problems()})
    CHECK(problems.size() == 2);
  CHECK(prove_programs(scenario_of(test::kScenario), kQuiet).empty());
}
