// The program as a user meets it: commands, files, exit codes, messages.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/support/synthetic.hpp"

using namespace caliper;
using namespace caliper::test;
namespace fs = std::filesystem;

namespace {

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kSyntheticScenario);
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Line of the scenario that holds `text`.
int line_of(const std::string& scenario, std::string_view text) {
  const auto lines = split_lines(scenario);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find(text) != std::string_view::npos) return static_cast<int>(i) + 1;
  FAIL("no such line");
  return 0;
}

}  // namespace

TEST_CASE(
    "e2e: calibrate leaves all files, says what is held out, and is the same for any number of threads") {
  const Folder folder("calibrate");
  put_synthetic(folder);
  const Finished first =
      calipersim(fmt::format("calibrate {} --out {} --jobs 1", folder / "s.toml", folder / "one"));
  CHECK_MESSAGE(first.code == 0, first.out);
  CHECK(first.out.find("ag-2x4") != std::string::npos);
  CHECK(first.out.find("report.html") != std::string::npos);
  for (const char* name : {"calibrated.toml", "evaluations.sqlite", "history.csv", "predictions.csv",
                           "validation.json", "report.html", "manifest.json"})
    CHECK_MESSAGE(fs::exists(folder.path / "one" / name), name);
  CHECK(read_file(folder.path / "one/report.html")->find("synthetic data") != std::string::npos);
  const auto validation = nlohmann::json::parse(*read_file(folder.path / "one/validation.json"));
  CHECK(validation["groups"].size() == 3);  // ar-1x4 fitted and held out, ag-2x4 held out

  const auto manifest = nlohmann::json::parse(*read_file(folder.path / "one/manifest.json"));
  std::vector<std::string> phases;
  double spent = 0;
  for (const auto& phase : manifest["phases"]) {
    phases.push_back(phase["name"]);
    spent += phase["wall_s"].get<double>();
  }
  CHECK(phases == std::vector<std::string>{"reading", "programs", "stages", "sensitivity", "validation",
                                           "control", "report"});
  CHECK(spent <= manifest["wall_s"].get<double>());
  CHECK(spent >= 0.9 * manifest["wall_s"].get<double>());
  CHECK(first.out.find("optimiser") != std::string::npos);

  const Finished second =
      calipersim(fmt::format("calibrate {} --out {} --jobs 2", folder / "s.toml", folder / "two"));
  CHECK(second.code == 0);
  for (const char* name : {"calibrated.toml", "history.csv", "predictions.csv", "validation.json"})
    CHECK_MESSAGE(*read_file(folder.path / "one" / name) == *read_file(folder.path / "two" / name), name);

  SUBCASE("what an earlier calibration left is not written over by a slip") {
    const std::string before = *read_file(folder.path / "one/manifest.json");
    const Finished again =
        calipersim(fmt::format("calibrate {} --out {}", folder / "s.toml", folder / "one"));
    CHECK(again.code == 2);
    CHECK(again.out.find("--resume") != std::string::npos);
    const Finished validated = calipersim(fmt::format("validate {} --params {} --out {}", folder / "s.toml",
                                                      folder / "one/calibrated.toml", folder / "one"));
    CHECK(validated.code == 2);
    CHECK(*read_file(folder.path / "one/manifest.json") == before);
  }
  SUBCASE("what is replaced by another calibration on --resume is said") {
    const Finished other =
        calipersim(fmt::format("calibrate {} --out {} --resume --seed 2", folder / "s.toml", folder / "one"));
    CHECK(other.code == 0);
    CHECK(other.out.find("was calibrated with seed 1; its results will be replaced") != std::string::npos);
    put_synthetic(folder, replaced("iterations = 3", "iterations = 4"));
    const Finished changed =
        calipersim(fmt::format("calibrate {} --out {} --resume --seed 2", folder / "s.toml", folder / "one"));
    CHECK(changed.out.find("was calibrated with another s.toml") != std::string::npos);
    fs::remove(folder.path / "one/evaluations.sqlite");
    CHECK(calipersim(fmt::format("calibrate {} --out {}", folder / "s.toml", folder / "one")).code == 2);
  }
  SUBCASE("resuming a finished calibration runs nothing and changes nothing") {
    const std::string before = *read_file(folder.path / "one/calibrated.toml");
    const Finished again =
        calipersim(fmt::format("calibrate {} --out {} --resume --json", folder / "s.toml", folder / "one"));
    CHECK(again.code == 0);
    CHECK(again.out.find("\"runs\": 0") != std::string::npos);
    CHECK(*read_file(folder.path / "one/calibrated.toml") == before);
  }
  SUBCASE("validate repeats the predictions from calibrated.toml alone") {
    const Finished validated = calipersim(fmt::format("validate {} --params {} --out {}", folder / "s.toml",
                                                      folder / "one/calibrated.toml", folder / "v"));
    CHECK_MESSAGE(validated.code == 0, validated.out);
    CHECK(*read_file(folder.path / "one/predictions.csv") == *read_file(folder.path / "v/predictions.csv"));
  }
  SUBCASE("validate refuses parameters that were found for another execution") {
    put_synthetic(folder, replaced("nccl = \"2.29.7\"", "nccl = \"2.18.3\""));
    for (const char* name : {"ar-1x4.csv", "ag-2x4.csv"}) {
      std::string csv = *read_file(folder.path / name);
      csv.replace(csv.find("2.29.7"), 6, "2.18.3");
      folder.put(name, csv);
    }
    const Finished refused = calipersim(fmt::format("validate {} --params {} --out {}", folder / "s.toml",
                                                    folder / "one/calibrated.toml", folder / "v"));
    CHECK(refused.code == 2);
    CHECK(refused.out.find("calibrated.toml:") != std::string::npos);
    CHECK(refused.out.find("'ar-1x4' is executed by another program") != std::string::npos);
    CHECK(!fs::exists(folder.path / "v"));
  }
}

TEST_CASE("e2e: wrong input is named with file and line, exit code 2, and nothing is written") {
  struct Wrong {
    std::string from, to, line_with, message;
  };
  const Wrong cases[] = {
      {"pool = \"min\"", "pool = \"min\"\nplacment = \"A\"", "placment", "placement"},
      {"nodes = \"jwb[0257-0260]\"", "nodes = \"jwb[0257-0260],nope\"", "nope", "nope"},
      {"nodes = \"jwb[0257-0260]\"", "nodes = \"jwb[0257-0260,0257]\"", "0257]", "jwb0257"},
      {"file = \"ag-2x4.csv\"", "file = \"missing.csv\"", "missing.csv", "no such file"},
      {"\"gpu.launch\", ", "\"nvlink.rate\", ", "nvlink.rate", "direct parameter"},
      {"sizes = { every = 2, from = 0 }", "sizes = { every = 2, from = \"1 GiB\" }", "from = \"1 GiB\"", ""},
      {"groups = \"all\"", "groups = \"all\"\npoints = [{ group = \"ar-1x4\", sizes = [\"8 MiB\"] }]", "",
       "8 MiB"},
      {"budget = { iterations = 3 }", "budget = { iterations = 3, wall = 10 }", "wall = 10", "unit"},
      {"nodes = 2", "nodes = 5", "", "4"},
      {"group = \"ar-1x4\"", "group = \"ar-1x5\"", "ar-1x5", "ar-1x4"},
      {"collective = \"all_gather\"", "collective = \"all_together\"", "all_together", "all_gather"},
      {"system = \"juwels-booster\"", "system = \"juwels\"", "system = \"juwels\"", "juwels-booster"},
  };
  for (const Wrong& wrong : cases) {
    const Folder folder("wrong");
    const std::string scenario = replaced(wrong.from, wrong.to);
    put_synthetic(folder, scenario);
    const Finished finished =
        calipersim(fmt::format("calibrate {} --out {}", folder / "s.toml", folder / "out"));
    CHECK_MESSAGE(finished.code == 2, wrong.to << ": " << finished.out);
    CHECK_MESSAGE(finished.out.find("s.toml:") != std::string::npos, wrong.to << ": " << finished.out);
    if (!wrong.line_with.empty()) {
      const std::string where = fmt::format("s.toml:{}:", line_of(scenario, wrong.line_with));
      CHECK_MESSAGE(finished.out.find(where) != std::string::npos, where << " not in: " << finished.out);
    }
    CHECK_MESSAGE(finished.out.find(wrong.message) != std::string::npos,
                  wrong.message << " not in: " << finished.out);
    CHECK(!fs::exists(folder.path / "out"));
  }
}

TEST_CASE("e2e: simulate without measurements, as JSON, CSV and timeline; unknown names are refused") {
  const Folder folder("simulate");
  put_synthetic(folder);
  const std::string scenario = folder / "s.toml";
  const Finished json = calipersim("simulate " + scenario + " --group ag-2x4 --size 1MiB --size 0B --json");
  REQUIRE_MESSAGE(json.code == 0, json.out);
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed["results"][0]["size_bytes"] == 1048576);
  CHECK(parsed["results"][0]["time_us"].get<double>() > 10);
  CHECK(parsed["results"][1]["time_us"].get<double>() == 0);  // nothing to send: no kernel

  CHECK(calipersim("simulate " + scenario + " --out " + (folder / "r.csv")).code == 0);
  CHECK(split_lines(*read_file(folder.path / "r.csv")).size() == 13);  // header and 2 groups of 6 sizes
  const Finished traced =
      calipersim("simulate " + scenario + " --group ag-2x4 --size 1MiB --trace " + (folder / "t.json"));
  CHECK_MESSAGE(traced.code == 0, traced.out);
  CHECK(nlohmann::json::parse(*read_file(folder.path / "t.json"))["traceEvents"].size() > 100);

  for (const char* wrong :
       {"--group ag-2x5", "--size 64", "--size 64MB/s", "--size 1.5B", "--params nowhere.toml",
        "--out result.txt", "--jobs 0", "--trace t.json", "--trace s.toml", "--size 3B --group ar-1x4",
        "--size 100B --group ag-2x4", "--fidelity quantum", "--nonsense"}) {
    const Finished finished = calipersim("simulate " + scenario + " " + wrong);
    CHECK_MESSAGE(finished.code == 2, wrong << ": " << finished.out);
  }
  const Finished full = calipersim("simulate " + scenario + " --json >/dev/full");
  CHECK_MESSAGE(full.code == 2, full.out);
  CHECK(calipersim("simulate " + (folder / "none.toml")).code == 2);
  CHECK(calipersim("").code == 2);
  CHECK(calipersim("--version").code == 0);
  CHECK(calipersim("--help").code == 0);
}

TEST_CASE("e2e: explain says what is tuned, and which plan runs with which proof") {
  const Folder folder("explain");
  put_synthetic(folder);
  const Finished parameters = calipersim("explain " + (folder / "s.toml"));
  CHECK(parameters.code == 0);
  CHECK(parameters.out.find("tuned in stage scale-up") != std::string::npos);
  CHECK(parameters.out.find("nvlink.rate") != std::string::npos);
  CHECK(calipersim("simulate " + (folder / "s.toml") + " --params " + (folder / "s.toml")).code == 2);
  const Finished plan = calipersim("explain " + (folder / "s.toml") + " --group ar-1x4 --size 1MiB --json");
  REQUIRE_MESSAGE(plan.code == 0, plan.out);
  const auto json = nlohmann::json::parse(plan.out)["plans"][0];
  CHECK(json["channels"] == 24);
  CHECK(json["channels_used"] == 22);  // NCCL 2.22 and later use 22 of 24 at 1 MiB
  CHECK(json["proof"] == "every rank ends with the right data");
}

TEST_CASE("e2e: explain draws the rings of one plan, and says so where it is not one") {
  const Folder folder("explain_svg");
  put_synthetic(folder);
  const std::string scenario = folder / "s.toml", picture = folder / "plan.svg";
  const Finished drawn = calipersim("explain " + scenario + " --group ar-1x4 --size 1MiB --svg " + picture);
  REQUIRE_MESSAGE(drawn.code == 0, drawn.out);
  const auto svg = caliper::read_file(picture);
  REQUIRE(svg);
  CHECK(svg->starts_with("<svg"));
  CHECK(svg->find("AllReduce of 1 MiB on 1 x 4 GPUs") != std::string::npos);
  const Finished many = calipersim("explain " + scenario + " --size 1MiB --size 2MiB --svg " + picture);
  CHECK(many.code == 2);
  CHECK(many.out.find("draws one plan") != std::string::npos);
  const Finished nowhere =
      calipersim("explain " + scenario + " --group ar-1x4 --size 1MiB --svg " + (folder / "no/where.svg"));
  CHECK(nowhere.code == 2);
}

TEST_CASE("e2e: explain says what limits a run, in parts that add up to its time") {
  const Folder folder("limits");
  put_synthetic(folder);
  const std::string run = (folder / "s.toml") + " --group ag-2x4 --size 64MiB";
  const Finished text = calipersim("explain " + run);
  REQUIRE_MESSAGE(text.code == 0, text.out);
  for (const char* expected :
       {"What limits it", "gpu.launch", "bytes over nic (net.efficiency)", "1 % more of"})
    CHECK_MESSAGE(text.out.find(expected) != std::string::npos, text.out);

  const auto limits_of = [&](const std::string& more) {
    const Finished finished = calipersim("explain " + run + " --json" + more);
    REQUIRE_MESSAGE(finished.code == 0, finished.out);
    return nlohmann::json::parse(finished.out)["plans"][0]["limits"];
  };
  const auto limits = limits_of("");
  const Finished simulated = calipersim("simulate " + run + " --json");
  const double time = nlohmann::json::parse(simulated.out)["results"][0]["time_us"];
  CHECK(limits["time_us"] == time);
  for (const char* list : {"parts", "link_classes"}) {
    double sum = 0, shares = 0, before = time;
    for (const auto& row : limits[list]) {
      CHECK(row["time_us"] <= before);
      before = row["time_us"];
      sum += before;
      shares += row["share"].get<double>();
    }
    CHECK(sum == doctest::Approx(time).epsilon(1e-12));
    CHECK(shares == doctest::Approx(1).epsilon(1e-12));
  }
  CHECK(!limits["elasticities"].empty());

  folder.put("slow.toml",
             "schema = 1\n[parameters]\n\"gpu.launch\" = { value = \"50 us\", class = \"auxiliary\" }\n");
  const auto slow = limits_of(" --params " + (folder / "slow.toml") + " 2>/dev/null");
  CHECK(slow["time_us"].get<double>() == doctest::Approx(time + 50 - 8.4));
}

TEST_CASE("e2e: import turns nccl-tests' text into CSV that a scenario reads; other text is refused") {
  const Folder folder("import");
  folder.put(
      "log.txt",
      R"(# nThread 1 nGpus 4 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    40.00   26.21   39.32      0    41.00   25.58   38.36      0
     2097152        524288     float     sum      -1    50.00   41.94   62.91      0    50.00   41.94   62.91      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 50
)");
  const Finished imported =
      calipersim("import nccl-tests " + (folder / "log.txt") + " --out " + (folder / "m.csv"));
  REQUIRE_MESSAGE(imported.code == 0, imported.out);
  const std::string csv = *read_file(folder.path / "m.csv");
  CHECK(csv.find("1048576,40") != std::string::npos);
  CHECK(calipersim("import nccl-tests " + (folder / "m.csv") + " --out " + (folder / "again.csv")).code == 0);
  for (const std::string& to : {folder / "m.toml", folder / "log.txt", folder / "m.csv --out"})
    CHECK_MESSAGE(calipersim("import nccl-tests " + (folder / "m.csv") + " --out " + to).code == 2, to);
  CHECK(calipersim("import nccl-tests " + (folder / "m.csv") + " --out " + (folder / "m.csv")).code == 2);
  folder.put("poem.txt", "shall I compare thee\nto a summer's day\n");
  const Finished refused =
      calipersim("import nccl-tests " + (folder / "poem.txt") + " --out " + (folder / "p.csv"));
  CHECK(refused.code == 2);
  CHECK(!fs::exists(folder.path / "p.csv"));
}
