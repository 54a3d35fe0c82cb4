#include "calibration/disjointness.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "calibration/toy_simulator.hpp"

using namespace caliper;

namespace {

/// Two groups of the same kind and sizes but different times; the first is fitted, the second held out.
struct Case {
  Dataset dataset = toy::dataset({{10e-6, 5e9}, {12e-6, 6e9}}, 8);
  Split split;

  Case() {
    for (Experiment& e : dataset.experiments) {
      e.repeats = {1.01 * e.seconds, e.seconds};
      split.set.push_back(e.group == 0 ? Set::calibration : Set::validation);
    }
    split.out_of_scope_reason.resize(dataset.experiments.size());
  }
  Experiment& at(std::uint32_t group, std::size_t i) {
    return dataset.experiments[dataset.of_group(group)[i].index];
  }
  /// The record of one size stands in the second group as well, its repeats in another order.
  void copy(std::size_t i) {
    at(1, i).seconds = at(0, i).repeats.front();
    at(1, i).repeats = {at(0, i).repeats.rbegin(), at(0, i).repeats.rend()};
  }
  Disjointness found() const { return compare_records(dataset, split); }
};

}  // namespace

TEST_CASE("disjointness: different runs share nothing") {
  const Case c;
  const Disjointness found = c.found();
  CHECK(found.fitted == 8);
  CHECK(found.held_out == 8);
  CHECK(found.in_common() == 0);
  CHECK(found.shared.empty());
  CHECK(found.fitted_hash.size() == 64);
  CHECK(found.fitted_hash != found.held_out_hash);
  CHECK(leaks(c.dataset, found, "a.toml").empty());
}

TEST_CASE("disjointness: one run under two names is found, with both places and all sizes") {
  Case c;
  for (std::size_t i = 0; i < 8; ++i) c.copy(i);
  c.dataset.groups[1].name = "another name";
  c.dataset.groups[1].placement = "B";
  const Disjointness found = c.found();
  CHECK(found.in_common() == 8);
  CHECK(found.fitted_hash == found.held_out_hash);  // the same set of records
  REQUIRE(found.shared.size() == 1);
  CHECK(found.shared[0].comparable == 8);
  const Problems problems = leaks(c.dataset, found, "a.toml");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == "a.toml");
  CHECK(
      problems[0].what ==
      "8 held-out records of group 'another name' at 64 KiB, 128 KiB, 256 KiB and 5 more are also fitted, in "
      "group 'g0' at 64 KiB, 128 KiB, 256 KiB and 5 more");
  CHECK(coincidences(c.dataset, found).empty());
}

TEST_CASE("disjointness: two records are a leak, a single one is a note") {
  Case c;
  c.copy(3);
  CHECK(leaks(c.dataset, c.found(), "").empty());
  CHECK(coincidences(c.dataset, c.found()).size() == 1);
  CHECK(c.found().in_common() == 1);
  c.copy(5);
  CHECK(leaks(c.dataset, c.found(), "").size() == 1);
  CHECK(coincidences(c.dataset, c.found()).empty());
}

TEST_CASE("disjointness: in a thousand sizes a few agree by chance, a twentieth does not") {
  SharedRecords pair{0, 1, std::vector<ExperimentId>(50), {}, 1000};
  CHECK_FALSE(pair.is_leak());
  pair.held_out.resize(51);
  CHECK(pair.is_leak());
}

TEST_CASE("disjointness: what differs in kind is another record, what is out of scope is no record") {
  for (const int what : {0, 1, 2}) {
    Case c;
    for (std::size_t i = 0; i < 8; ++i) c.copy(i);
    ExperimentGroup& group = c.dataset.groups[1];
    if (what == 0) group.collective = "all_gather";
    if (what == 1) group.ranks = 8;
    if (what == 2) group.data_type = "float16";
    CHECK(c.found().in_common() == 0);
  }
  Case c;
  for (std::size_t i = 0; i < 8; ++i) c.copy(i);
  std::ranges::fill(c.split.set.begin() + 8, c.split.set.end(), Set::out_of_scope);
  CHECK(c.found().held_out == 0);
  CHECK(c.found().in_common() == 0);
}

TEST_CASE("disjointness: a record that two fitted groups hold counts once") {
  Case c;
  c.dataset = toy::dataset({{10e-6, 5e9}, {10e-6, 5e9}, {10e-6, 5e9}}, 2);
  c.split.set = {Set::calibration, Set::calibration, Set::calibration,
                 Set::calibration, Set::validation,  Set::validation};
  const Disjointness found = c.found();
  CHECK(found.shared.size() == 2);
  CHECK(found.in_common() == 2);
  CHECK(leaks(c.dataset, found, "").size() == 2);
}
