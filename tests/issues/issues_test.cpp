// Bug reports that users of other simulators and calibrators wrote, each with an input of our own that asks
// the same of this program. A folder PROJECT_NUMBER_SLUG holds the input, README.md (what was reported, what
// is right) and case.toml: commands, and what has to come out. See README.md here for the keys.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/support/program.hpp"

using namespace caliper;
using namespace caliper::test;
namespace fs = std::filesystem;

namespace {

std::set<std::string> case_folders() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(CALIPERSIM_ISSUES_DIR))
    if (entry.is_directory()) names.insert(entry.path().filename().string());
  return names;
}

std::string text_of(const toml::table& table, std::string_view key) {
  return table[key].value_or(std::string());
}

std::vector<std::string> list_of(const toml::table& table, std::string_view key) {
  std::vector<std::string> list;
  if (const toml::array* array = table[key].as_array())
    for (const toml::node& node : *array) list.push_back(node.value_or(std::string()));
  return list;
}

std::string with_all_replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// One change of a copied file, before a command runs.
void edit(const fs::path& folder, const toml::table& change) {
  const fs::path file = folder / text_of(change, "file");
  std::string text = *read_file(file);
  const std::string how = text_of(change, "as");
  if (how == "crlf") {
    text = with_all_replaced(text, "\n", "\r\n");
  } else if (how == "bom") {
    text = "\xEF\xBB\xBF" + text;
  } else if (how == "no final newline") {
    REQUIRE(text.ends_with('\n'));
    while (text.ends_with('\n')) text.pop_back();
  } else if (how == "without") {
    fs::remove(file);
    return;
  } else if (how == "tables reversed") {
    // Tables are paragraphs; what stands before the first of them stays in front.
    std::vector<std::string> blocks = {""};
    for (const std::string_view line : split_lines(text)) {
      const bool begins = line.starts_with("[[group]]") || line.starts_with("[placement") ||
                          line.starts_with("[defaults") || line.starts_with("[[model_gap]]");
      if (begins) blocks.emplace_back();
      blocks.back() += std::string(line) + "\n";
    }
    std::reverse(blocks.begin() + 1, blocks.end());
    text.clear();
    for (const std::string& block : blocks) text += block;
  } else {
    const std::string from = text_of(change, "replace");
    REQUIRE_MESSAGE(text.find(from) != std::string::npos, from << " is not in " << file);
    text = with_all_replaced(text, from, text_of(change, "by"));
  }
  REQUIRE(write_file(file, text).empty());
}

/// Simulated times of a run with --json, us, in the order printed.
std::vector<double> times_of(const std::string& out) {
  const auto begin = out.find("{\n");  // before it stands what the program says to people
  REQUIRE_MESSAGE(begin != std::string::npos, out);
  const auto json = nlohmann::json::parse(out.substr(begin), nullptr, false);
  REQUIRE_MESSAGE(!json.is_discarded(), out);
  std::vector<double> times;
  for (const auto& row : json["results"]) times.push_back(row["time_us"].get<double>());
  return times;
}

void check_times(const toml::table& run, const std::vector<double>& times,
                 const std::map<std::string, std::vector<double>>& earlier) {
  for (const double time : times) CHECK(std::isfinite(time));
  if (const auto count = run["count"].value<std::int64_t>())
    CHECK(times.size() == static_cast<std::size_t>(*count));
  if (run["above_zero"].value_or(false))
    CHECK(std::ranges::all_of(times, [](double time) { return time > 0; }));
  if (run["rising"].value_or(false)) CHECK(std::ranges::is_sorted(times));
  if (const std::string other = text_of(run, "same_as"); !other.empty()) {
    REQUIRE(earlier.contains(other));
    CHECK(times == earlier.at(other));
  }
  const toml::table* ratio = run["ratio"].as_table();
  if (!ratio) return;
  const std::string other = text_of(*ratio, "to");
  REQUIRE(earlier.contains(other));
  REQUIRE(earlier.at(other).size() == times.size());
  REQUIRE(!times.empty());
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(times[i] / earlier.at(other)[i] >= (*ratio)["low"].value_or(1.0));
    CHECK(times[i] / earlier.at(other)[i] <= (*ratio)["high"].value_or(1.0));
  }
}

void check_run(const fs::path& inputs, const toml::table& run,
               std::map<std::string, std::vector<double>>& earlier) {
  const Folder folder("issue");
  fs::copy(inputs, folder.path, fs::copy_options::recursive);
  if (const toml::array* edits = run["edit"].as_array())
    for (const toml::node& change : *edits) edit(folder.path, *change.as_table());
  const std::string command = text_of(run, "command");
  CAPTURE(text_of(run, "name"));
  CAPTURE(command);
  const Finished finished =
      shell(fmt::format("cd {} && {} {}", folder.path.string(), CALIPERSIM_BINARY, command));
  CAPTURE(finished.out);
  CHECK(finished.code == run["exit"].value_or(0));
  for (const std::string& words : list_of(run, "says"))
    CHECK_MESSAGE(finished.out.find(words) != std::string::npos, "not said: " << words);
  for (const std::string& name : list_of(run, "leaves_no"))
    CHECK_MESSAGE(!fs::exists(folder.path / name), name << " was left");
  if (finished.code != 0 || command.find("--json") == std::string::npos || !command.starts_with("simulate"))
    return;
  std::vector<double> times = times_of(finished.out);
  check_times(run, times, earlier);
  earlier[text_of(run, "name")] = std::move(times);
}

}  // namespace

TEST_CASE("issues: every folder says which report it stands for, and gives the right answer") {
  const std::set<std::string> known_run = {"name",       "command", "exit",    "says",  "leaves_no", "count",
                                           "above_zero", "rising",  "same_as", "ratio", "edit"};
  std::size_t cases = 0;
  for (const std::string& name : case_folders()) {
    const fs::path inputs = fs::path(CALIPERSIM_ISSUES_DIR) / name;
    if (!fs::exists(inputs / "case.toml")) continue;  // its *_test.cpp asks modules directly
    CAPTURE(name);
    ++cases;
    toml::table file;
    REQUIRE_NOTHROW(file = toml::parse_file((inputs / "case.toml").string()));
    CHECK(text_of(file, "report").starts_with("https://github.com/"));
    CHECK(fs::exists(inputs / "README.md"));
    const toml::array* runs = file["run"].as_array();
    REQUIRE(runs);
    std::map<std::string, std::vector<double>> earlier;
    for (const toml::node& node : *runs) {
      for (const auto& [key, value] : *node.as_table())
        CHECK_MESSAGE(known_run.contains(std::string(key.str())), "unknown key " << key.str());
      check_run(inputs, *node.as_table(), earlier);
    }
  }
  CHECK(cases >= 15);
}
