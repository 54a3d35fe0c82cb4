#include "scenarios/scenario_loader.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/units.hpp"
#include "scenarios/small_scenario.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

/// The edit makes exactly this the only problem, at the line in which `at` stands.
void check_only(const Folder& folder, const std::string& text, std::string_view at, std::string_view what) {
  const auto place = text.find(at);
  REQUIRE(place != std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  const std::string found = folder.problems(text);
  const std::string wanted = "s.toml:" + std::to_string(line) + ": " + std::string(what);
  CAPTURE(found);
  CAPTURE(wanted);
  CHECK(found.starts_with(wanted));
  CHECK(found.find('\n') == std::string::npos);
}

std::vector<std::uint64_t> sizes(const Scenario& scenario, const std::vector<ExperimentId>& ids) {
  std::vector<std::uint64_t> bytes;
  for (const ExperimentId id : ids) bytes.push_back(scenario.dataset[id].bytes / kMiB);
  return bytes;
}

}  // namespace

TEST_CASE("scenario: everything is resolved to plain values") {
  const Folder folder;
  const auto loaded = folder.read(kScenario);
  if (!loaded) FAIL(describe(loaded.problems()));
  const Scenario& s = *loaded;
  CHECK(s.title == "small");
  CHECK(s.machine.nodes() == 8);
  REQUIRE(s.groups.size() == 3);
  REQUIRE(s.dataset.groups.size() == 3);

  const ScenarioGroup& ar = s.groups[*s.find_group("ar-1x4")];
  CHECK(ar.ranks == std::vector<GpuAddress>{{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  CHECK(ar.element_bytes == 4);
  CHECK(ar.family == PartitionFamily::b);
  CHECK(ar.nic_layout == NicLayout::pairs);
  CHECK(ar.plans.size() == 1);
  CHECK(!ar.plan_for(1)->channels);

  // Placement B lists node n2 first; in_place takes one of two times.
  const ScenarioGroup& ag = s.groups[1];
  CHECK(ag.ranks == std::vector<GpuAddress>{{1, 0}, {1, 1}, {0, 0}, {0, 1}});
  CHECK(ag.plan_for(4 * kMiB)->channels == 8u);
  CHECK(ag.plan_for(2 * kMiB)->source == Origin::assumed);
  CHECK(ag.plan_for(kMiB) == nullptr);
  CHECK(ag.out_of_scope_reason(kMiB) == "small");
  CHECK(s.groups[2].ranks.size() == 16);

  REQUIRE(s.dataset.experiments.size() == 7);
  CHECK(s.dataset.experiments[0].seconds == doctest::Approx(10e-6));
  CHECK(s.dataset.experiments[5].seconds == doctest::Approx(21e-6));
  CHECK(s.dataset.of_group(2).empty());
  REQUIRE(s.skipped.size() >= 1);
  CHECK(s.skipped.back().reason.find("8 MiB") != std::string::npos);

  REQUIRE(s.stages.size() == 2);
  CHECK(s.stages[0].loss == Loss::log_rmse);
  CHECK(s.stages[0].budget.iterations == 12);
  CHECK(s.stages[0].budget.runs == 500u);
  CHECK(s.stages[0].budget.wall_seconds == doctest::Approx(120));
  CHECK(s.stages[0].stop.plateau == 8u);
  CHECK(s.stages[1].loss == Loss::rmse);
  CHECK(s.stages[1].budget.iterations == 30);
  CHECK(s.stages[1].stop.target == doctest::Approx(5e-6));
  CHECK(s.parameters[s.stages[0].tune[1]].id == "gpu.channel_rate");
  CHECK(s.starting_parameters()[s.parameters.index_of("net.efficiency")] == 0.97);
  CHECK(s.starting_parameters()[s.parameters.index_of("gpu.launch")] == doctest::Approx(9e-6));

  CHECK(sizes(s, s.split.members(Set::calibration)) == std::vector<std::uint64_t>{1, 4, 8, 4});
  CHECK(sizes(s, s.split.members(Set::validation)) == std::vector<std::uint64_t>{2, 2});
  CHECK(sizes(s, s.split.members(Set::out_of_scope)) == std::vector<std::uint64_t>{1});
  CHECK(s.model_gaps.size() == 1);

  std::vector<std::string> names;
  for (const InputFile& file : s.inputs) {
    names.push_back(file.path);
    CHECK(file.sha256.size() == 64);
  }
  CHECK(names == std::vector<std::string>{"s.toml", "systems/eight.toml", "ranks.txt", "ar.csv", "ag.csv"});
}

TEST_CASE("scenario: what [validate] asks for, and what it leaves is out of scope") {
  const Folder folder;
  const auto held_out = [&](const std::string& section) {
    const auto loaded = folder.read(edited("groups = \"all\"", section));
    if (!loaded) FAIL(describe(loaded.problems()));
    return sizes(*loaded, loaded->split.members(Set::validation));
  };
  CHECK(held_out("groups = [\"ag-2x2\"]") == std::vector<std::uint64_t>{2});
  CHECK(held_out("points = [{ group = \"ar-1x4\", sizes = [\"2 MiB\"] }]") == std::vector<std::uint64_t>{2});
  CHECK(held_out("groups = \"all\"\npoints = [{ group = \"ar-1x4\", sizes = [\"2 MiB\"] }]") ==
        std::vector<std::uint64_t>{2, 2});
  check_only(folder, edited("groups = \"all\"", "points = [{ group = \"ar-1x4\", sizes = [\"4 MiB\"] }]"),
             "fit = [{ group = \"ar",
             "stage 'up' fits what [validate] asks to hold out: 4 MiB of group 'ar-1x4'");
  check_only(folder, edited("groups = \"all\"", "groups = [\"rs-4x4\"]"), "[validate]",
             "[validate] asks for no size");
  check_only(folder, edited("groups = \"all\"", "groups = \"none\""), "groups = \"none\"",
             "'groups' in [validate] is 'none'");
}

TEST_CASE("scenario: wrong inputs are reported at their line, with what would be right") {
  const Folder folder;
  const auto check = [&](std::string_view from, std::string_view to, std::string_view at,
                         std::string_view what) {
    CAPTURE(to);
    check_only(folder, edited(from, to), at, what);
  };
  check("schema = 1", "schema = 2", "schema", "'schema' in the scenario is 2 (it has to be between 1 and 1)");
  check("[validate]", "[[job]]\n[validate]", "[[job]]",
        "[[job]] (other jobs beside a group) is not supported yet");
  check("[validate]", "[[event]]\n[validate]", "[[event]]", "[[event]] (a link that fails");
  check("loss = \"log_rmse\"", "los = \"log_rmse\"\nloss = \"log_rmse\"",
        "los =", "unknown key 'los' in stage 'up' (did you mean 'loss'?)");
  check("loss = \"log_rmse\"", "loss = \"mse\"", "\"mse\"",
        "'loss' is 'mse' (one of: rmse, relative_rmse, log_rmse)");

  check("nodes = \"n[1-4]\"", "nodes = \"n[1-9]\"", "n[1-9]", "'n9' is no node of eight");
  check("nodes = \"n[1-4]\"", "nodes = \"n[1-4],n2\"", "n[1-4],n2", "node 'n2' is listed twice");
  check("nodes = \"n[1-4]\"", "nodes = \"n[1-4\"", "n[1-4\"\nsource", "'n[1-4': ");
  check("ranks_file = \"ranks.txt\"", "ranks_file = \"no.txt\"", "no.txt", "file '");
  check("ranks_file = \"ranks.txt\"", "ranks_file = \"ranks.txt\"\nnodes = \"n1\"", "[placement.B]",
        "[placement.B] has both 'nodes' and 'ranks_file'");

  check("pool = \"min\"", "pool = \"max\"", "\"max\"", "unknown pool 'max'");
  check("nic_layout = \"pairs\"", "nic_layout = \"rail\"", "\"rail\"",
        "'nic_layout' is 'rail' (one of: pxn, pairs, oracle)");
  check("nccl = \"2.20.5\"", "nccl = \"1.0\"", "\"1.0\"", "'1.0' is no NCCL version");
  check("data_type = \"float32\"", "data_type = \"float31\"", "float31", "unknown data type 'float31'");
  check("\"all_reduce\"", "\"all_to_all\"", "all_to_all",
        "'collective' is 'all_to_all' (one of: all_reduce, all_gather, ");
  check("placement = \"B\"", "placement = \"C\"", "\"C\"",
        "group 'ag-2x2' names the unknown placement 'C' (");
  check("nodes = 2\n", "nodes = 1\n", "ranks = 4\nplacement",
        "'ranks' of group 'ag-2x2' is 4 (1 nodes x 2 GPUs a node are 2");
  check("nodes = 4\n", "nodes = 5\n", "nodes = 5", "group 'rs-4x4': placement A: ");
  check("nodes = 4\ngpus_per_node = 4", "nodes = 4\ngpus_per_node = 5", "nodes = 4\ngpus_per_node = 5",
        "group 'rs-4x4': placement A: ");
  check("name = \"rs-4x4\"", "name = \"ar-1x4\"", "name = \"ar-1x4\"\ncollective = \"reduce",
        "two groups are named 'ar-1x4'");
  check("name = \"out\"", "name = \"up\"", "name = \"up\"\ntune = [\"net", "two stages are named 'up'");
  check("affects = \"ag-*\"", "affects = \"bc-*\"", "bc-*", "no group is named like 'bc-*'");
}

TEST_CASE("scenario: plans and scope") {
  const Folder folder;
  const auto check = [&](std::string_view from, std::string_view to, std::string_view at,
                         std::string_view what) {
    CAPTURE(to);
    check_only(folder, edited(from, to), at, what);
  };
  check("sizes = \"2 MiB .. 4 MiB\"", "sizes = \"2 MiB .. 5 MiB\"", "2 MiB .. 5 MiB",
        "plan ranges '4 MiB ..' and '2 MiB .. 5 MiB' of group 'ag-2x2' overlap");
  check("sizes = \"2 MiB .. 4 MiB\"", "sizes = \"3 MiB .. 4 MiB\"", "3 MiB .. 4 MiB",
        "group 'ag-2x2' has no plan for 1 of its measured sizes in scope: 2 MiB");
  check("sizes = \"2 MiB .. 4 MiB\"", "sizes = \"2 MiB\"", "sizes = \"2 MiB\"",
        "'2 MiB' is no range of sizes");
  check("channels = 8\n", "", "source = \"captured\"",
        "a captured plan of group 'ag-2x2' states no 'channels'");
  check("channels = 8\n", "channels = 65\n", "channels = 65",
        "'channels' in [[group.plan]] of group 'ag-2x2' is 65");
  check("channels = 8\n", "channels = 8\nlog = \"x.log\"\n", "log =", "file 'x.log': no such file");
  check("algorithm = \"ring\"", "algorithm = \"nvls\"", "nvls", "'algorithm' is 'nvls' (one of: ring, tree)");
  check("reason = \"small\"",
        "reason = \"small\"\n[[group.out_of_scope]]\nsizes = \"1 MiB .. 2 MiB\"\nreason = \"x\"",
        "1 MiB .. 2 MiB", "out-of-scope ranges '.. 2 MiB' and '1 MiB .. 2 MiB' of group 'ag-2x2' overlap");
  check("reason = \"small\"", "reason = \"\"", "reason = \"\"",
        "'reason' in [[group.out_of_scope]] of group 'ag-2x2' is empty");
}

TEST_CASE("scenario: measured files are held against their group") {
  Folder folder;
  const auto check = [&](std::string_view from, std::string_view to, std::string_view at,
                         std::string_view what) {
    CAPTURE(to);
    check_only(folder, edited(from, to), at, what);
  };
  check("file = \"ar.csv\"", "file = \"none.csv\"", "none.csv", "file '");
  check("file = \"ar.csv\"\nranks = 4", "file = \"ar.csv\"\nranks = 8", "ar.csv",
        "'ranks' beside the file: 8, but group 'ar-1x4' has 4");
  check("file = \"ar.csv\"\nranks = 4", "file = \"ar.csv\"\n[[group.measured]]\nfile = \"ar.csv\"",
        "ar.csv\"\n\n", "group 'ar-1x4' is measured twice by file 'ar.csv'");
  check("file = \"ag.csv\"", "file = \"ar.csv\"", "ar.csv\"\n[[group.plan",
        "collective in 'ar.csv': all_reduce, but group 'ag-2x2' has all_gather");
  check("nccl = \"2.20.5\"", "nccl = \"2.21.5\"", "ar.csv",
        "NCCL version in 'ar.csv': 2.20.5, but group 'ar-1x4' has 2.21.5");
  check("data_type = \"float32\"", "data_type = \"float16\"", "ar.csv",
        "data type in 'ar.csv': float32, but group 'ar-1x4' has float16");

  // Without a version in the scenario, the file's counts; where neither says it, that is a problem.
  const std::string unstated = edited("nccl = \"2.20.5\"\n", "");
  CHECK(folder.problems(unstated).find("the NCCL version of group 'ag-2x2' is not known") !=
        std::string::npos);
  CHECK(folder.problems(unstated).find("group 'ar-1x4'") == std::string::npos);

  folder.write("ag.csv", "hello\n");
  const std::string found = folder.problems(kScenario);
  CHECK(found.starts_with("ag.csv"));
}

TEST_CASE("scenario: stages tune what can be tuned, once, on sizes that exist") {
  const Folder folder;
  const auto check = [&](std::string_view from, std::string_view to, std::string_view at,
                         std::string_view what) {
    CAPTURE(to);
    check_only(folder, edited(from, to), at, what);
  };
  check("tune = [\"net.send_delay\"]", "tune = [\"net.send_dely\"]", "send_dely",
        "unknown parameter 'net.send_dely' (did you mean 'net.send_delay'?)");
  check("tune = [\"net.send_delay\"]", "tune = [\"net.send_delay\", \"nvlink.rate\"]", "nvlink.rate",
        "'nvlink.rate' is a direct parameter and is never tuned (it is given by ");
  check("tune = [\"net.send_delay\"]", "tune = [\"net.send_delay\", \"net.efficiency\"]", "net.send_delay",
        "stage 'out' tunes 'net.efficiency', which [parameters] fixes");
  check("tune = [\"net.send_delay\"]", "tune = [\"net.send_delay\", \"gpu.channel_rate\"]", "net.send_delay",
        "stage 'out' tunes 'gpu.channel_rate', which stage 'up' tunes already");
  check("tune = [\"net.send_delay\"]", "tune = []", "tune = []",
        "'tune' in stage 'out' is no list of strings");
  check("[parameters.\"net.efficiency\"]", "[parameters.\"nvlink.rate\"]", "[parameters.\"nvlink.rate\"]",
        "'nvlink.rate' is a direct parameter");
  check("fix = 0.97", "fix = 1.5", "fix = 1.5",
        "'fix' in [parameters.net.efficiency] is 1.5 (it has to be between 0.5 and 1)");
  check("fix = \"9 us\"", "fix = 9", "fix = 9",
        "'fix' in [parameters.gpu.launch] is an integer (it has to be a quantity");
  check("fix = \"9 us\"", "fix = \"9 GB/s\"", "fix = \"9 GB/s\"",
        "'fix' in [parameters.gpu.launch]: '9 GB/s' has the unknown unit");

  check("{ group = \"ar-1x4\", sizes = \"8 MiB ..\" }", "{ group = \"ar-1x5\", sizes = \"all\" }", "ar-1x5",
        "unknown group 'ar-1x5' (did you mean 'ar-1x4'?)");
  check("sizes = [\"4 MiB\"]", "sizes = [\"3 MiB\"]", "3 MiB", "group 'ag-2x2': 3 MiB was not measured");
  check("sizes = [\"4 MiB\"]", "sizes = [\"1 MiB\"]", "sizes = [\"1 MiB\"]",
        "stage 'out' fits what is declared out of scope: 1 MiB of group 'ag-2x2'");
  check("sizes = [\"4 MiB\"]", "sizes = \"16 MiB ..\"", "16 MiB",
        "stage 'out' fits no size of group 'ag-2x2'");
  check("sizes = [\"4 MiB\"]", "sizes = { count = 9, spacing = \"log\" }", "count = 9",
        "group 'ag-2x2': asks for 9 sizes of the 2 in scope");
  check("fit = [{ group = \"ar-1x4\", sizes = { every = 2, from = 0 } }]", "fit = []", "fit = []",
        "stage 'up' fits nothing");
  check("target = \"5 us\"", "target = 0.01", "target = 0.01 }\n\n[validate]",
        "'target' in 'stop' of stage 'out' is a number");
  check("budget = { iterations = 12", "budget = { iterations = 0", "iterations = 0",
        "'iterations' in 'budget' of stage 'up' is 0");
}

TEST_CASE("scenario: all problems of a file in one go, in the file's own terms") {
  const Folder folder;
  std::string text = edited("pool = \"min\"", "pool = \"max\"");
  text = edited("tune = [\"net.send_delay\"]", "tune = [\"net.x\"]", text);
  text = edited("system = \"eight\"", "system = \"nine\"", text);
  text = edited("what = \"something\"", "wat = \"something\"", text);
  const std::string found = folder.problems(text);
  CAPTURE(found);
  for (const char* what : {"unknown system 'nine'", "'max'", "unknown parameter 'net.x'", "unknown key 'wat'",
                           "'what' is missing"})
    CHECK(found.find(what) != std::string::npos);
}

TEST_CASE("scenario: a rank file says the line of what is wrong in it") {
  Folder folder;
  folder.write("ranks.txt", "n1\n# n2\nn1\nx9\n");
  const std::string found = folder.problems(kScenario);
  CHECK(found.find("ranks.txt:3: node 'n1' stands twice") != std::string::npos);
  CHECK(found.find("ranks.txt:4: unknown node 'x9'") != std::string::npos);
  folder.write("ranks.txt", "\n");
  CHECK(folder.problems(kScenario).find("ranks.txt:1: names no node") != std::string::npos);
}

TEST_CASE(
    "scenario: of several tables in a file the one that agrees with the group is taken, or the one that is "
    "named") {
  const auto run = [](const std::string& program, const std::string& out_of_place) {
    return "# Collective test starting: " + program + R"(
# nThread 1 nGpus 4 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     4194304       1048576     float     sum      -1  )" +
           out_of_place + "    1000.0    4.19    6.29      0\n# Out of bounds values : 0 OK\n";
  };
  Folder folder;
  const std::string gather = run("all_gather_perf", "1000.0    4.19    3.15      0");
  const std::string reduce = run("all_reduce_perf", "1000.0    4.19    6.29      0");
  folder.write("ar.csv", gather + reduce);
  const std::string scenario =
      edited("{ every = 2, from = 0 }", "\"all\"", edited("sizes = \"8 MiB ..\" }]", "sizes = \"all\" }]"));
  const std::string named = "file = \"ar.csv\"\nranks = 4\n";
  const auto one = folder.read(scenario);
  REQUIRE_MESSAGE(bool(one), describe(one.problems()));
  CHECK(one->dataset.of_group(0).size() == 1);
  CHECK(folder.problems(edited(named, named + "table = 2\n", scenario)) == "");
  CHECK(folder.problems(edited(named, named + "table = 1\n", scenario))
            .find("collective in 'ar.csv': all_gather, but group 'ar-1x4' has all_reduce") !=
        std::string::npos);
  CHECK(folder.problems(edited(named, named + "table = 3\n", scenario)).find("'ar.csv' has no table 3") !=
        std::string::npos);
  CHECK(folder.problems(edited(named, named + "[[group.measured]]\nfile = \"ar.csv\"\n", scenario))
            .find("measured twice") != std::string::npos);
  folder.write("ar.csv", reduce + gather + run("all_reduce_perf", "1010.0    4.15    6.23      0"));
  const std::string ambiguous = folder.problems(scenario);
  CHECK(ambiguous.find("of 3 tables in 'ar.csv' 2 agree with group 'ar-1x4'") != std::string::npos);
  CHECK(ambiguous.find(
            "write table = N; there is table 1 (line 3: all_reduce, float32, ranks not listed, 1 size)") !=
        std::string::npos);
  const std::string both = edited(
      named, "file = \"ar.csv\"\ntable = 1\n[[group.measured]]\nfile = \"ar.csv\"\ntable = 3\n", scenario);
  CHECK(folder.problems(both) == "");
  folder.write("ar.csv", reduce + gather + reduce);
  CHECK(folder.problems(both).find("of group 'ar-1x4' hold the same measurements") != std::string::npos);
  folder.write("ar.csv", gather + run("alltoall_perf", "1000.0    4.19    3.15      0"));
  CHECK(folder.problems(scenario).find("of 2 tables in 'ar.csv' none agrees") != std::string::npos);
}

TEST_CASE("scenario: a pattern fits names") {
  CHECK(matches("*", ""));
  CHECK(matches("a*c*e", "abcde"));
  CHECK(matches("*x4", "ar-1x4"));
  CHECK(!matches("*x4", "ar-1x4b"));
  CHECK(!matches("", "a"));
  CHECK(matches("a*ab", "aab"));
}
