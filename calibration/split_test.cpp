#include "calibration/split.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/random.hpp"

using namespace caliper;

namespace {

/// Two groups of four sizes: experiments 0..3 and 4..7.
Dataset two_groups() {
  Dataset dataset;
  dataset.groups = {{"small", "all_reduce", 4, "A", 0}, {"large", "all_reduce", 64, "A", 0}};
  for (std::uint32_t g = 0; g < 2; ++g)
    for (std::uint64_t i = 0; i < 4; ++i) dataset.experiments.push_back({g, 65536u << i, 1e-3, {}});
  return dataset;
}

SplitRules rules_of(std::vector<std::vector<FitGroup>> fits) {
  SplitRules rules;
  for (std::size_t i = 0; i < fits.size(); ++i) rules.stage_names.push_back(fmt::format("s{}", i));
  rules.stage_fits = std::move(fits);
  rules.out_of_scope_reason.resize(8);
  return rules;
}

std::string complaint(const SplitRules& rules) {
  const auto split = make_split(two_groups(), rules);
  return split ? "" : describe(split.problems());
}

}  // namespace

TEST_CASE("split: what no stage fits is held out, what is out of scope is neither") {
  SplitRules rules = rules_of({{{0, {{1}, {3}}}}, {{1, {{6}}}}});
  rules.out_of_scope_reason[0] = "protocol switch";
  const auto split = make_split(two_groups(), rules);
  REQUIRE(split);
  CHECK(split->members(Set::calibration) == std::vector<ExperimentId>{{1}, {3}, {6}});
  CHECK(split->members(Set::validation) == std::vector<ExperimentId>{{2}, {4}, {5}, {7}});
  CHECK(split->members(Set::out_of_scope) == std::vector<ExperimentId>{{0}});
  CHECK(split->out_of_scope_reason[0] == "protocol switch");
}

TEST_CASE("split: explicit validation leaves the rest out of scope and says so") {
  SplitRules rules = rules_of({{{0, {{1}}}}});
  rules.out_of_scope_reason[4] = "protocol switch";
  rules.validated = {{4}, {5}};
  const auto split = make_split(two_groups(), rules);
  REQUIRE(split);
  CHECK(split->members(Set::validation) == std::vector<ExperimentId>{{5}});
  CHECK(split->out_of_scope_reason[4] == "protocol switch");
  CHECK(split->out_of_scope_reason[6] == "neither fitted nor asked for in [validate]");
}

TEST_CASE("split: the sets are disjoint and cover everything, for any declaration") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<FitGroup> fits;
    SplitRules rules = rules_of({{}});
    for (std::uint32_t g = 0; g < 2; ++g) {
      FitGroup fit{g, {}};
      for (std::uint32_t i = 4 * g; i < 4 * g + 4; ++i) {
        const double draw = unit_draw(seed, i, 0);
        if (draw < 0.3)
          fit.experiments.push_back({i});
        else if (draw < 0.6)
          rules.validated.push_back({i});
        else if (draw < 0.8)
          rules.out_of_scope_reason[i] = "declared";
      }
      if (!fit.experiments.empty()) fits.push_back(fit);
    }
    rules.stage_fits = {fits};
    const auto split = make_split(two_groups(), rules);
    REQUIRE(bool(split) == !fits.empty());
    if (!split) continue;
    std::size_t total = 0;
    for (const Set set : {Set::calibration, Set::validation, Set::out_of_scope})
      total += split->members(set).size();
    CHECK(total == 8);
    CHECK(split->members(Set::calibration) == experiments_of(fits));
    for (const ExperimentId id : split->members(Set::out_of_scope))
      CHECK(split->out_of_scope_reason[id.index] != "");
  }
}

TEST_CASE("split: contradictions are problems that name stage, group and sizes") {
  CHECK(complaint(rules_of({{}})) == "stage 's0': fits nothing (name at least one group in 'fit')");
  CHECK(complaint(rules_of({{{1, {}}}})).starts_with("stage 's0': fits no size of group 'large'"));
  CHECK(complaint(rules_of({{{0, {{0}}}, {0, {{1}}}}})).starts_with("stage 's0': fits group 'small' twice"));

  SplitRules both = rules_of({{{0, {{0}, {1}, {2}, {3}}}}});
  both.validated = {{0}, {1}, {2}, {3}, {4}};
  CHECK(complaint(both) ==
        "stage 's0': fits what [validate] asks to hold out: 64 KiB, 128 KiB, 256 KiB and 1 more of group "
        "'small' "
        "(an experiment is either fitted or held out)");
  SplitRules outside = rules_of({{{1, {{4}, {5}}}}});
  outside.out_of_scope_reason[5] = "protocol switch";
  CHECK(complaint(outside) ==
        "stage 's0': fits what is declared out of scope: 128 KiB of group 'large' (leave them out of the "
        "fit, or take "
        "them into scope)");
}

TEST_CASE("split: the hash knows group, size and set, and nothing else") {
  const Dataset dataset = two_groups();
  const auto hash = [](const Dataset& data, const SplitRules& rules) {
    const auto split = make_split(data, rules);
    REQUIRE(split);
    return split->hash(data);
  };
  const std::string one_stage = hash(dataset, rules_of({{{0, {{1}}}, {1, {{6}}}}}));
  CHECK(one_stage.size() == 64);
  CHECK(hash(dataset, rules_of({{{0, {{1}}}}, {{1, {{6}}}}})) == one_stage);  // stages do not matter
  CHECK(hash(dataset, rules_of({{{0, {{1}}}, {1, {{7}}}}})) != one_stage);

  Dataset swapped = dataset;  // the same experiments with the groups in the other order: 1 <-> 5, 6 <-> 2
  std::swap(swapped.groups[0], swapped.groups[1]);
  CHECK(hash(swapped, rules_of({{{0, {{2}}}, {1, {{5}}}}})) == one_stage);
  Dataset remeasured = dataset;  // times are no part of the declaration, sizes are
  remeasured.experiments[3].seconds = 7;
  CHECK(hash(remeasured, rules_of({{{0, {{1}}}, {1, {{6}}}}})) == one_stage);
  remeasured.experiments[3].bytes += 1;
  CHECK(hash(remeasured, rules_of({{{0, {{1}}}, {1, {{6}}}}})) != one_stage);
}
