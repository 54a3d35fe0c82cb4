#include "scenarios/calibrated_file.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"
#include "scenarios/assessment.hpp"
#include "scenarios/direct_facts.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/small_scenario.hpp"

using namespace caliper;

namespace {

Scenario small(const test::Folder& folder, const std::string& text = test::kScenario) {
  auto scenario = folder.read(text);
  REQUIRE_MESSAGE(bool(scenario), describe(scenario.problems()));
  return *std::move(scenario);
}

/// A file with every parameter and one group.
std::string text_of(const Scenario& scenario, std::vector<double> values) {
  CalibratedFile file;
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i)
    file.parameters.push_back({i, values[i], "", {}});
  const std::vector<std::uint64_t> sizes = {1 << 20, 4 << 20};
  file.groups.push_back({"ar-1x4", sizes, *group_program_hash(scenario, 0, sizes), 0});
  return calibrated_toml(scenario, file);
}

}  // namespace

TEST_CASE("calibrated_file: what is written reads back to six digits, and again to the same text") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<double> values;
    for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i) {
      const AuxiliaryParameter& row = scenario.parameters[i];
      values.push_back(row.lower + (row.upper - row.lower) * unit_draw(seed, 7, i));
    }
    const std::string text = text_of(scenario, values);
    const auto file = parse_calibrated(text, "c.toml", scenario.parameters);
    REQUIRE_MESSAGE(bool(file), describe(file.problems()));
    const std::vector<double> back = parameters_of(scenario, *file);
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(back[i] == doctest::Approx(values[i]).epsilon(5e-6));
    CHECK(text_of(scenario, back) == text);
    CHECK(check_executions(scenario, *file, "c.toml").empty());
  }
}

TEST_CASE("calibrated_file: bounds themselves survive being written with six digits") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  for (const bool upper : {false, true}) {
    std::vector<double> values;
    for (const AuxiliaryParameter& row : scenario.parameters.auxiliary())
      values.push_back(upper ? row.upper : row.lower);
    const auto file = parse_calibrated(text_of(scenario, values), "c.toml", scenario.parameters);
    CHECK_MESSAGE(bool(file), describe(file.problems()));
  }
}

TEST_CASE(
    "calibrated_file: another execution, direct and unknown parameters, wrong units are refused with their "
    "line") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  const std::string text = text_of(scenario, scenario.parameters.defaults());
  const Scenario other = small(folder, test::edited("sizes = \"all\"", "sizes = \"all\"\nchannels = 4"));
  const auto file = parse_calibrated(text, "c.toml", scenario.parameters);
  REQUIRE(file);
  const Problems refused = check_executions(other, *file, "c.toml");
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].where.starts_with("c.toml:"));
  CHECK(refused[0].what.find("'ar-1x4'") != std::string::npos);

  const auto problem = [&](const std::string& line) {
    const auto read = parse_calibrated("schema = 1\n[parameters]\n" + line, "c.toml", scenario.parameters);
    REQUIRE(!read);
    CHECK(read.problems().front().where == "c.toml:3");
    return describe(read.problems());
  };
  CHECK(problem("\"nvlink.rate\" = { value = \"25 GB/s\" }").find("direct parameter") != std::string::npos);
  CHECK(problem("\"gpu.lunch\" = { value = \"9 us\" }").find("gpu.launch") != std::string::npos);
  CHECK(problem("\"gpu.launch\" = { value = \"9 GB/s\" }").find("unit") != std::string::npos);
  CHECK(problem("\"gpu.launch\" = { value = \"9 s\" }").find("c.toml:3") != std::string::npos);
  CHECK(problem("\"net.duplex\" = { value = 1.5 }").find("c.toml:3") != std::string::npos);
}

TEST_CASE(
    "calibrated_file: another machine, missing parameters and foreign groups are doubts, the own file has "
    "none") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  const std::string text = text_of(scenario, scenario.parameters.defaults());
  const auto doubts = [&](std::string changed) {
    const auto file = parse_calibrated(changed, "c.toml", scenario.parameters);
    REQUIRE_MESSAGE(bool(file), describe(file.problems()));
    return doubts_about(scenario, *file);
  };
  CHECK(doubts(text).empty());
  const auto other_machine = doubts(test::edited("\"nvlink.rate\" = { value = \"25 GB/s\"",
                                                 "\"nvlink.rate\" = { value = \"50 GB/s\"", text));
  REQUIRE(other_machine.size() == 1);
  CHECK(other_machine[0].find("nvlink.rate was '50 GB/s', here it is '25 GB/s'") != std::string::npos);
  const auto foreign = doubts(test::edited("name = \"ar-1x4\"", "name = \"other\"", text));
  REQUIRE(foreign.size() == 1);
  CHECK(foreign[0].find("none of the groups") != std::string::npos);
  const auto missing = doubts("schema = 1\n[parameters]\n\"gpu.launch\" = { value = \"9 us\" }\n");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].find("gpu.slice_overhead") != std::string::npos);
}

TEST_CASE("calibrated_file: damaged files give problems with a place, never a crash") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  const std::string text = text_of(scenario, scenario.parameters.defaults());
  for (std::uint64_t i = 0; i < 600; ++i) {
    std::string damaged = text;
    if (i % 2)
      damaged.resize(hash64(1, 1, i) % text.size());
    else
      damaged[hash64(1, 2, i) % text.size()] = static_cast<char>(hash64(1, 3, i));
    const auto file = parse_calibrated(damaged, "c.toml", scenario.parameters);
    if (!file)
      for (const Error& error : file.problems()) CHECK(!error.where.empty());
  }
}

TEST_CASE("direct_facts: every direct parameter of the table has a value") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  const auto facts = direct_facts(scenario);
  CHECK(facts.size() == scenario.parameters.direct().size());
  for (const DirectFact& fact : facts) CHECK_MESSAGE(!fact.value.empty(), fact.id);
}

TEST_CASE(
    "scenario_simulator: programs do not depend on parameters, times do; other channels are another "
    "program") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  const auto experiments = simulated_experiments(scenario);
  const auto simulator = ScenarioSimulator::build(scenario, experiments);
  const auto fewer = ScenarioSimulator::build(scenario, experiments, Shortcuts{}, 2);
  REQUIRE(simulator);
  REQUIRE(fewer);
  std::vector<double> slow = scenario.parameters.defaults();
  for (const char* id : {"gpu.launch", "gpu.slice_overhead"}) slow[scenario.parameters.index_of(id)] *= 2;
  std::vector<Outcome> a(experiments.size()), b(experiments.size());
  simulator->evaluate(scenario.parameters.defaults(), experiments, a);
  simulator->evaluate(slow, experiments, b);
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    CHECK(a[i].status == OutcomeStatus::time);
    CHECK(b[i].seconds > a[i].seconds);
    CHECK(simulator->program_hash(experiments[i]) != fewer->program_hash(experiments[i]));
  }
}

TEST_CASE(
    "assess: one prediction per experiment; what has no plan has no time; sets are those of the split") {
  const test::Folder folder;
  const Scenario scenario = small(folder);
  const auto simulator = ScenarioSimulator::build(scenario, simulated_experiments(scenario));
  REQUIRE(simulator);
  const Assessment assessment = assess(scenario, *simulator, scenario.starting_parameters());
  REQUIRE(assessment.predictions.size() == scenario.dataset.experiments.size());
  for (std::size_t i = 0; i < assessment.predictions.size(); ++i) {
    const Prediction& p = assessment.predictions[i];
    const bool has_plan = scenario.groups[p.group].plan_for(p.bytes) != nullptr;
    CHECK(std::isfinite(p.default_s) == has_plan);
    CHECK((std::isnan(p.default_s) || p.default_s == p.calibrated_s));  // the same parameters twice
    CHECK(p.set == scenario.split.set[i]);
  }
}
