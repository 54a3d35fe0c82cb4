#include "scenarios/system_file.hpp"

#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "topology/machine.hpp"

using namespace caliper;
namespace fs = std::filesystem;

namespace {

const fs::path kSystems = fs::path(CALIPERSIM_SCENARIOS_DIR) / "systems";

Machine shipped(const std::string& name) {
  const auto path = find_system(name, ".", kSystems);
  REQUIRE(path);
  auto machine = read_machine(*read_file(*path), name, path->string());
  if (!machine) FAIL(describe(machine.problems()));
  return std::move(*machine);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string problems_of(const std::string& text) {
  const auto spec = read_system(text, "x", "x.toml");
  return spec ? "" : describe(spec.problems());
}

}  // namespace

TEST_CASE("systems: JUWELS Booster has 936 nodes in 20 cells of two racks, the last of one") {
  const Machine machine = shipped("juwels-booster");
  CHECK(machine.nodes() == 936);
  CHECK(machine.groups() == 20);
  CHECK(machine.spec().node.gpus * machine.nodes() == 3744);
  // Rack r holds the names 32 r + 1 .. 12 and 21 .. 32.
  CHECK(!machine.find_node("jwb0013"));
  CHECK(!machine.find_node("jwb1249"));
  CHECK(machine.group_of(*machine.find_node("jwb0001")) == 0);
  CHECK(machine.group_of(*machine.find_node("jwb0257")) == 4);
  CHECK(machine.group_of(*machine.find_node("jwb0320")) == 4);
  CHECK(machine.group_of(*machine.find_node("jwb0321")) == 5);
  CHECK(machine.group_of(*machine.find_node("jwb1248")) == 19);
  CHECK(machine.spec().node.nvlinks_per_pair * machine.spec().node.nvlink_rate == doctest::Approx(100e9));
  CHECK(machine.spec().node.nic_rate == doctest::Approx(25e9));
}

TEST_CASE("systems: JUPITER Booster has 5,884 nodes in 25 groups of 15 leaves of 16") {
  const Machine machine = shipped("jupiter-booster");
  CHECK(machine.nodes() == 5884);
  CHECK(machine.groups() == 25);
  const auto place = [&](const char* name) {
    const std::uint32_t node = *machine.find_node(name);
    return std::pair(machine.group_of(node), machine.leaf_of(node));
  };
  CHECK(place("jpbo-001-16") == std::pair(0u, 0u));
  CHECK(place("jpbo-001-17") == std::pair(0u, 1u));
  CHECK(place("jpbo-005-48") == std::pair(0u, 14u));
  CHECK(place("jpbo-006-01") == std::pair(1u, 0u));
  CHECK(place("jpbo-123-28") == std::pair(24u, 7u));
  CHECK(machine.spec().node.nvlinks_per_pair * machine.spec().node.nvlink_rate == doctest::Approx(150e9));
}

TEST_CASE(
    "systems: each fact of a shipped system has a source that can be followed, or says what it rests on") {
  for (const char* name : {"juwels-booster", "jupiter-booster"}) {
    const Machine machine = shipped(name);
    CHECK(machine.spec().sources.size() == 18);
    for (const auto& [fact, source] : machine.spec().sources) {
      CAPTURE(fact);
      CHECK((source.starts_with("https://") || source.starts_with("assumed: ") ||
             source.starts_with("derived: ")));
    }
  }
}

TEST_CASE("system file: what is wrong is said at its line, all at once") {
  const std::string text = *read_file(kSystems / "jupiter-booster.toml");
  CHECK(problems_of(text).empty());
  const auto find = [&](const std::string& edited, const std::string& wanted) {
    const std::string found = problems_of(edited);
    CAPTURE(found);
    CHECK(found.find(wanted) != std::string::npos);
  };
  find(replaced(text, "nic_rate = \"200 Gbit/s\"", "nic_rate = 25"),
       "x.toml:12: 'nic_rate' in [node] is an integer");
  find(replaced(text, "nic_rate = \"200 Gbit/s\"", "nic_rate = \"0 GB/s\""),
       "x.toml:12: 'nic_rate' in [node] is 0 GB/s");
  find(replaced(text, "gpus = 4", "gpus = 0"), "x.toml:8: 'gpus' in [node] is 0");
  find(replaced(text, "nic_of_gpu = [0, 1, 2, 3]", "nic_of_gpu = [0, 1, 2]"),
       "x.toml:13: 'nic_of_gpu' has 3 entries for 4");
  find(replaced(text, "nic_of_gpu = [0, 1, 2, 3]", "nic_of_gpu = [0, 1, 2, 4]"),
       "x.toml:13: 'nic_of_gpu' names NIC 4");
  find(replaced(text, "dragonfly-plus", "torus"),
       "x.toml:17: fabric type 'torus' is not known (one of: dragonfly-plus)");
  find(replaced(text, "schema = 1", "schema = 2"), "x.toml:2: 'schema' in the system file is 2");
  find(replaced(text, "\"node.nics\"", "\"node.nicks\""), "fact 'node.nics' has no source");
  find(replaced(text, "\"node.nics\"", "\"node.nicks\""),
       "unknown key 'node.nicks' in [sources] (did you mean 'node.nics'?)");
  find(text.substr(0, text.find("[[group]]")), "the system has no nodes");
  const auto both = replaced(replaced(text, "gpus = 4", "gpus = 0"), "schema = 1", "schema = 2");
  find(both, "x.toml:2: ");
  find(both, "x.toml:8: ");
}

TEST_CASE("system file: found by name or by path; an unknown name gets a suggestion") {
  CHECK(*find_system("jupiter-booster", "/nowhere", kSystems) == kSystems / "jupiter-booster.toml");
  CHECK(find_system("systems/jupiter-booster.toml", CALIPERSIM_SCENARIOS_DIR, "/nowhere"));
  const auto unknown = find_system("jupiter-boster", ".", kSystems);
  REQUIRE(!unknown);
  CHECK(unknown.problems()[0].what == "unknown system 'jupiter-boster'");
  CHECK(unknown.problems()[0].hint.find("did you mean 'jupiter-booster'?") != std::string::npos);
  CHECK(!find_system("no/such.toml", ".", kSystems));
  CHECK(!find_system("x", ".", "/nowhere"));
}

TEST_CASE("system file: cut anywhere or damaged anywhere, it is read or refused with places") {
  const std::string text = *read_file(kSystems / "jupiter-booster.toml");
  const auto sound = [](const std::string& damaged) {
    const auto spec = read_system(damaged, "x", "x.toml");
    if (spec) return true;
    for (const Error& error : spec.problems())
      if (!error.where.starts_with("x.toml:") || error.what.empty()) return false;
    return true;
  };
  for (std::size_t length = 0; length < text.size(); length += 7) CHECK(sound(text.substr(0, length)));
  for (std::uint64_t i = 0; i < 500; ++i) {
    std::string damaged = text;
    damaged[hash64(1, i, 0) % text.size()] = static_cast<char>(hash64(1, i, 1));
    CHECK(sound(damaged));
  }
}

TEST_CASE("system file: what a machine cannot be built of is said at the line of the fact") {
  const std::string text = *read_file(fs::path(CALIPERSIM_SCENARIOS_DIR) / "systems/juwels-booster.toml");
  const std::string first = "jwb[0001-0012,", second = "jwb[0065-0076,";
  std::string twice = text;
  twice.replace(twice.find(second), second.size(), "jwb[0012,0066-0076,");
  const auto machine = read_machine(twice, "x", "x.toml");
  REQUIRE(!machine);
  const auto line =
      1 +
      std::count(twice.begin(), twice.begin() + static_cast<std::ptrdiff_t>(twice.find("jwb[0012,")), '\n');
  CHECK(describe(machine.problems())
            .find(fmt::format("x.toml:{}: group 1: node 'jwb0012' is named a second time", line)) == 0);
}
