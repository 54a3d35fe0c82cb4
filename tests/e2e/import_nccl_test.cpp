// From NCCL's logs and XML to records, as a user's shell does it.
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "captures/log_fixtures.hpp"
#include "tests/support/program.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

const std::string kNode =
    "<system version=\"1\"><cpu numaid=\"0\">\n<pci busid=\"0000:01:00.0\" class=\"0x030200\">"
    "<gpu dev=\"0\" sm=\"80\"/></pci>\n<nic><net name=\"ib0\" dev=\"0\" "
    "speed=\"200000\"/></nic>\n</cpu></system>\n";

}  // namespace

TEST_CASE("e2e: logs of a job become a record, with what they do not say and by which rule it is filled in") {
  const Folder folder("import_nccl_log");
  folder.put("job.log", synthetic_log());
  const std::string import = "import nccl-log " + (folder / "job.log") + " --out " + (folder / "job.toml");
  const Finished finished = calipersim(import);
  REQUIRE_MESSAGE(finished.code == 0, finished.out);
  CHECK(says(finished.out, "comm-1: NCCL 2.28.3, 4 ranks on 2 nodes, 2 channels"));
  CHECK(says(finished.out, "not said: chunks and slices of a buffer -> the rules of partition family C"));
  const auto text = read_file(folder.path / "job.toml");
  REQUIRE(bool(text));
  CHECK(says(*text, "order = [0, 1, 3, 2], at = \"job.log:6\""));
  CHECK(calipersim(import).code == 0);  // the same again
  folder.put("job.toml", *text + "# mine\n");
  const Finished again = calipersim(import);
  CHECK(again.code == 2);
  CHECK(says(again.out, "exists with other content"));
}

TEST_CASE("e2e: a plan of another job size, a broken ring, no log: exit code 2, the reason, and no file") {
  const Folder folder("import_nccl_bad");
  folder.put("job.log", synthetic_log());
  folder.put("twice.log", replaced(synthetic_log(), "/02 : 0 1 3 2", "/02 : 0 1 3 1"));
  folder.put("poem.txt", "shall I compare thee\nto a summer's day\n");
  const auto refused = [&](const std::string& arguments, const std::string& reason) {
    const Finished finished = calipersim("import nccl-log " + arguments + " --out " + (folder / "out.toml"));
    CHECK(finished.code == 2);
    CHECK_MESSAGE(says(finished.out, reason), finished.out);
    CHECK(!std::filesystem::exists(folder.path / "out.toml"));
  };
  refused((folder / "job.log") + " --ranks 16", "no communicator of 16 ranks (the log is of 4 ranks)");
  refused(folder / "twice.log", "twice.log:6: channel 00: rank 1 stands twice in the ring");
  refused(folder / "poem.txt", "no line of NCCL's log (run with NCCL_DEBUG=INFO)");
  refused(folder / "missing.log", "missing.log");
}

TEST_CASE("e2e: XML becomes a node; both imports say as JSON what they read") {
  const Folder folder("import_nccl_json");
  folder.put("job.log", synthetic_log());
  folder.put("node.xml", kNode);
  folder.put("cut.xml", kNode.substr(0, 100));
  const auto json_of = [&](const std::string& arguments) {
    const Finished finished = calipersim("import " + arguments + " --json");
    REQUIRE_MESSAGE(finished.code == 0, finished.out);
    return nlohmann::json::parse(finished.out);
  };
  const auto log = json_of("nccl-log " + (folder / "job.log") + " --out " + (folder / "job.toml"));
  CHECK(log["communicators"][0]["ranks"] == 4);
  CHECK(log["communicators"][0]["rings"]["listed"] == 2);
  CHECK(log["communicators"][0]["gaps"].size() == 2);
  const auto node = json_of("nccl-xml " + (folder / "node.xml") + " --out " + (folder / "node.toml"));
  CHECK(node["gpus"] == 1);
  CHECK(says(*read_file(folder.path / "node.toml"), "rate = \"200000 Mbit/s\""));
  const Finished cut =
      calipersim("import nccl-xml " + (folder / "cut.xml") + " --out " + (folder / "cut.toml"));
  CHECK(cut.code == 2);
  CHECK(says(cut.out, "cut.xml:2: no XML"));
}
