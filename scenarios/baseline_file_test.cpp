#include "scenarios/baseline_file.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace caliper;

namespace {

Baseline some() {
  Baseline baseline;
  baseline.title = "a \"title\"";
  baseline.made_by = "calipersim";
  baseline.scenario_sha256 = "0123";
  baseline.tolerances[static_cast<std::size_t>(Metric::p95)] = 0.25;
  baseline.updates = {{"2026-01-02", "first", ""}, {"2026-02-03", "because", "ar time at 1 MiB: +1 %"}};
  baseline.parameters = {{"gpu.launch", Dimension::time, 8.4e-6},
                         {"gpu.channel_rate", Dimension::rate, 20e9},
                         {"net.duplex", Dimension::number, 1}};
  ErrorStatistics error;
  error.mean = 0.0123456;
  error.p50 = 0.01;
  error.p95 = 0;
  error.max = 3e-7;
  baseline.groups = {{"a.b \"c\"", "aabb", {}, {{Set::calibration, error}}, {}},
                     {"other", "ccdd", {}, {}, {{8, 2, Set::validation}}}};
  baseline.groups[0].tolerances[static_cast<std::size_t>(Metric::time)] = 0.02;
  baseline.groups[0].times = {
      {0, 0, Set::out_of_scope}, {1000, 1.23456789, Set::calibration}, {1 << 20, 1e6, Set::validation}};
  return baseline;
}

std::string edited_baseline(std::string_view from, std::string_view to) {
  std::string text = baseline_toml(some());
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string problems(const std::string& text) {
  const auto baseline = parse_baseline(text, "b.toml");
  return baseline ? "" : describe(baseline.problems());
}

}  // namespace

TEST_CASE("baseline file: what is written is read back, and written the same again") {
  const std::string text = baseline_toml(some());
  const auto read = parse_baseline(text, "b.toml");
  REQUIRE_MESSAGE(read, problems(text));
  CHECK(baseline_toml(*read) == text);
  const auto rows = compare(some(), *read);
  CHECK(rows.size() == 3 + 1 + 4 + 6 + 1 + 2);
  for (const CheckRow& row : rows) CHECK_MESSAGE(row.verdict == Verdict::same, describe(row));
  CHECK(read->tolerances == some().tolerances);
  CHECK(read->groups[0].tolerances == some().groups[0].tolerances);
  CHECK(read->updates[1].moved == "ar time at 1 MiB: +1 %");
}

TEST_CASE("baseline file: one line a size, so that a review shows which moved") {
  CHECK(baseline_toml(some()).find("\n\"1 MiB\" = { us = 1000000, set = \"val\" }\n") != std::string::npos);
}

TEST_CASE("baseline file: tolerances that are left out are the defaults") {
  const auto read = parse_baseline(edited_baseline("p95 = 0.25\n", ""), "b.toml");
  REQUIRE(read);
  CHECK(read->tolerances == kDefaultTolerances);
}

TEST_CASE("baseline file: each slip is named with its line") {
  struct Slip {
    std::string_view from, to, line_with, message;
  };
  const Slip slips[] = {
      {"schema = 1", "schema = 2", "schema", "'schema' in the baseline is 2"},
      {"[tolerance]\n", "[tolerance]\ntme = 0.1\n", "tme", "did you mean 'time'"},
      {"p95 = 0.25", "p95 = -1", "p95 = -1", "between 0"},
      {"p95 = 0.25", "p95 = \"1 %\"", "p95 = \"1 %\"", "a plain number"},
      {"time = 0.02", "parameter = 0.02", "parameter = 0.02", "unknown key 'parameter'"},
      {"set = \"val\"", "set = \"value\"", "\"value\"", "one of: cal, val, out_of_scope"},
      {"us = 1000000", "us = -1", "us = -1", "between"},
      {"us = 1000000", "us = nan", "us = nan", "finite"},
      {"us = 1000000, ", "", "\"1 MiB\"", "'us' is missing"},
      {"\"1 MiB\" =", "\"1000 B\" =", "set = \"val\"", "is already"},
      {"\"1 MiB\" =", "\"1 kB\" =", "set = \"val\"", "1000 B stands twice"},
      {"\"1 MiB\" =", "\"1 MB/s\" =", "MB/s", "unknown unit"},
      {"\"8.4 us\"", "\"8.4 parsecs\"", "parsecs", "no quantity"},
      {"mean = 0.0123456, ", "", "cal = {", "'mean' is missing"},
      {"reason = \"first\"", "reason = \" \"", "reason = \" \"", "is empty"},
      {"program = \"aabb\"\n", "", "[group.\"a.b", "'program' is missing"},
      {"[parameters]", "[parametres]", "[parametres]", "did you mean 'parameters'"},
  };
  for (const Slip& slip : slips) {
    const std::string text = edited_baseline(slip.from, slip.to);
    const std::string found = problems(text);
    const auto at = text.find(slip.line_with);
    REQUIRE(at != std::string::npos);
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    CHECK_MESSAGE(found.find("b.toml:" + std::to_string(line) + ":") != std::string::npos,
                  slip.to << ": " << found);
    if (slip.message != "is already")
      CHECK_MESSAGE(found.find(slip.message) != std::string::npos, slip.to << ": " << found);
  }
}

TEST_CASE("baseline file: cut anywhere, it is refused or says less, and nothing crashes") {
  const std::string text = baseline_toml(some());
  for (std::size_t length = 0; length < text.size() - 1; ++length) {
    const auto read = parse_baseline(text.substr(0, length), "b.toml");
    if (read)
      CHECK_MESSAGE(has_regression(compare(*read, some())), "cut after " << length << " bytes");
    else
      CHECK(read.problems().front().where.starts_with("b.toml:"));
  }
}
