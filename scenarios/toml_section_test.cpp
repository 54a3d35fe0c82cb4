#include "scenarios/toml_section.hpp"

#include <doctest/doctest.h>

using namespace caliper;

namespace {

struct Reading {
  explicit Reading(std::string_view text) : table(parse_toml(text, "f.toml")), file{"f.toml", {}} {}
  TomlSection root() { return {file, *table, "the file", 1}; }
  std::string problems() const { return describe(file.problems); }

  Result<TomlTable> table;
  TomlFile file;
};

}  // namespace

TEST_CASE("toml: a syntax error says file and line") {
  const auto broken = parse_toml("a = 1\nb = [1,\nc = 2\n", "f.toml");
  REQUIRE(!broken);
  CHECK(broken.problems()[0].where.starts_with("f.toml:"));
  const auto twice = parse_toml("a = 1\n\na = 2\n", "f.toml");
  REQUIRE(!twice);
  CHECK(twice.problems()[0].where == "f.toml:3");
  CHECK(!parse_toml("a = \"\xff\"", "f.toml"));
}

TEST_CASE("toml section: values are read in SI, and a key that nobody reads is a typing error") {
  Reading reading("rate = \"200 Gbit/s\"\nlatency = \"1.5 us\"\n\n[link]\ncount = 3\nlatancy = 1\n");
  TomlSection root = reading.root();
  CHECK(root.quantity("rate", Dimension::rate) == doctest::Approx(25e9));
  CHECK(root.quantity("latency", Dimension::time) == doctest::Approx(1.5e-6));
  auto link = root.table("link");
  REQUIRE(link);
  CHECK(link->count("count") == 3u);
  CHECK(!link->quantity("latency", Dimension::time, Need::optional));
  link->finish();
  root.finish();
  CHECK(reading.problems() == "f.toml:6: unknown key 'latancy' in [link] (did you mean 'latency'?)");
}

TEST_CASE("toml section: every trouble of a file is reported, each at its key") {
  Reading reading(
      "a = 25\nb = \"25\"\nc = \"25 us\"\nd = 1.5\ne = 7\nf = \"x\"\ng = \" \"\nh = [\"x\", 1]\ni = [[1]]\nj "
      "= 0.5\nk = nan\n");
  TomlSection root = reading.root();
  CHECK(!root.quantity("a", Dimension::rate));
  CHECK(!root.quantity("b", Dimension::rate));
  CHECK(!root.quantity("c", Dimension::rate));
  CHECK(!root.count("d"));
  CHECK(!root.count("e", Need::required, 1, 6));
  CHECK(!root.number("f"));
  CHECK(!root.text("g"));
  CHECK(root.texts("h").empty());
  CHECK(root.tables("i").empty());
  CHECK(!root.number("j", Need::required, {0.6, 1}));
  CHECK(!root.number("k"));
  CHECK(!root.text("missing"));
  root.finish();
  REQUIRE(reading.file.problems.size() == 12);
  const char* where[] = {"f.toml:1", "f.toml:2", "f.toml:3", "f.toml:4",  "f.toml:5",  "f.toml:6",
                         "f.toml:7", "f.toml:8", "f.toml:9", "f.toml:10", "f.toml:11", "f.toml:1"};
  for (std::size_t i = 0; i < 12; ++i) CHECK(reading.file.problems[i].where == where[i]);
  CHECK(
      describe(reading.file.problems[0]) ==
      "f.toml:1: 'a' in the file is an integer (it has to be a quantity with its unit such as \"25 GB/s\" or "
      "\"200 Gbit/s\")");
  CHECK(reading.file.problems[1].what.find("has no unit") != std::string::npos);
  CHECK(reading.file.problems[2].what.find("unknown unit 'us'") != std::string::npos);
  CHECK(describe(reading.file.problems[4]) ==
        "f.toml:5: 'e' in the file is 7 (it has to be between 1 and 6)");
  CHECK(describe(reading.file.problems[9]) ==
        "f.toml:10: 'j' in the file is 0.5 (it has to be between 0.6 and 1)");
  CHECK(reading.file.problems[11].what == "'missing' is missing in the file");
}

TEST_CASE("toml section: defaults fill what is missing and are reported once, in their own name") {
  Reading reading("[defaults]\npool = 1\nsize = 4\n[[group]]\nname = \"x\"\n[[group]]\nsize = 5\n");
  TomlSection root = reading.root();
  auto defaults = root.table("defaults");
  REQUIRE(defaults);
  std::vector<std::uint32_t> sizes;
  for (TomlSection& group : root.tables("group")) {
    group.fall_back_to(*defaults);
    group.text("name", Need::optional);
    group.text("pool");
    sizes.push_back(group.count("size").value_or(0));
    group.finish();
  }
  defaults->finish();
  root.finish();
  CHECK(sizes == std::vector<std::uint32_t>{4, 5});
  CHECK(reading.problems() ==
        "f.toml:2: 'pool' in [defaults] is an integer (it has to be a string in quotes)");
}
