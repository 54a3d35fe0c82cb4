// calipersim check and signature as a CI job meets them: what has to fail does, what has to pass does.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/support/program.hpp"

using namespace caliper;
using namespace caliper::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// The parts of a scenario that may stand in any order, but for the first.
const std::vector<std::string> kParts = {
    "schema = 1\ntitle = \"Synthetic: a scenario to guard\"\ndata = \"synthetic\"\nsystem = "
    "\"system.toml\"\n\n",
    "[placement.A]\nnodes = \"jwb[0257-0260]\"\nsource = \"assumed: synthetic\"\n\n",
    "[defaults.group]\nplacement = \"A\"\ndata_type = \"float32\"\nnccl = \"2.29.7\"\ngpus_per_node = 4\n"
    "[[defaults.group.plan]]\nsizes = \"all\"\nalgorithm = \"ring\"\nprotocol = \"simple\"\nsource = "
    "\"derived\"\n\n",
    "[[group]]\nname = \"ar-1x4\"\ncollective = \"all_reduce\"\nnodes = 1\n"
    "[[group.measured]]\nfile = \"ar-1x4.csv\"\n\n",
    "[[group]]\nname = \"ag-2x4\"\ncollective = \"all_gather\"\nnodes = 2\n"
    "[[group.measured]]\nfile = \"ag-2x4.csv\"\n\n",
    "[[group]]\nname = \"rs-4x4\"\ncollective = \"reduce_scatter\"\nnodes = 4\n"
    "[[group.measured]]\nfile = \"rs-4x4.csv\"\n\n",
    "[[stage]]\nname = \"up\"\ntune = [\"gpu.launch\"]\n"
    "fit = [{ group = \"ar-1x4\", sizes = { every = 2, from = 0 } }]\n\n",
    "[validate]\ngroups = \"all\"\n\n"};

std::string scenario_text() {
  std::string text;
  for (const std::string& part : kParts) text += part;
  return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

std::string system_text() {
  return *read_file(CALIPERSIM_SOURCE_DIR "/scenarios/systems/juwels-booster.toml");
}

std::string synthetic_csv(const std::string& collective, int nodes, double start_us, double rate) {
  std::string csv = fmt::format("# collective: {}\n# nodes: {}\n# gpus_per_node: 4\nsize_bytes,ip_time_us\n",
                                collective, nodes);
  for (const int size : {1 << 16, 1 << 20, 3 << 20, 1 << 24, 1 << 26})
    csv += fmt::format("{},{:.6f}\n", size, start_us + size / rate);
  return csv;
}

/// A folder with the scenario and the baseline that `check --update` makes of it.
struct Guarded {
  Folder folder{"check"};
  std::string scenario = folder / "s.toml", baseline = folder / "b.toml";

  Guarded() {
    folder.put("s.toml", scenario_text());
    folder.put("system.toml", system_text());
    folder.put("ar-1x4.csv", synthetic_csv("all_reduce", 1, 60, 150e3));
    folder.put("ag-2x4.csv", synthetic_csv("all_gather", 2, 90, 85e3));
    folder.put("rs-4x4.csv", synthetic_csv("reduce_scatter", 4, 200, 80e3));
    const Finished made = update("first baseline");
    REQUIRE_MESSAGE(made.code == 0, made.out);
  }
  Finished check(const std::string& more = "") const {
    return calipersim(fmt::format("check {} --baseline {} {}", scenario, baseline, more));
  }
  Finished update(const std::string& reason, const std::string& more = "") const {
    return check(fmt::format("--update --reason '{}' {}", reason, more));
  }
  std::string read(const std::string& name) const { return *read_file(folder.path / name); }
  void edit(const std::string& name, std::string_view from, std::string_view to) const {
    folder.put(name, replaced(read(name), from, to));
  }
};

/// What is printed beside talk on stderr.
Json json_of(const Finished& finished) {
  const auto begin = finished.out.find('{'), end = finished.out.rfind('}');
  REQUIRE_MESSAGE((begin != std::string::npos && end != std::string::npos), finished.out);
  return Json::parse(finished.out.substr(begin, end - begin + 1));
}

/// Metrics that moved, each with how often.
std::map<std::string, int> moved_metrics(const Json& json) {
  std::map<std::string, int> count;
  for (const Json& row : json["moved"]) ++count[row["metric"].get<std::string>()];
  return count;
}

/// A parameter as the baseline says it: `"gpu.launch" = "8.4 us"`.
struct Parameter {
  std::string id;
  double value;
  std::string unit;  ///< empty for a plain number
};

std::vector<Parameter> parameters_in(const std::string& baseline) {
  std::vector<Parameter> parameters;
  bool inside = false;
  for (const std::string_view line : split_lines(baseline)) {
    if (line.starts_with("[")) inside = line == "[parameters]";
    const auto equals = line.find(" = ");
    if (!inside || equals == std::string_view::npos) continue;
    std::string text(line.substr(equals + 3));
    std::erase(text, '"');
    const auto cells = words(text);
    parameters.push_back({std::string(line.substr(1, equals - 2)), *parse_double(cells[0]),
                          cells.size() > 1 ? std::string(cells[1]) : ""});
  }
  return parameters;
}

std::string params_toml(const Parameter& parameter, double factor) {
  const std::string value = fmt::format("{}", parameter.value * factor);
  return fmt::format("schema = 1\n[parameters]\n\"{}\" = {{ value = {}, class = \"auxiliary\" }}\n",
                     parameter.id,
                     parameter.unit.empty() ? value : fmt::format("\"{} {}\"", value, parameter.unit));
}

std::vector<double> times_of(const Finished& simulated) {
  std::vector<double> times;
  const Json json = json_of(simulated);
  for (const Json& row : json["results"]) times.push_back(row["time_us"].get<double>());
  return times;
}

/// Parts of a system file in another order, keys of each reversed, with comments and blanks between. Cells
/// keep their order: it is a fact.
std::string rewritten_system(const std::string& text) {
  std::vector<std::vector<std::string>> parts(1), cells;
  for (const std::string_view line : split_lines(text)) {
    if (line.empty() || line.starts_with("#")) continue;
    if (line.starts_with("[[")) {
      cells.push_back({std::string(line)});
      parts.emplace_back();
    } else if (line.starts_with("[")) {
      parts.push_back({std::string(line)});
    } else {
      (cells.empty() || cells.back().size() > 1 ? parts.back() : cells.back()).emplace_back(line);
    }
  }
  std::string result = "# written anew\r\n";
  for (const std::string& line : parts[0]) result += line + "   # said before\r\n";
  for (const auto& cell : cells)
    for (const std::string& line : cell) result += "\t" + line + "\r\n";
  for (auto part = parts.rbegin(); part + 1 != parts.rend(); ++part) {
    if (part->empty()) continue;
    result += "\r\n" + part->front() + "\r\n";
    for (auto line = part->rbegin(); line + 1 != part->rend(); ++line)
      result += "  " + *line + "  # as it was\r\n";
  }
  return result;
}

}  // namespace

TEST_CASE(
    "check: a baseline passes on what it was made from, with any number of threads, and says since when") {
  const Guarded guarded;
  const Finished passed = guarded.check();
  CHECK_MESSAGE(passed.code == 0, passed.out);
  CHECK(passed.out.find("none of ") != std::string::npos);
  CHECK(passed.out.find(": first baseline\n") != std::string::npos);
  const Finished one = guarded.check("--json --jobs 1"), two = guarded.check("--json --jobs 2");
  CHECK(one.code == 0);
  CHECK(one.out == two.out);
  CHECK(json_of(one)["result"] == "passed");

  const std::string before = guarded.read("b.toml");
  REQUIRE(calipersim(fmt::format("check {} --baseline {} --update --reason 'first baseline' --jobs 1",
                                 guarded.scenario, guarded.folder / "one.toml"))
              .code == 0);
  CHECK(guarded.read("one.toml") == before);
}

TEST_CASE("check: passes what changes nothing: order, comments, blanks, names of files, folder") {
  const Guarded guarded;
  std::string turned = kParts[0];
  for (auto part = kParts.rbegin(); part + 1 != kParts.rend(); ++part) turned += "# a comment\n\n" + *part;
  guarded.folder.put("renamed.toml", replaced(turned, "system.toml", "other.toml"));
  guarded.folder.put("other.toml", rewritten_system(system_text()));
  const Finished renamed =
      calipersim(fmt::format("check {} --baseline {}", guarded.folder / "renamed.toml", guarded.baseline));
  CHECK_MESSAGE(renamed.code == 0, renamed.out);
  const Finished elsewhere = shell(fmt::format("cd {} && {} check renamed.toml --baseline b.toml",
                                               guarded.folder.path.string(), CALIPERSIM_BINARY));
  CHECK_MESSAGE(elsewhere.code == 0, elsewhere.out);
}

TEST_CASE("check: a channel rate that is 5 % off moves times and is named") {
  const Guarded guarded;
  guarded.folder.put("p.toml", params_toml({"gpu.channel_rate", 20, "GB/s"}, 1.05));
  const Finished failed = guarded.check("--params " + (guarded.folder / "p.toml"));
  CHECK_MESSAGE(failed.code == 1, failed.out);
  CHECK(failed.out.find("gpu.channel_rate") != std::string::npos);
  CHECK(failed.out.find("+5.000 %") != std::string::npos);
  CHECK(failed.out.find("--update --reason") != std::string::npos);
  const auto moved = moved_metrics(json_of(guarded.check("--json --params " + (guarded.folder / "p.toml"))));
  CHECK(moved.at("time") > 3);
}

TEST_CASE("check: times alone tell a parameter that matters from one that does not") {
  // |d log T / d log theta| by finite differences. A shift of 2 % moves a time by 2 % of it, the tolerance is
  // 0.1 %: above 0.2 it has to be found, below 0.04 at every size it must not be.
  const Guarded guarded;
  guarded.edit("b.toml", "parameter = 0.01", "parameter = 1");
  for (const char* metric : {"mean", "p50", "p95", "max"})
    guarded.edit("b.toml", fmt::format("\n{} = 0.001", metric), fmt::format("\n{} = 1", metric));
  const std::string simulate = "simulate " + guarded.scenario + " --json";
  const std::vector<double> before = times_of(calipersim(simulate));
  int sensitive = 0, insensitive = 0;
  for (const Parameter& parameter : parameters_in(guarded.read("b.toml"))) {
    guarded.folder.put("p.toml", params_toml(parameter, 0.98));
    const std::string params = " --params " + (guarded.folder / "p.toml");
    const std::vector<double> after = times_of(calipersim(simulate + params));
    REQUIRE(after.size() == before.size());
    double largest = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      largest = std::max(largest, std::abs(std::log(after[i] / before[i]) / std::log(0.98)));
    if (largest > 0.04 && largest < 0.2) continue;
    const Finished checked = guarded.check(params);
    CHECK_MESSAGE(checked.code == (largest > 0.2 ? 1 : 0), parameter.id << " " << largest << "\n"
                                                                        << checked.out);
    ++(largest > 0.2 ? sensitive : insensitive);
  }
  CHECK(sensitive >= 4);
  CHECK(insensitive >= 1);
}

TEST_CASE("check: another execution is a regression, whatever its times") {
  const Guarded guarded;
  SUBCASE("chunks of another NCCL") { guarded.edit("s.toml", "2.29.7", "2.20.5"); }
  SUBCASE("two nodes of the rings swapped") {
    guarded.edit("s.toml", "jwb[0257-0260]", "jwb[0258,0257,0259-0260]");
  }
  SUBCASE("other NICs") { guarded.edit("s.toml", "gpus_per_node", "nic_layout = \"pairs\"\ngpus_per_node"); }
  const Finished failed = guarded.check("--json");
  CHECK_MESSAGE(failed.code == 1, failed.out);
  CHECK(moved_metrics(json_of(failed)).contains("execution"));
  CHECK(guarded.check().out.find("execution") != std::string::npos);
}

TEST_CASE("check: a NIC that is 1 % slower is found") {
  const Guarded guarded;
  guarded.edit("system.toml", "nic_rate = \"200 Gbit/s\"", "nic_rate = \"198 Gbit/s\"");
  const Finished failed = guarded.check("--json");
  CHECK_MESSAGE(failed.code == 1, failed.out);
  CHECK(moved_metrics(json_of(failed)).contains("time"));
}

TEST_CASE(
    "check: measurements that agree better are said and pass, that agree worse fail; tolerances are kept") {
  const Guarded guarded;
  const double simulated =
      times_of(calipersim("simulate " + guarded.scenario + " --json --group rs-4x4 --size 64MiB")).at(0);
  const std::string line = fmt::format("{},{:.6f}", 1 << 26, 200 + (1 << 26) / 80e3);
  SUBCASE("better") {
    guarded.edit("rs-4x4.csv", line, fmt::format("{},{:.6f}", 1 << 26, simulated));
    const Finished passed = guarded.check();
    CHECK_MESSAGE(passed.code == 0, passed.out);
    CHECK(passed.out.find("better") != std::string::npos);
  }
  SUBCASE("worse, unless the group's own tolerances are wide") {
    guarded.edit("rs-4x4.csv", line, fmt::format("{},{:.6f}", 1 << 26, simulated * 2));
    const Finished failed = guarded.check();
    CHECK_MESSAGE(failed.code == 1, failed.out);
    CHECK(failed.out.find("held-out mean") != std::string::npos);
    guarded.edit(
        "b.toml", "[group.\"rs-4x4\".times]",
        "[group.\"rs-4x4\".tolerance]\nmean = 1\np50 = 1\np95 = 1\nmax = 1\n[group.\"rs-4x4\".times]");
    CHECK(guarded.check().code == 0);
    REQUIRE(guarded.update("wide").code == 0);
    CHECK(guarded.read("b.toml").find("[group.\"rs-4x4\".tolerance]\nmean = 1\n") != std::string::npos);
  }
}

TEST_CASE("check: groups and sizes that are gone or new fail until they are announced; the history is kept") {
  const Guarded guarded;
  guarded.edit("s.toml", kParts[5], "");
  guarded.edit("ag-2x4.csv", "65536,", "32768,");
  const Json json = json_of(guarded.check("--json"));
  const auto has = [&](const char* group, const char* subject, const char* verdict) {
    for (const Json& row : json["moved"])
      if (row["group"] == group && row["subject"] == subject && row["verdict"] == verdict) return true;
    return false;
  };
  CHECK(has("rs-4x4", "", "gone"));
  CHECK(has("ag-2x4", "64 KiB", "gone"));
  CHECK(has("ag-2x4", "32 KiB", "new"));
  const Finished updated = guarded.update("fewer measurements");
  CHECK_MESSAGE(updated.code == 0, updated.out);
  CHECK(guarded.check().code == 0);
  CHECK(guarded.check().out.find("fewer measurements") != std::string::npos);
  const std::string text = guarded.read("b.toml");
  CHECK(text.find("reason = \"first baseline\"") < text.find("reason = \"fewer measurements\"\nmoved = \""));
}

TEST_CASE("check: a size that leaves the held-out set is no way to a better error") {
  const Guarded guarded;
  guarded.edit(
      "s.toml", "file = \"rs-4x4.csv\"\n",
      "file = \"rs-4x4.csv\"\n[[group.out_of_scope]]\nsizes = \".. 1 MiB\"\nreason = \"did not fit\"\n");
  const Finished failed = guarded.check("--json");
  CHECK(failed.code == 1);
  CHECK(moved_metrics(json_of(failed)).contains("set"));
}

TEST_CASE("check: JUnit has a case for each group and metric, failed where the exit code says so") {
  const Guarded guarded;
  const std::string junit = " --junit " + (guarded.folder / "r.xml");
  REQUIRE(guarded.check(junit).code == 0);
  CHECK(guarded.read("r.xml").find("failures=\"0\"") != std::string::npos);
  CHECK(guarded.read("r.xml").find("<testcase classname=\"rs-4x4\" name=\"held-out mean\"") !=
        std::string::npos);
  guarded.edit("system.toml", "nic_rate = \"200 Gbit/s\"", "nic_rate = \"198 Gbit/s\"");
  REQUIRE(guarded.check(junit).code == 1);
  const std::string xml = guarded.read("r.xml");
  CHECK(xml.find("failures=\"0\"") == std::string::npos);
  CHECK(xml.find("<failure message=\"") != std::string::npos);
}

TEST_CASE("check: without a baseline it says whether the scenario can run, and all that is wrong") {
  const Guarded guarded;
  const Finished fine = calipersim("check " + guarded.scenario);
  CHECK_MESSAGE(fine.code == 0, fine.out);
  CHECK(fine.out.find("3 groups, 15 programs proven") != std::string::npos);
  guarded.folder.put(
      "p.toml",
      "schema = 1\n[parameters]\n[[group]]\nname = \"ar-1x4\"\nprogram = \"00\"\nsizes = [\"1 MiB\"]\n");
  CHECK(calipersim("check " + guarded.scenario + " --params " + (guarded.folder / "p.toml")).code == 2);
  // No element of every rank fits: both are known only when programs are built.
  guarded.edit("ag-2x4.csv", "65536,", "65540,");
  guarded.edit("rs-4x4.csv", "65536,", "65544,");
  const Finished wrong = calipersim("check " + guarded.scenario);
  CHECK(wrong.code == 2);
  CHECK(wrong.out.find("ag-2x4") != std::string::npos);
  CHECK(wrong.out.find("rs-4x4") != std::string::npos);
}

TEST_CASE("check: bad usage and bad files are exit code 2, and nothing is written over") {
  const Guarded guarded;
  const std::string before = guarded.read("b.toml"), scenario = guarded.read("s.toml");
  for (const char* wrong : {"--update", "--update --reason ''", "--update --reason '  '", "--reason why",
                            "--params nowhere.toml", "--junit r.txt", "--update --reason x --junit r.xml"})
    CHECK_MESSAGE(guarded.check(wrong).code == 2, wrong);
  CHECK(calipersim("check " + guarded.scenario + " --junit r.xml").code == 2);
  CHECK(calipersim("check " + guarded.scenario + " --update --reason x").code == 2);
  const Finished none =
      calipersim(fmt::format("check {} --baseline {}", guarded.scenario, guarded.folder / "no.toml"));
  CHECK(none.code == 2);
  CHECK(none.out.find("--update --reason") != std::string::npos);
  CHECK(guarded.read("b.toml") == before);

  const Finished no_baseline = calipersim(
      fmt::format("check {} --baseline {} --update --reason x", guarded.scenario, guarded.scenario));
  CHECK(no_baseline.code == 2);
  CHECK(guarded.read("s.toml") == scenario);

  guarded.folder.put("b.toml", before.substr(0, before.find("[parameters]") + 20));
  const Finished cut = guarded.update("try");
  CHECK(cut.code == 2);
  CHECK_MESSAGE(cut.out.find("b.toml:") != std::string::npos, cut.out);
}

TEST_CASE("signature: the same with one thread and two; one parameter of the cases that moves is found") {
  const Folder folder("signature");
  const std::string command = "signature --cases " CALIPERSIM_SOURCE_DIR "/scenarios/signature";
  const Finished one = calipersim(command + " --jobs 1"), two = calipersim(command + " --jobs 2");
  REQUIRE_MESSAGE(one.code == 0, one.out);
  CHECK(one.out == two.out);
  folder.put("s.txt", one.out);
  CHECK(calipersim(command + " --compare " + (folder / "s.txt")).code == 0);
  fs::copy(CALIPERSIM_SOURCE_DIR "/scenarios/signature", folder.path / "cases", fs::copy_options::recursive);
  folder.put("cases/other-parameters.toml",
             replaced(*read_file(folder.path / "cases/other-parameters.toml"), "\"3.3 us\"", "\"3.31 us\""));
  const Finished moved =
      calipersim(fmt::format("signature --cases {} --compare {}", folder / "cases", folder / "s.txt"));
  CHECK(moved.code == 1);
  CHECK(moved.out.find("other-parameters at ") != std::string::npos);
  folder.put("s.txt", one.out.substr(0, one.out.size() / 2));
  CHECK(calipersim(command + " --compare " + (folder / "s.txt")).code == 2);
  CHECK(calipersim("signature --cases " + folder.path.string()).code == 2);
}
