#include "scenarios/scenario_skeleton.hpp"

#include <doctest/doctest.h>

#include "scenarios/scenario_simulator.hpp"
#include "scenarios/small_scenario.hpp"
#include "scenarios/system_file.hpp"
#include "validation/measurement_writer.hpp"

using namespace caliper;
using test::Folder;

namespace {

MeasurementLog table(const char* collective, std::uint32_t nodes, std::uint32_t gpus, std::size_t sizes,
                     Buffers buffers = Buffers::in_place) {
  MeasurementLog log;
  log.file = "run.log";
  log.line = 10;
  log.facts.collective = collective;
  log.facts.data_type = "float32";
  log.facts.nccl_version = "2.20.5";
  log.facts.ranks = nodes * gpus;
  log.facts.nodes = nodes;
  log.facts.gpus_per_node = gpus;
  for (std::uint32_t i = 0; i < sizes; ++i)
    log.measurements.push_back({std::uint64_t{1} << (20 + i), 1e-4 * (i + 1), buffers, 11 + i});
  return log;
}

Machine machine() { return *read_machine(test::kSystem, "eight", "eight.toml"); }

/// The skeleton, with its measurements beside it.
std::string skeleton(Folder& folder, std::vector<SkeletonTable> tables) {
  for (const SkeletonTable& one : tables) folder.write(one.file, measurement_csv(one.log));
  const auto text = scenario_skeleton("eight", machine(), tables);
  REQUIRE_MESSAGE(bool(text), describe(text.problems()));
  return *text;
}

}  // namespace

TEST_CASE(
    "skeleton: it loads as it stands, has a group per table and both stages, and every size can be "
    "simulated") {
  Folder folder;
  const std::string text = skeleton(folder, {{table("all_reduce", 1, 4, 6), "a.csv"},
                                             {table("all_reduce", 2, 4, 6), "b.csv"},
                                             {table("all_reduce", 4, 4, 6), "c \"quoted\".csv"},
                                             {table("all_gather", 4, 4, 2, Buffers::out_of_place), "d.csv"},
                                             {table("all_gather", 4, 4, 2), "e.csv"}});
  const auto scenario = folder.read(text);
  REQUIRE_MESSAGE(bool(scenario), describe(scenario.problems()));
  REQUIRE(scenario->groups.size() == 5);
  CHECK(scenario->groups[0].name == "ar-1x4");
  CHECK(scenario->groups[4].name == "ag-4x4-2");
  REQUIRE(scenario->stages.size() == 2);
  CHECK(scenario->split.stage_fits[0][0].group == 0);
  CHECK(scenario->split.stage_fits[1][0].group == 2);  // the largest communicator
  CHECK(scenario->dataset.experiments.size() == 22);
  CHECK(scenario->placements[0].nodes == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(text.find("nodes = \"n[1-4]\"") != std::string::npos);
  CHECK(ScenarioSimulator::build(*scenario, simulated_experiments(*scenario)));
}

TEST_CASE("skeleton: what cannot be simulated is left out with the reason") {
  Folder folder;
  MeasurementLog odd = table("all_gather", 1, 4, 3);
  odd.measurements[1].bytes = (1 << 21) + 4;  // no whole number of elements of every rank
  MeasurementLog silent = table("all_reduce", 1, 4, 1);
  silent.facts.nccl_version = std::nullopt;
  silent.notes = {"the run was\ncut"};
  MeasurementLog unknown = table("all_reduce", 1, 4, 1);
  unknown.facts.nodes = std::nullopt;
  const std::string text = skeleton(folder, {{odd, "a.csv"},
                                             {silent, "b.csv"},
                                             {unknown, "c.csv"},
                                             {table("alltoall", 1, 4, 3), "d.csv"},
                                             {table("all_reduce", 9, 4, 3), "e.csv"}});
  CAPTURE(text);
  const auto scenario = folder.read(text);
  REQUIRE_MESSAGE(bool(scenario), describe(scenario.problems()));
  CHECK(scenario->groups.size() == 2);
  CHECK(scenario->groups[1].nccl == "2.20.5");  // what the others say
  CHECK(scenario->stages.empty());
  CHECK(ScenarioSimulator::build(*scenario, simulated_experiments(*scenario)));
  const auto& group = scenario->groups[0];
  CHECK(!group.plan_for((1 << 21) + 4));
  CHECK(group.plan_for(1 << 20));
  CHECK(group.out_of_scope_reason((1 << 21) + 4).find("no whole number") != std::string::npos);
  for (const char* reason : {"c.csv (line 10: all_reduce, float32, 4 ranks, 1 size): its nodes and GPUs",
                             "alltoall is not simulated", "9 x 4 GPUs are more than the system has",
                             "# note: the run was cut", "# assumed: the file does not say"})
    CHECK_MESSAGE(text.find(reason) != std::string::npos, reason);
  const auto none = scenario_skeleton("eight", machine(), {{table("sendrecv", 1, 4, 3), "d.csv"}});
  REQUIRE(!none);
  CHECK(describe(none.problems()).find("sendrecv is not simulated") != std::string::npos);
}
