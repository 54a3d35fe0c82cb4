#include "scenarios/size_selection.hpp"

#include <algorithm>
#include <functional>

#include <doctest/doctest.h>

#include "base/units.hpp"

using namespace caliper;

namespace {

/// One group; its sizes ascend.
struct Group {
  explicit Group(std::vector<std::uint64_t> sizes) {
    data.groups.push_back({"g", "all_reduce", 4, "A", 0});
    for (const std::uint64_t bytes : sizes) {
      ids.push_back({static_cast<std::uint32_t>(ids.size())});
      data.experiments.push_back({0, bytes, 1e-3, {1e-3}});
    }
  }
  std::vector<std::uint64_t> chosen(const SizeRule& rule) const {
    std::vector<std::uint64_t> sizes;
    const auto found = select_sizes(rule, data, ids, ids);
    REQUIRE(found);
    for (const ExperimentId id : *found) sizes.push_back(data[id].bytes);
    return sizes;
  }
  Dataset data;
  std::vector<ExperimentId> ids;
};

std::optional<SizeRule> rule_of(const std::string& text, std::string& problems) {
  const auto table = parse_toml("sizes = " + text, "f.toml");
  if (!table) return std::nullopt;
  TomlFile file{"f.toml", {}};
  TomlSection root(file, *table, "the file", 1);
  auto rule = read_size_rule(root, "sizes");
  problems = describe(file.problems);
  return rule;
}

}  // namespace

TEST_CASE("size range: half open, written as read") {
  CHECK(parse_size_range("64 MiB .. 1 GiB")->contains(64 * kMiB));
  CHECK(!parse_size_range("64 MiB .. 1 GiB")->contains(1024 * kMiB));
  CHECK(parse_size_range("64 MiB ..")->contains(1024 * kMiB * kMiB));
  CHECK(!parse_size_range(".. 64 MiB")->contains(64 * kMiB));
  CHECK(!parse_size_range(".. 64 MiB")->overlaps(*parse_size_range("64 MiB ..")));
  CHECK(parse_size_range(".. 65 MiB")->overlaps(*parse_size_range("64 MiB ..")));
  for (const char* text : {"all", "64 MiB ..", ".. 1000 B", "1 KiB .. 3 GiB"})
    CHECK(format_size_range(*parse_size_range(text)) == text);
  for (const char* text :
       {"", "..", "64 MiB", "1 .. 2", "2 MiB .. 1 MiB", "1 MiB .. 1 MiB", "a .. b", "1 s .. 2 s"})
    CHECK(!parse_size_range(text));
}

TEST_CASE("size selection: every second size, counted from an index or from a size") {
  const Group group({1, 2, 4, 8, 16, 32});
  CHECK(group.chosen(EverySize{2, std::uint32_t{0}}) == std::vector<std::uint64_t>{1, 4, 16});
  CHECK(group.chosen(EverySize{2, std::uint32_t{1}}) == std::vector<std::uint64_t>{2, 8, 32});
  CHECK(group.chosen(EverySize{2, std::uint64_t{8}}) == std::vector<std::uint64_t>{8, 32});
  CHECK(group.chosen(EverySize{2, std::uint64_t{5}}) == std::vector<std::uint64_t>{8, 32});
  CHECK(group.chosen(EverySize{2, std::uint64_t{64}}).empty());
  CHECK(group.chosen(SizeRange{2, 16}) == std::vector<std::uint64_t>{2, 4, 8});
  CHECK(group.chosen(std::vector<std::uint64_t>{4, 32}) == std::vector<std::uint64_t>{4, 32});
  CHECK(!select_sizes(std::vector<std::uint64_t>{5}, group.data, group.ids, group.ids));
}

TEST_CASE("size selection: a rule sees sizes in scope only, a list takes what it lists") {
  const Group group({1, 2, 4, 8});
  const std::vector<ExperimentId> in_scope(group.ids.begin() + 2, group.ids.end());
  CHECK(select_sizes(SizeRange{}, group.data, group.ids, in_scope)->size() == 2);
  CHECK(select_sizes(std::vector<std::uint64_t>{1}, group.data, group.ids, in_scope)->size() == 1);
}

TEST_CASE("size selection: a count gives exactly so many, ends included, evenly by index or by logarithm") {
  std::vector<std::uint64_t> steps;
  for (std::uint64_t i = 1; i <= 1024; ++i) steps.push_back(i * kMiB / 2);
  const Group group(steps);
  for (const std::uint32_t count : {1u, 2u, 3u, 10u, 389u, 1023u, 1024u})
    for (const Spacing spacing : {Spacing::index, Spacing::log}) {
      const auto sizes = group.chosen(CountOfSizes{count, spacing});
      REQUIRE(sizes.size() == count);
      CHECK(std::ranges::adjacent_find(sizes, std::greater_equal<>{}) == sizes.end());
      CHECK(sizes.front() == steps.front());
      if (count > 1) CHECK(sizes.back() == steps.back());
    }
  // Powers of two of 0.5 .. 512 MiB are among the sizes: eleven by logarithm are those.
  const auto by_log = group.chosen(CountOfSizes{11, Spacing::log});
  for (std::size_t i = 0; i < by_log.size(); ++i) CHECK(by_log[i] == (kMiB / 2) << i);
  const auto by_index = group.chosen(CountOfSizes{12, Spacing::index});
  for (std::size_t i = 0; i < by_index.size(); ++i) CHECK(by_index[i] == steps[93 * i]);
  CHECK(!select_sizes(CountOfSizes{1025, Spacing::log}, group.data, group.ids, group.ids));
}

TEST_CASE("size selection: the forms of a rule, and what is none") {
  std::string problems;
  CHECK(std::get<SizeRange>(*rule_of("\"all\"", problems)) == SizeRange{});
  CHECK(std::get<SizeRange>(*rule_of("\".. 64 MiB\"", problems)).end == 64 * kMiB);
  CHECK(std::get<std::vector<std::uint64_t>>(*rule_of("[\"2 MiB\", \"1 MiB\", \"2 MiB\"]", problems)) ==
        std::vector<std::uint64_t>{kMiB, 2 * kMiB});
  CHECK(std::get<CountOfSizes>(*rule_of("{ count = 5, spacing = \"log\" }", problems)).spacing ==
        Spacing::log);
  CHECK(std::get<std::uint64_t>(
            std::get<EverySize>(*rule_of("{ every = 3, from = \"64 MiB\" }", problems)).from) == 64 * kMiB);
  CHECK(problems.empty());
  const std::pair<const char*, const char*> wrong[] = {
      {"3", "is an integer"},
      {"[]", "lists no size"},
      {"[64]", "is an integer"},
      {"[\"64\"]", "has no unit"},
      {"{}", "neither 'every' nor 'count'"},
      {"{ every = 0 }", "between 1 and"},
      {"{ every = 2, from = -1 }", "between 0 and"},
      {"{ every = 2, form = 1 }", "did you mean 'from'?"},
      {"{ count = 5, spacing = \"even\" }", "one of: index, log"},
      {"{ count = 5 }", "'spacing' is missing"},
      {"\"64 MiB\"", "is no range"},
  };
  for (const auto& [text, what] : wrong) {
    rule_of(text, problems);
    CAPTURE(problems);
    CHECK(problems.starts_with("f.toml:1: "));
    CHECK(problems.find(what) != std::string::npos);
  }
}
