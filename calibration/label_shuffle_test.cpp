#include "calibration/label_shuffle.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include "calibration/qlogei_optimizer.hpp"
#include "calibration/toy_simulator.hpp"

using namespace caliper;

namespace {

/// Group 0 is fitted on every second size; all else is held out. The simulator is the truth.
struct LabelledWorld {
  Dataset dataset = toy::dataset({{20e-6, 10e9}, {20e-6, 10e9}}, 12);
  ParameterTable table = toy::table();
  toy::LineSimulator simulator{dataset};
  EvaluationCache cache = EvaluationCache::in_memory();
  std::vector<StageOptions> stages;
  std::vector<ExperimentId> held_out;
  std::vector<double> truth = {20e-6, 10e9, 0.5};

  LabelledWorld() {
    StageOptions stage;
    stage.name = "line";
    stage.tuned = {0, 1};
    stage.loss = Loss::log_rmse;
    FitGroup fit{0, {}};
    for (std::uint32_t i = 0; i < 24; ++i)
      if (i < 12 && i % 2 == 0)
        fit.experiments.push_back({i});
      else
        held_out.push_back({i});
    stage.fits = {fit};
    stages = {stage};
  }
  Result<LabelShuffle> run(const ShuffleOptions& options = {}, ProgressSink* progress = nullptr) {
    std::vector<Outcome> outcomes(held_out.size());
    simulator.evaluate(truth, held_out, outcomes);
    std::vector<double> calibrated;
    for (const Outcome& outcome : outcomes)
      calibrated.push_back(outcome.status == OutcomeStatus::time ? outcome.seconds : NAN);
    return run_label_shuffle(
        {table, dataset, simulator, cache}, table.defaults(), calibrated, stages,
        [](const StageOptions& s) {
          return std::make_unique<QlogeiOptimizer>(QlogeiOptions{.seed = s.seed});
        },
        held_out, options, progress);
  }
};

struct Stopper : ProgressSink {
  std::string stage;
  bool after_batch(const Progress& progress) override {
    stage = progress.stage;
    return false;
  }
};

}  // namespace

TEST_CASE("shuffled times: a permutation that leaves no fitted size its time and touches nothing else") {
  LabelledWorld world;
  for (std::uint32_t sizes = 2; sizes <= 12; ++sizes)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<ExperimentId>& fitted = world.stages[0].fits[0].experiments;
      fitted.clear();
      for (std::uint32_t i = 0; i < sizes; ++i) fitted.push_back({i});
      const Dataset shuffled = shuffled_times(world.dataset, world.stages, seed);
      std::multiset<double> before, after;
      for (std::uint32_t i = 0; i < 24; ++i) {
        const ExperimentId id{i};
        CHECK((shuffled[id].seconds == world.dataset[id].seconds) == (i >= sizes));
        CHECK(shuffled[id].bytes == world.dataset[id].bytes);
        before.insert(world.dataset[id].seconds);
        after.insert(shuffled[id].seconds);
      }
      CHECK(before == after);
    }
}

TEST_CASE("shuffled times: a function of the seed; a single fitted size cannot be shuffled") {
  LabelledWorld world;
  const auto times = [&](std::uint64_t seed) {
    std::vector<double> seconds;
    for (const Experiment& e : shuffled_times(world.dataset, world.stages, seed).experiments)
      seconds.push_back(e.seconds);
    return seconds;
  };
  CHECK(times(1) == times(1));
  CHECK(times(1) != times(2));
  CHECK(can_shuffle(world.stages, world.held_out));
  CHECK_FALSE(can_shuffle(world.stages, {}));
  world.stages[0].fits[0].experiments.resize(1);
  CHECK_FALSE(can_shuffle(world.stages, world.held_out));
}

TEST_CASE("label shuffle: a simulator that learns from its data fails on shuffled ones") {
  LabelledWorld world;
  const auto found = world.run();
  REQUIRE(found);
  CHECK(found->all.points == 18);
  CHECK(found->iterations == 10);
  CHECK(found->all.calibrated == 0);
  CHECK(found->all.shuffled > 0.5);
  CHECK(found->fails());
  const double of_groups = 6 * found->of_group[0].shuffled + 12 * found->of_group[1].shuffled;
  CHECK(of_groups == doctest::Approx(18 * found->all.shuffled));
}

TEST_CASE("label shuffle: a simulator that ignores its parameters does not, and is told") {
  LabelledWorld world;
  world.simulator.twist = [&](ParameterView, ExperimentId id, Outcome& outcome) {
    outcome.seconds = 1.05 * world.dataset[id].seconds;
  };
  const auto found = world.run();
  REQUIRE(found);
  CHECK(found->all.shuffled == doctest::Approx(0.05));
  CHECK(found->all.calibrated == doctest::Approx(0.05));
  CHECK_FALSE(found->fails());
}

TEST_CASE("label shuffle: the same for any number of threads and whatever the cache knows") {
  LabelledWorld one, many;
  const auto limited = [&] {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    return one.run();
  }();
  const auto free = many.run(), again = many.run();
  REQUIRE((limited && free && again));
  CHECK(limited->all.shuffled == free->all.shuffled);
  CHECK(again->all.shuffled == free->all.shuffled);
  CHECK(again->candidates == free->candidates);
}

TEST_CASE("label shuffle: limits of time and rules to stop do not bind it, a small budget does") {
  LabelledWorld world;
  world.stages[0].budget = {3, 1, 1e-9};
  world.stages[0].stop = {1e9, 1};
  const auto found = world.run();
  REQUIRE(found);
  CHECK(found->iterations == 3);
}

TEST_CASE("label shuffle: can be interrupted, and says what runs") {
  LabelledWorld world;
  Stopper stopper;
  const auto found = world.run({}, &stopper);
  REQUIRE(found);
  CHECK(found->interrupted);
  CHECK(stopper.stage == "line, shuffled times");
}

TEST_CASE("label shuffle: failed runs are no points") {
  LabelledWorld world;
  world.simulator.twist = [&](ParameterView, ExperimentId id, Outcome& outcome) {
    if (id.index >= 12) outcome = {OutcomeStatus::failure, 0, {}, "no"};
  };
  const auto found = world.run();
  REQUIRE(found);
  CHECK(found->all.points == 6);
  REQUIRE(found->of_group.size() == 2);
  CHECK(found->of_group[0].points == 6);
  CHECK(found->of_group[0].shuffled == found->all.shuffled);
  CHECK(found->of_group[1].points == 0);
  CHECK(std::isnan(found->of_group[1].shuffled));
}

TEST_CASE("label shuffle: of many sizes of a group evenly spaced ones are kept, first and last among them") {
  Dataset data;
  data.groups = {{"a", "all_reduce", 4, "A", 0}, {"b", "all_reduce", 8, "A", 0}};
  std::vector<ExperimentId> ids;
  for (std::uint32_t i = 0; i < 103; ++i) {
    data.experiments.push_back({i < 100 ? 0u : 1u, i, 1e-3, {1e-3}});
    ids.push_back({i});
  }
  const auto kept = thinned(data, ids, 10);
  REQUIRE(kept.size() == 13);
  for (std::uint32_t i = 0; i < 10; ++i) CHECK(kept[i].index == 11 * i);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(kept[10 + i].index == 100 + i);
  CHECK(thinned(data, ids, 100).size() == 103);
  CHECK(thinned(data, std::span(ids).first(1), 2).size() == 1);
  CHECK(thinned(data, {}, 2).empty());
}
