// What a calibration has to show before its held-out errors mean anything, as a user meets it.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/support/synthetic.hpp"

using namespace caliper;
using namespace caliper::test;
namespace fs = std::filesystem;

namespace {

/// The scenario with a third group, measured in `file`, held out; the one whose parameters no stage tunes is
/// not asked for.
std::string with_group(const std::string& file) {
  std::string text(kSyntheticScenario);
  const std::string group = fmt::format(
      "[[group]]\nname = \"fresh\"\ncollective = \"all_reduce\"\nnodes = 1\n[[group.measured]]\nfile = "
      "\"{}\"\n"
      "[[group.plan]]\nsizes = \"all\"\nalgorithm = \"ring\"\nprotocol = \"simple\"\nsource = "
      "\"derived\"\n\n",
      file);
  text.replace(text.find("groups = \"all\""), 14, "groups = [\"ar-1x4\", \"fresh\"]");
  return text.insert(text.find("[[stage]]"), group);
}

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("e2e: a run that stands in two files under two names is refused with both places") {
  const Folder folder("leak");
  put_synthetic(folder, with_group("copy.csv"));
  std::string copy = synthetic_csv("all_reduce", 1, 60, 150e3);
  copy.replace(copy.find("made for this test"), 18, "another day");
  folder.put("copy.csv", copy);
  const Finished refused =
      calipersim(fmt::format("calibrate {} --out {}", folder / "s.toml", folder / "out"));
  CHECK(refused.code == 2);
  CHECK_MESSAGE(contains(refused.out,
                         "3 held-out records of group 'fresh' at 8 MiB, 32 MiB, 128 MiB are also "
                         "fitted, in group 'ar-1x4' at 8 MiB, 32 MiB, 128 MiB"),
                refused.out);
  CHECK_FALSE(fs::exists(folder.path / "out"));
}

TEST_CASE("e2e: the controls are made, said, skipped on request, and change nothing that was found") {
  const Folder folder("controls");
  put_synthetic(folder, with_group("fresh.csv"));
  folder.put("fresh.csv", synthetic_csv("all_reduce", 1, 61, 149e3));
  const std::string scenario = folder / "s.toml";
  const Finished with = calipersim(fmt::format("calibrate {} --out {} --jobs 1", scenario, folder / "with"));
  const Finished other =
      calipersim(fmt::format("calibrate {} --out {} --jobs 2", scenario, folder / "other"));
  const Finished without =
      calipersim(fmt::format("calibrate {} --out {} --no-shuffle", scenario, folder / "without"));
  REQUIRE_MESSAGE(with.code == 0, with.out);
  REQUIRE_MESSAGE(other.code == 0, other.out);
  REQUIRE_MESSAGE(without.code == 0, without.out);
  CHECK(contains(with.out, "3 calibration and 9 validation records, 0 in common"));
  CHECK_MESSAGE(contains(with.out, "the simulator predicts badly, as it should"), with.out);
  CHECK(contains(without.out, "Label-shuffle control: not made, skipped on request"));
  const auto same = [&](const char* a, const char* b, const char* name) {
    return *read_file(folder.path / a / name) == *read_file(folder.path / b / name);
  };
  CHECK(same("with", "without", "calibrated.toml"));
  CHECK(same("with", "without", "predictions.csv"));
  CHECK(same("with", "other", "report.html"));
  CHECK(same("with", "other", "validation.json"));

  const auto found = nlohmann::json::parse(*read_file(folder.path / "with/validation.json"));
  CHECK(found["label_shuffle"]["fails_as_it_should"] == true);
  CHECK(found["records"]["in_common"] == 0);
  for (const auto& group : found["groups"])
    CHECK(group.contains("nearest_size") == (group["name"] == "ar-1x4" && group["set"] == "val"));

  const Finished resumed =
      calipersim(fmt::format("calibrate {} --out {} --resume", scenario, folder / "without"));
  REQUIRE_MESSAGE(resumed.code == 0, resumed.out);
  CHECK(same("with", "without", "report.html"));

  const std::string validate =
      fmt::format("validate {} --params {} --out ", scenario, folder / "with/calibrated.toml");
  const Finished validated = calipersim(validate + (folder / "v"));
  REQUIRE_MESSAGE(validated.code == 0, validated.out);
  CHECK(contains(validated.out, "the simulator predicts badly, as it should"));
  CHECK(contains(calipersim(validate + (folder / "w") + " --no-shuffle").out, "skipped on request"));
}
