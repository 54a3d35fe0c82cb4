#include "bench/comparison.hpp"

#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

using namespace caliper;
using namespace caliper::bench;

namespace {

RunRecord run(std::string series, std::string simulator, std::uint32_t ranks, double seconds,
              double completion_us = 100) {
  RunRecord record;
  record.series = std::move(series);
  record.simulator = std::move(simulator);
  record.version = "3.32";
  record.compiler = "gcc 12.2.0";
  record.work.ranks = ranks;
  record.messages = message_count(record.work);
  record.completion_us = completion_us;
  record.run_cpu_s = record.run_wall_s = record.first_run_cpu_s = seconds;
  record.build_cpu_s = seconds / 2;
  return record;
}

/// A peer and one of ours, which is twice as fast at four ranks.
Comparison small_comparison() {
  Comparison comparison;
  comparison.setting.processor = "a <fast> processor";
  for (const double seconds : {3.0, 1.0, 2.0}) {
    comparison.runs.push_back(run("compare", "plain", 4, seconds / 2));
    comparison.runs.push_back(run("compare", "simgrid", 4, seconds));
  }
  for (const std::uint32_t ranks : {4u, 8u, 16u, 32u})
    comparison.runs.push_back(run(std::string(kDrawnGrowth), "plain", ranks, 1e-6 * ranks * (ranks - 1)));
  return comparison;
}

}  // namespace

TEST_CASE("bench: messages are 2(n-1) steps of n ranks, C channels and J chunks") {
  CHECK(message_count({.ranks = 64, .bytes = 16 << 20, .channels = 8}) == 2u * 63 * 64 * 8);
  // A step of ceil(2^29 / 64) = 8 MiB is 16 chunks of 512 KiB.
  CHECK(message_count({.ranks = 64, .bytes = 512 << 20, .chunk = 512 << 10}) == 2u * 63 * 64 * 16);
  CHECK(message_count({.ranks = 4, .bytes = 41, .chunk = 5}) == 2u * 3 * 4 * 3);  // steps of 11: 4 + 4 + 3
}

TEST_CASE("bench: a power law is found again, and its exponent does not depend on the units") {
  const std::vector<double> x = {10, 100, 3000, 1e6};
  for (const double exponent : {-0.5, 1.0, 1.25}) {
    std::vector<double> y, scaled;
    for (const double value : x) {
      y.push_back(2e-6 * std::pow(value, exponent));
      scaled.push_back(1e9 * y.back());
    }
    const PowerLaw law = fit_power_law(x, y);
    CHECK(law.exponent == doctest::Approx(exponent).epsilon(1e-12));
    CHECK(law.factor == doctest::Approx(2e-6).epsilon(1e-12));
    CHECK(fit_power_law(x, scaled).exponent == doctest::Approx(exponent).epsilon(1e-12));
  }
}

TEST_CASE("bench: the peer comes first, a case has the median of its runs") {
  const Comparison comparison = small_comparison();
  CHECK(simulators(comparison.runs) == std::vector<std::string>{"simgrid", "plain"});
  const auto cases = cases_of(comparison.runs, kCases);
  REQUIRE(cases.size() == 1);
  const Entry* peer = cases[0].find("simgrid");
  REQUIRE(peer);
  CHECK(peer->repeats == 3);
  CHECK(peer->run_cpu_s == 2);
  CHECK(peer->least_cpu_s == 1);
  CHECK(peer->most_cpu_s == 3);
  CHECK(cases[0].messages_per_s(*peer) == 12);  // 2 * 3 * 4 messages in 2 s
  CHECK(cases[0].find("folded") == nullptr);
}

TEST_CASE("bench: growth over a series that costs one time a message has exponent 1") {
  const auto growth = growth_of(small_comparison().runs);
  REQUIRE(growth.size() == 1);
  CHECK(growth[0].simulator == "plain");
  CHECK(growth[0].messages.front() == 24);
  CHECK(growth[0].exponent == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("bench: simulators that differ by more than the tolerance are named, with both times") {
  auto runs = small_comparison().runs;
  CHECK(disagreements(runs, 1e-6).empty());
  runs.push_back(run("compare", "folded", 4, 0.1, 100 * (1 + 0.9e-6)));
  CHECK(disagreements(runs, 1e-6).empty());
  CHECK(largest_difference(runs) == doctest::Approx(0.9e-6).epsilon(1e-6));
  runs.push_back(run("compare", "steady", 4, 0.1, 100 * (1 + 1.1e-6)));
  const Problems problems = disagreements(runs, 1e-6);
  REQUIRE(problems.size() == 1);
  CHECK(describe(problems).find("steady gives 100.0001") != std::string::npos);
  CHECK(problems[0].where == "n = 4, C = 1, 16 MiB");
}

TEST_CASE("bench: a run that is repeated has to give the same bits; NaN agrees with nothing") {
  auto runs = small_comparison().runs;
  runs.push_back(run("compare", "plain", 4, 1, std::nextafter(100, 101)));
  CHECK(disagreements(runs, 1e-6).size() == 1);
  runs.back() = run("compare", "folded", 4, 1, std::nan(""));
  CHECK(disagreements(runs, 1e-6).size() == 1);
}

TEST_CASE("bench: a record and bench.json are read as they were written") {
  RunRecord record = run("compare", "plain", 64, 0.1);
  record.work.shuffle = 1;
  record.work.chunk = 1 << 19;
  record.operations = 129024;
  record.run_bytes_per_operation = 20.5;
  const auto again = parse_run_record(to_json(record), "here");
  REQUIRE(again);
  CHECK(to_json(*again).dump() == to_json(record).dump());

  const Comparison comparison = small_comparison();
  const auto read = parse_comparison(to_json(comparison).dump(), "bench.json");
  REQUIRE(read);
  CHECK(to_json(*read).dump() == to_json(comparison).dump());
}

TEST_CASE("bench: what is no record is a problem with a line") {
  const std::string good = to_json(run("compare", "plain", 4, 1)).dump();
  const auto all = parse_runs(good + "\n\n" + good + "\n", "runs");
  REQUIRE(all);
  CHECK(all->size() == 2);
  for (const char* bad : {"", "{}", "[1]", "half a li"}) {
    const auto runs = parse_runs(*bad ? good + "\n" + bad + "\n" : std::string(bad), "runs");
    REQUIRE(!runs);
    CHECK(runs.problems()[0].where == (*bad ? "runs:2" : "runs"));
  }
  for (const char* bad : {"", "7", "{}", R"({"schema": 2})", R"({"schema": 1, "setting": {}})"})
    CHECK(!parse_comparison(bad, "bench.json"));
}

TEST_CASE("bench: the table stands between its markers, and nothing else of the text changes") {
  const Comparison comparison = small_comparison();
  CHECK(table(comparison).find("|       24 |  2.00 s | 1.00 s |        2.0 |") != std::string::npos);
  const std::string page = "above\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nbelow\n";
  const auto once = with_table(page, comparison, "docs/bench.svg", "README.md");
  REQUIRE(once);
  CHECK(once->starts_with("above\n<!-- bench:begin -->\n"));
  CHECK(once->ends_with("\n<!-- bench:end -->\nbelow\n"));
  CHECK(once->find("old") == std::string::npos);
  const auto twice = with_table(*once, comparison, "docs/bench.svg", "README.md");
  REQUIRE(twice);
  CHECK(*twice == *once);
  for (const char* bad :
       {"no markers", "<!-- bench:begin --> only", "<!-- bench:end --><!-- bench:begin -->"})
    CHECK(!with_table(bad, comparison, "docs/bench.svg", "README.md"));
}

TEST_CASE(
    "bench: the picture has a bar per simulator and case, a point per run of growth, and escapes text") {
  const std::string svg = chart(small_comparison());
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count("class='bar s") == 2 + 2);  // two bars, two of the legend
  CHECK(count("<circle ") == 4);
  CHECK(count("a &lt;fast> processor") == 1);
  CHECK(count("nan") == 0);
  CHECK(count("inf") == 0);
}
