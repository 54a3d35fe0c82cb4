// Algorithm and protocol of a plan, size by size, from the file to a simulated time.
#include <doctest/doctest.h>

#include "base/units.hpp"
#include "scenarios/direct_facts.hpp"
#include "scenarios/group_programs.hpp"
#include "scenarios/small_scenario.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

constexpr const char* kVariants = R"(schema = 1
title = "variants"
system = "eight"
[placement.A]
nodes = "n[1-4]"
source = "assumed: test"
[[group]]
name = "ar"
collective = "all_reduce"
nodes = 4
gpus_per_node = 4
placement = "A"
data_type = "float32"
nccl = "2.28.3"
[[group.plan]]
sizes = ".. 64 KiB"
algorithm = "tree"
protocol = "ll"
source = "assumed"
[[group.plan]]
sizes = "64 KiB .. 1 MiB"
algorithm = "ring"
protocol = "ll128"
source = "assumed"
[[group.plan]]
sizes = "1 MiB .. 8 MiB"
algorithm = "tree"
protocol = "simple"
source = "assumed"
[[group.plan]]
sizes = "8 MiB .."
algorithm = "ring"
protocol = "simple"
source = "assumed"
)";

double seconds_of(const Scenario& scenario, std::uint64_t bytes) {
  const auto programs = GroupPrograms::build(scenario, 0, {bytes});
  REQUIRE_MESSAGE(programs, describe(programs.problems()));
  const std::vector<std::size_t> rows{0};
  const SizeAnswer answer = programs->answer(scenario.starting_parameters(), rows)[0];
  CHECK(answer.failure.empty());
  return answer.seconds;
}

std::string fact(const Scenario& scenario, std::string_view id) {
  for (const DirectFact& f : direct_facts(scenario))
    if (f.id == id) return f.value;
  return "";
}

}  // namespace

TEST_CASE("plan variants: each range of sizes runs its algorithm and protocol") {
  const Folder folder;
  const auto scenario = folder.read(kVariants);
  REQUIRE_MESSAGE(scenario, folder.problems(kVariants));
  const auto at = [&](std::uint64_t bytes) {
    const auto execution = execution_of(*scenario, 0, bytes);
    REQUIRE(execution);
    return std::pair{execution->algorithm, execution->protocol};
  };
  CHECK(at(4 * kKiB) == std::pair{Algorithm::tree, Protocol::ll});
  CHECK(at(64 * kKiB) == std::pair{Algorithm::ring, Protocol::ll128});
  CHECK(at(1 * kMiB) == std::pair{Algorithm::tree, Protocol::simple});
  CHECK(at(8 * kMiB) == std::pair{Algorithm::ring, Protocol::simple});
  CHECK(fact(*scenario, "protocol") ==
        "ll [.. 64 KiB]; ll128 [64 KiB .. 1 MiB]; simple [1 MiB .. 8 MiB, 8 MiB ..]");
  CHECK(fact(*scenario, "window") ==
        "8 slices [.. 64 KiB, 64 KiB .. 1 MiB, 1 MiB .. 8 MiB]; 4 slices [8 MiB ..]");
  for (const std::uint64_t bytes : {4 * kKiB, 64 * kKiB, kMiB, 8 * kMiB})
    CHECK(seconds_of(*scenario, bytes) > 0);
}

TEST_CASE("plan variants: a small message is faster by LL than by Simple, a large one is not") {
  const Folder folder;
  const auto with = [&](const char* protocol) {
    auto scenario = folder.read(edited(
        "algorithm = \"ring\"\nprotocol = \"ll128\"",
        std::string("algorithm = \"ring\"\nprotocol = \"") + protocol + "\"",
        edited("64 KiB .. 1 MiB", "64 KiB .. 1 GiB",
               edited("1 MiB .. 8 MiB", "1 GiB .. 2 GiB", edited("8 MiB ..", "2 GiB ..", kVariants)))));
    REQUIRE(scenario);
    return *std::move(scenario);
  };
  const Scenario ll = with("ll"), ll128 = with("ll128"), simple = with("simple");
  CHECK(seconds_of(ll, 64 * kKiB) < seconds_of(ll128, 64 * kKiB));
  CHECK(seconds_of(ll128, 64 * kKiB) < seconds_of(simple, 64 * kKiB));
  CHECK(seconds_of(ll, 256 * kMiB) > seconds_of(ll128, 256 * kMiB));
  CHECK(seconds_of(ll, 256 * kMiB) > seconds_of(simple, 256 * kMiB));
}

TEST_CASE("plan variants: a plan of another algorithm or protocol has another hash") {
  const Folder folder;
  const auto hash = [&](const char* protocol) {
    const auto scenario = folder.read(
        edited("protocol = \"ll128\"", std::string("protocol = \"") + protocol + "\"", kVariants));
    REQUIRE(scenario);
    return GroupPrograms::build(*scenario, 0, {128 * kKiB})->hash(0);
  };
  CHECK(hash("ll") != hash("ll128"));
  CHECK(hash("simple") != hash("ll128"));
}

TEST_CASE("plan variants: parameters of trees, LL and LL128 are there where a plan depends on them") {
  const Folder folder;
  const auto with = folder.read(kVariants);
  const auto without = folder.read(kScenario);
  REQUIRE(with);
  REQUIRE(without);
  CHECK(with->parameters.tunable("gpu.tree_share"));
  CHECK_FALSE(without->parameters.tunable("gpu.tree_share"));
  CHECK(with->parameters.size() == without->parameters.size() + 4);
  // The rows before them are the same: so are programs of Ring/Simple.
  for (ParameterIndex i = 0; i < without->parameters.size(); ++i)
    CHECK(with->parameters[i].id == without->parameters[i].id);
}

TEST_CASE("plan variants: trees for another collective, or from a log, are refused") {
  const Folder folder;
  const std::string gathering =
      edited("collective = \"all_reduce\"", "collective = \"all_gather\"", kVariants);
  CHECK(folder.problems(gathering).find("all_gather by trees") != std::string::npos);
  const std::string unknown = edited("protocol = \"ll128\"", "protocol = \"ll12\"", kVariants);
  CHECK(folder.problems(unknown).find("ll128") != std::string::npos);
}
