// From a folder of logs to a scenario that runs, as a user's shell does it.
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/support/program.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

/// Five sizes on one node of four GPUs; no number was measured.
std::string run(const std::string& collective, const std::string& redop) {
  std::string log =
      "# Collective test starting: " + collective +
      "_perf\n# nThread 1 nGpus 4 minBytes 1048576 maxBytes 16777216 step: 2(factor) warmup iters: 5 "
      "iters: 20 agg iters: 1 validation: 1 graph: 0\n";
  for (int rank = 0; rank < 4; ++rank)
    log += "#  Rank  " + std::to_string(rank) + " Group  0 Pid  1 on node1 device  " + std::to_string(rank) +
           " [0x0" + std::to_string(rank) + "] NVIDIA A100\n";
  log +=
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw "
      "  "
      "busbw #wrong\n";
  const std::uint64_t share = collective == "all_gather" ? 4 : 1;
  for (std::uint64_t bytes = 1 << 20; bytes <= 1 << 24; bytes *= 2) {
    const std::string cell =
        " " + std::to_string(static_cast<double>(bytes) / 1e5) + " 100.00 150.00 0";  // 100 GB/s
    log += std::to_string(bytes) + " " + std::to_string(bytes / 4 / share) + " float " + redop + " -1" +
           cell + cell + "\n";
  }
  return log + "# Out of bounds values : 0 OK\n# Avg bus bandwidth : 150\n";
}

const std::string kSystem =
    std::string(" --system ") + CALIPERSIM_SOURCE_DIR + "/scenarios/systems/juwels-booster.toml";

}  // namespace

TEST_CASE(
    "e2e: a folder of logs becomes measurements and a scenario that simulates and explains as it stands") {
  const Folder folder("import_folder");
  std::filesystem::create_directory(folder.path / "logs");
  folder.put("logs/node.log", run("all_reduce", "sum") + run("all_gather", "none"));
  folder.put("logs/poem.txt", "shall I compare thee\nto a summer's day\n");
  const std::string import = "import nccl-tests " + (folder / "logs") + " --out " + (folder / "my/");
  const Finished imported = calipersim(import + kSystem);
  REQUIRE_MESSAGE(imported.code == 0, imported.out);
  CHECK(imported.out.find("not imported: " + (folder / "logs/poem.txt") + ": no measurements") !=
        std::string::npos);
  CHECK(read_file(folder.path / "my/node-1.csv"));
  CHECK(read_file(folder.path / "my/node-2.csv"));
  for (const char* command : {"simulate ", "explain "}) {
    const Finished finished = calipersim(command + (folder / "my/scenario.toml"));
    CHECK_MESSAGE(finished.code == 0, finished.out);
    CHECK(finished.out.find("ag-1x4") != std::string::npos);
  }
  // A scenario that somebody has edited is never written over.
  folder.put("my/scenario.toml", "# mine\n");
  CHECK(calipersim(import + kSystem).code == 0);
  CHECK(*read_file(folder.path / "my/scenario.toml") == "# mine\n");
}

TEST_CASE(
    "e2e: what an import wrote and somebody changed is not written over; a log that is there twice counts "
    "once") {
  const Folder folder("import_again");
  std::filesystem::create_directory(folder.path / "logs");
  folder.put("logs/a.log", run("all_reduce", "sum"));
  folder.put("logs/copy.log", run("all_reduce", "sum"));
  const std::string import =
      "import nccl-tests " + (folder / "logs") + " --out " + (folder / "my/") + kSystem;
  REQUIRE(calipersim(import).code == 0);
  CHECK(read_file(folder.path / "my/scenario.toml")->find("holds the same measurements as a.csv") !=
        std::string::npos);
  CHECK(calipersim(import).code == 0);  // the same again
  const std::string edited = *read_file(folder.path / "my/a.csv") + "# note of mine\n";
  folder.put("my/a.csv", edited);
  const Finished again = calipersim(import);
  CHECK(again.code == 2);
  CHECK(again.out.find("a.csv: exists with other content") != std::string::npos);
  CHECK(*read_file(folder.path / "my/a.csv") == edited);
}

TEST_CASE("e2e: a file that is named and holds no measurements forbids the import; nothing is written") {
  const Folder folder("import_refused");
  folder.put("a.log", run("all_reduce", "sum") + run("all_gather", "none"));
  folder.put("poem.txt", "shall I compare thee\nto a summer's day\n");
  CHECK(calipersim("import nccl-tests " + (folder / "a.log") + " " + (folder / "poem.txt") + " --out " +
                   (folder / "out/"))
            .code == 2);
  CHECK(!std::filesystem::exists(folder.path / "out"));
  const Finished one = calipersim("import nccl-tests " + (folder / "a.log") + " --out " + (folder / "a.csv"));
  CHECK(one.code == 2);
  CHECK(one.out.find("2 tables") != std::string::npos);
  const Finished unknown = calipersim("import nccl-tests " + (folder / "a.log") + " --out " +
                                      (folder / "out/") + " --system nowhere");
  CHECK(unknown.code == 2);
  CHECK(!std::filesystem::exists(folder.path / "out"));
}

TEST_CASE("e2e: import says as JSON what was kept, left out and refused") {
  const Folder folder("import_json");
  folder.put("a.log", run("all_reduce", "sum"));
  const Finished finished =
      calipersim("import nccl-tests " + (folder / "a.log") + " --out " + (folder / "a.csv") + " --json");
  REQUIRE(finished.code == 0);
  const auto json = nlohmann::json::parse(finished.out);
  REQUIRE(json["tables"].size() == 1);
  CHECK(json["tables"][0]["kept"] == 10);
  CHECK(json["tables"][0]["gpus_per_node"] == 4);
  CHECK(json["tables"][0]["gpu_model"] == "NVIDIA A100");
  CHECK(json["refused"].empty());
  CHECK(json["scenario"].is_null());
}
