#include "validation/baseline.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace caliper;

namespace {

constexpr std::uint64_t kMi = 1 << 20;

ErrorStatistics errors(double mean, double p50, double p95, double max) {
  ErrorStatistics e;
  e.count = 3;
  e.mean = mean;
  e.p50 = p50;
  e.p95 = p95;
  e.max = max;
  return e;
}

Baseline small() {
  Baseline baseline;
  baseline.updates = {{"2026-01-02", "first", ""}};
  baseline.parameters = {{"gpu.launch", Dimension::time, 10e-6}, {"net.duplex", Dimension::number, 0.8}};
  baseline.groups = {{"ar",
                      "aaaabbbbccccdddd",
                      {},
                      {{Set::calibration, errors(0.01, 0.01, 0.02, 0.02)},
                       {Set::validation, errors(0.03, 0.02, 0.05, 0.06)}},
                      {{kMi, 100, Set::calibration}, {2 * kMi, 200, Set::validation}}}};
  return baseline;
}

/// Rows that are not the same, as "group/metric/subject verdict".
std::vector<std::string> moves(const Baseline& before, const Baseline& now) {
  std::vector<std::string> found;
  for (const CheckRow& row : compare(before, now))
    if (row.verdict != Verdict::same)
      found.push_back(row.group + "/" + row.metric + "/" + row.subject + " " +
                      std::string(name_of(row.verdict)));
  return found;
}

using Moves = std::vector<std::string>;

}  // namespace

TEST_CASE("baseline: compared with itself every value is there once and is the same") {
  const auto rows = compare(small(), small());
  CHECK(rows.size() ==
        2 + 1 + 8 + 4);  // parameters, execution, four errors of two sets, time and set of two sizes
  CHECK(std::ranges::all_of(rows, [](const CheckRow& row) { return row.verdict == Verdict::same; }));
  CHECK(!has_regression(rows));
  CHECK(largest_move(rows).empty());
  CHECK(check_table(rows).size() == 1);
}

TEST_CASE("baseline: a time may move by its tolerance in either direction and no further") {
  for (const double sign : {-1.0, 1.0}) {
    Baseline now = small();
    now.groups[0].times[1].us = 200 * (1 + sign * 0.0009);
    CHECK(moves(small(), now).empty());
    now.groups[0].times[1].us = 200 * (1 + sign * 0.0011);
    CHECK(moves(small(), now) == Moves{"ar/time/2 MiB moved"});
  }
}

TEST_CASE("baseline: an error may fall; growing beyond its tolerance is a regression; nan is one") {
  Baseline now = small();
  now.groups[0].errors[1].error.mean = 0.0309;
  CHECK(moves(small(), now).empty());
  now.groups[0].errors[1].error.mean = 0.0311;
  CHECK(moves(small(), now) == Moves{"ar/held-out mean/ worse"});
  now.groups[0].errors[1].error.mean = 0.01;
  CHECK(moves(small(), now) == Moves{"ar/held-out mean/ better"});
  CHECK(!has_regression(compare(small(), now)));
  CHECK(check_table(compare(small(), now)).size() == 2);  // said all the same
  now.groups[0].errors[1].error.mean = ErrorStatistics::kUnset;
  CHECK(has_regression(compare(small(), now)));
}

TEST_CASE("baseline: every metric of a set counts by itself") {
  for (const auto value :
       {&ErrorStatistics::mean, &ErrorStatistics::p50, &ErrorStatistics::p95, &ErrorStatistics::max})
    for (const std::size_t set : {0, 1}) {
      Baseline now = small();
      now.groups[0].errors[set].error.*value += 0.002;
      CHECK(moves(small(), now).size() == 1);
    }
}

TEST_CASE("baseline: tolerances of a group go before those of all, per metric") {
  Baseline before = small();
  before.tolerances[static_cast<std::size_t>(Metric::time)] = 0;
  Baseline now = small();
  now.groups[0].times[0].us = 101;
  CHECK(moves(before, now) == Moves{"ar/time/1 MiB moved"});
  before.groups[0].tolerances[static_cast<std::size_t>(Metric::time)] = 0.02;
  CHECK(moves(before, now).empty());
  now.groups[0].errors[1].error.p95 += 0.01;
  CHECK(moves(before, now) == Moves{"ar/held-out p95/ worse"});
  before.groups[0].tolerances[static_cast<std::size_t>(Metric::p95)] = 0.02;
  CHECK(moves(before, now).empty());
}

TEST_CASE("baseline: no tolerance for another execution or for a size that changes its set") {
  Baseline now = small();
  now.groups[0].program = "eeee";
  CHECK(moves(small(), now) == Moves{"ar/execution/ moved"});
  now = small();
  now.groups[0].times[1].set = Set::out_of_scope;
  CHECK(moves(small(), now) == Moves{"ar/set/2 MiB moved"});
}

TEST_CASE("baseline: parameters move relatively; a zero that changes has moved beyond everything") {
  Baseline now = small();
  now.parameters[0].value = 10.05e-6;
  CHECK(moves(small(), now).empty());
  now.parameters[0].value = 10.2e-6;
  CHECK(moves(small(), now) == Moves{"parameters/gpu.launch/ moved"});
  Baseline zero = small();
  zero.parameters[0].value = 0;
  CHECK(moves(zero, zero).empty());
  CHECK(moves(zero, small()) == Moves{"parameters/gpu.launch/ moved"});
}

TEST_CASE("baseline: what only one side has is a regression: parameter, group, size, set") {
  Baseline less = small();
  less.parameters.pop_back();
  less.groups[0].times.pop_back();
  less.groups[0].errors.pop_back();
  const Moves gone{"parameters/net.duplex/ gone", "ar/held-out mean/ gone", "ar/held-out p50/ gone",
                   "ar/held-out p95/ gone",       "ar/held-out max/ gone",  "ar/time/2 MiB gone"};
  CHECK(moves(small(), less) == gone);
  const Moves added{"parameters/net.duplex/ new", "ar/held-out mean/ new", "ar/held-out p50/ new",
                    "ar/held-out p95/ new",       "ar/held-out max/ new",  "ar/time/2 MiB new"};
  CHECK(moves(less, small()) == added);
  Baseline none = small();
  none.groups.clear();
  CHECK(moves(small(), none) == Moves{"ar/group/ gone"});
  CHECK(moves(none, small()) == Moves{"ar/group/ new"});
}

TEST_CASE("baseline: order of groups, sizes and parameters does not matter") {
  Baseline now = small();
  now.groups.push_back({"ag", "ffff", {}, {}, {{kMi, 5, Set::validation}}});
  Baseline turned = now;
  std::ranges::reverse(turned.groups);
  std::ranges::reverse(turned.parameters);
  CHECK(moves(now, turned).empty());
}

TEST_CASE("baseline: the largest move is the one most times beyond its tolerance") {
  Baseline now = small();
  now.groups[0].times[0].us = 101;           // 10 tolerances
  now.groups[0].errors[0].error.max = 0.04;  // 20 tolerances
  now.parameters[0].value = 11e-6;           // 10 tolerances
  CHECK(largest_move(compare(small(), now)) == "ar fitted max: +2.000 points");
  now.groups[0].program = "eeee";
  CHECK(largest_move(compare(small(), now)) == "ar execution: moved");
}
