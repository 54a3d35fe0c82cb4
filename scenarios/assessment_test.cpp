#include "scenarios/assessment.hpp"

#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "scenarios/report_data.hpp"
#include "scenarios/small_scenario.hpp"

using namespace caliper;

namespace {

/// The small scenario with ten sizes of AllReduce on two placements; the first is fitted on every second
/// size. The second group has the first's times below size number `own_from`, its own from there on.
std::string two_placements(test::Folder& folder, std::uint64_t own_from) {
  std::string first = "size_bytes,oop_time_us,ip_time_us\n", second = first;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const std::uint64_t bytes = std::uint64_t{1048576} << i;
    const double us = 30 + static_cast<double>(bytes) / 100e3;
    first += fmt::format("{},{:.4f},{:.4f}\n", bytes, us, 1.003 * us);
    const double factor = i < own_from ? 1 : 1.01;
    second += fmt::format("{},{:.4f},{:.4f}\n", bytes, factor * us, factor * 1.003 * us);
  }
  folder.write("first.csv", "# collective: all_reduce\n# ranks: 4\n" + first);
  folder.write("second.csv", "# collective: all_reduce\n# ranks: 4\n# source: another name\n" + second);
  return R"(schema = 1
title = "two placements"
system = "eight"
[placement.A]
nodes = "n[1-4]"
source = "assumed: test"
[placement.B]
nodes = "n[5-8]"
source = "assumed: test"
[defaults.group]
data_type = "float32"
nccl = "2.20.5"
pool = "min"
collective = "all_reduce"
nodes = 1
gpus_per_node = 4
[[defaults.group.plan]]
sizes = "all"
algorithm = "ring"
protocol = "simple"
source = "derived"
[[group]]
name = "ar-A"
placement = "A"
[[group.measured]]
file = "first.csv"
[[group]]
name = "ar-B"
placement = "B"
[[group.measured]]
file = "second.csv"
[[stage]]
name = "up"
tune = ["gpu.channel_rate"]
fit = [{ group = "ar-A", sizes = { every = 2, from = 0 } }]
[[model_gap]]
name = "for B"
affects = "*-B"
what = "something"
)";
}

Assessment assessed(const Scenario& scenario) {
  const auto simulator = ScenarioSimulator::build(scenario, simulated_experiments(scenario));
  REQUIRE(simulator);
  return assess(scenario, *simulator, scenario.starting_parameters());
}

}  // namespace

TEST_CASE("A run that is fitted under one name and held out under another is found in what was read") {
  test::Folder folder;
  const auto copied = folder.read(two_placements(folder, 10));
  REQUIRE(copied);
  const Disjointness found = compare_records(copied->dataset, copied->split);
  CHECK(found.fitted == 5);
  CHECK(found.held_out == 15);
  CHECK(found.in_common() == 5);
  CHECK(leaks(copied->dataset, found, "s.toml").size() == 1);

  const auto apart = folder.read(two_placements(folder, 0));
  REQUIRE(apart);
  CHECK(compare_records(apart->dataset, apart->split).in_common() == 0);
}

TEST_CASE(
    "Nearest size applies to held-out sizes of the group that is fitted, and is near on a smooth curve") {
  test::Folder folder;
  const auto scenario = folder.read(two_placements(folder, 0));
  REQUIRE(scenario);
  const Assessment assessment = assessed(*scenario);
  for (const Prediction& prediction : assessment.predictions)
    CHECK(std::isfinite(prediction.nearest_size_s) ==
          (prediction.group == 0 && prediction.set == Set::validation));
  for (const GroupSummary& summary : assessment.summaries)
    CHECK(summary.nearest_size.count == (summary.group == 0 && summary.set == Set::validation ? 5u : 0u));
}

TEST_CASE("Structure that is left is named with the declared gaps whose pattern fits the group") {
  test::Folder folder;
  const auto scenario = folder.read(two_placements(folder, 0));
  REQUIRE(scenario);
  const Assessment assessment = assessed(*scenario);
  // With default parameters the simulator is nowhere near these made-up times.
  REQUIRE(assessment.credibility.unmodelled.size() == 2);
  CHECK(assessment.credibility.unmodelled[0].gaps.empty());
  CHECK(assessment.credibility.unmodelled[1].gaps == std::vector<std::string>{"for B"});
}

TEST_CASE("Stages as declared: what is tuned, fitted, minimised") {
  test::Folder folder;
  const auto scenario = folder.read(two_placements(folder, 0));
  REQUIRE(scenario);
  const auto stages = declared_stages(*scenario, 7);
  REQUIRE(stages.size() == 1);
  CHECK(stages[0].name == "up");
  CHECK(stages[0].tuned == scenario->stages[0].tune);
  CHECK(experiments_of(stages[0].fits).size() == 5);
  CHECK(stages[0].seed == 7);
  CHECK(can_shuffle(stages, scenario->split.members(Set::validation)));
}

TEST_CASE("A report is a function of what was found: no times, paths or counts that a cache changes") {
  test::Folder folder;
  const auto scenario = folder.read(two_placements(folder, 0));
  REQUIRE(scenario);
  const Assessment assessment = assessed(*scenario);
  const auto record_with = [&](double elapsed, std::uint64_t runs, std::uint64_t hits) {
    StageResult result{scenario->starting_parameters(),
                       0.1,
                       {0.1},
                       {},
                       StopReason::iterations,
                       "done",
                       1,
                       {10, runs, hits},
                       {}};
    result.history.push_back({0, 0, 0.1, 0.1, {20e9}, elapsed, runs == 0, ""});
    Sensitivity sensitivity{};
    sensitivity.estimates = {{scenario->stages[0].tune[0], 20e9, 0.01, {}, {}}};
    return CalibrationRecord{declared_stages(*scenario, 1), {result}, {sensitivity}, 1};
  };
  const CalibrationRecord fresh = record_with(12.5, 10, 0), resumed = record_with(0.25, 0, 10);
  CHECK(render_report(report_data(*scenario, assessment, &fresh)) ==
        render_report(report_data(*scenario, assessment, &resumed)));
  CHECK(report_data(*scenario, assessment, &fresh).scenario == "s.toml");
}

TEST_CASE("A sample of held-out sizes has all of few, and the ends and the middle of many") {
  Dataset dataset;
  dataset.groups.resize(2);
  Split split;
  for (std::uint32_t i = 0; i < 100; ++i) {
    dataset.experiments.push_back({i < 20 ? 0u : 1u, 1024 * (i + 1), 1, {}});
    split.set.push_back(i == 3 || i == 99 ? Set::calibration : Set::validation);
  }
  const auto few = held_out_sample(dataset, split, 0), many = held_out_sample(dataset, split, 1);
  REQUIRE(few.size() == 19);
  CHECK(few[3].index == 4);
  REQUIRE(many.size() == kMostSampled);
  CHECK(many.front().index == 20);
  CHECK(many.back().index == 98);
  for (std::size_t i = 1; i < many.size(); ++i) {  // 79 held-out sizes: every second or third
    CHECK(many[i].index - many[i - 1].index >= 2);
    CHECK(many[i].index - many[i - 1].index <= 3);
  }
}
