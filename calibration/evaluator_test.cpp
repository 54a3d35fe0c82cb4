#include "calibration/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include "base/random.hpp"
#include "calibration/toy_simulator.hpp"

using namespace caliper;

namespace {

std::vector<std::vector<double>> draws(std::size_t count) {
  std::vector<std::vector<double>> candidates;
  for (std::size_t c = 0; c < count; ++c)
    candidates.push_back({1e-6 + 1e-5 * unit_draw(1, c, 0), 1e9 + 1e10 * unit_draw(1, c, 1), 0.5});
  return candidates;
}

std::vector<ExperimentId> all_of(const Dataset& dataset) {
  std::vector<ExperimentId> ids;
  for (std::uint32_t i = 0; i < dataset.experiments.size(); ++i) ids.push_back({i});
  return ids;
}

EvaluatedBatch evaluated(Evaluator& evaluator, std::span<const std::vector<double>> candidates,
                         std::span<const ExperimentId> experiments) {
  auto batch = evaluator.evaluate(candidates, experiments);
  REQUIRE(batch);
  return *std::move(batch);
}

}  // namespace

TEST_CASE("evaluator: answers stand by candidate, then experiment, and the second time come from the cache") {
  const Dataset dataset = toy::dataset({{5e-6, 2e10}, {9e-6, 1e10}});
  const ParameterTable table = toy::table();
  const toy::LineSimulator simulator(dataset);
  EvaluationCache cache = EvaluationCache::in_memory();
  const auto candidates = draws(3);
  const std::vector<ExperimentId> experiments = {{9}, {2}, {14}, {0}};
  for (const bool first : {true, false}) {
    Evaluator evaluator({table, dataset, simulator, cache});
    const EvaluatedBatch batch = evaluated(evaluator, candidates, experiments);
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(batch.runs[c] == (first ? 4 : 0));
      for (std::size_t e = 0; e < 4; ++e) {
        CHECK(batch.of(c)[e].seconds ==
              toy::line(candidates[c][0], candidates[c][1], dataset[experiments[e]].bytes));
        CHECK(batch.of(c)[e].gradient.empty());
      }
    }
    CHECK(evaluator.counts().runs == (first ? 12 : 0));
    CHECK(evaluator.counts().hits == (first ? 0 : 12));
    CHECK(evaluator.counts().distinct == 12);
  }
  CHECK(simulator.answered == 12);
  CHECK(*cache.size() == 12);
}

TEST_CASE("evaluator: one question is one run, however often a batch asks it") {
  const Dataset dataset = toy::dataset({{5e-6, 2e10}}, 4);
  const ParameterTable table = toy::table();
  const toy::LineSimulator simulator(dataset);
  EvaluationCache cache = EvaluationCache::in_memory();
  Evaluator evaluator({table, dataset, simulator, cache});
  std::vector<std::vector<double>> candidates = draws(2);
  candidates.push_back(candidates[0]);
  const EvaluatedBatch batch = evaluated(evaluator, candidates, std::vector<ExperimentId>{{0}, {1}, {0}});
  CHECK(evaluator.counts().runs == 4);
  CHECK(evaluator.counts().hits == 5);
  CHECK(batch.runs == std::vector<std::uint64_t>{2, 2, 0});
  CHECK(batch.of(2)[1].seconds == batch.of(0)[1].seconds);
  CHECK(batch.of(0)[2].seconds == batch.of(0)[0].seconds);
}

TEST_CASE("evaluator: a simulator that answers curves gets each group in one call, without what is known") {
  struct Curves : toy::LineSimulator {
    using LineSimulator::LineSimulator;
    mutable std::mutex mutex;
    mutable std::vector<std::size_t> calls;  // sizes
    std::uint32_t call_of(ExperimentId id) const override { return dataset[id].group; }
    void evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                  std::span<Outcome> outcomes) const override {
      const std::lock_guard lock(mutex);
      calls.push_back(experiments.size());
      LineSimulator::evaluate(parameters, experiments, outcomes);
    }
  };
  const Dataset dataset = toy::dataset({{5e-6, 2e10}, {9e-6, 1e10}}, 5);
  const ParameterTable table = toy::table();
  const Curves simulator(dataset);
  EvaluationCache cache = EvaluationCache::in_memory();
  Evaluator evaluator({table, dataset, simulator, cache});
  const auto candidates = draws(1);
  (void)evaluated(evaluator, candidates, std::vector<ExperimentId>{{0}, {1}});
  const EvaluatedBatch batch = evaluated(evaluator, candidates, all_of(dataset));
  std::ranges::sort(simulator.calls);
  CHECK(simulator.calls == std::vector<std::size_t>{2, 3, 5});
  for (std::size_t e = 0; e < 10; ++e)
    CHECK(batch.of(0)[e].seconds ==
          toy::line(candidates[0][0], candidates[0][1], dataset.experiments[e].bytes));
}

TEST_CASE("evaluator: one thread and two give the same answers, and the largest experiments start first") {
  const Dataset dataset = toy::dataset({{5e-6, 2e10}, {9e-6, 1e10}, {7e-6, 3e10}}, 12);
  const ParameterTable table = toy::table();
  const auto candidates = draws(9);
  std::vector<std::vector<double>> seconds;
  for (const int threads : {1, 2}) {
    toy::LineSimulator simulator(dataset);
    std::vector<std::uint64_t> bytes_in_order;
    if (threads == 1)
      simulator.twist = [&](ParameterView, ExperimentId id, Outcome&) {
        bytes_in_order.push_back(dataset[id].bytes);
      };
    EvaluationCache cache = EvaluationCache::in_memory();
    Evaluator evaluator({table, dataset, simulator, cache});
    tbb::task_arena arena(threads);
    const EvaluatedBatch batch =
        arena.execute([&] { return evaluated(evaluator, candidates, all_of(dataset)); });
    CHECK(std::ranges::is_sorted(bytes_in_order, std::greater<>{}));
    CHECK(evaluator.counts().runs == 9 * 36);
    seconds.emplace_back();
    for (const Outcome& outcome : batch.outcomes) seconds.back().push_back(outcome.seconds);
  }
  CHECK(seconds[0] == seconds[1]);
}

TEST_CASE("evaluator: failures and timeouts keep their reason, and what is no time becomes a failure") {
  const Dataset dataset = toy::dataset({{5e-6, 2e10}}, 6);
  const ParameterTable table = toy::table();
  toy::LineSimulator simulator(dataset);
  simulator.twist = [](ParameterView, ExperimentId id, Outcome& outcome) {
    switch (id.index) {
      case 0:
        outcome = {OutcomeStatus::failure, 0, {}, "stuck"};
        break;
      case 1:
        outcome = {OutcomeStatus::timeout, 0, {}, "after 10 s"};
        break;
      case 2:
        outcome.seconds = std::nan("");
        break;
      case 3:
        outcome.seconds = -1;
        break;
      case 4:
        outcome.seconds = std::numeric_limits<double>::infinity();
        break;
      default:
        break;
    }
  };
  EvaluationCache cache = EvaluationCache::in_memory();
  Evaluator evaluator({table, dataset, simulator, cache});
  for (int round = 0; round < 2; ++round) {  // fresh, then from the cache
    const EvaluatedBatch batch = evaluated(evaluator, draws(1), all_of(dataset));
    CHECK(batch.of(0)[0].reason == "stuck");
    CHECK(batch.of(0)[1].status == OutcomeStatus::timeout);
    CHECK(batch.of(0)[1].reason == "after 10 s");
    for (const std::size_t e : {2u, 3u, 4u}) {
      CHECK(batch.of(0)[e].status == OutcomeStatus::failure);
      CHECK(batch.of(0)[e].reason.starts_with("the simulator gave a time of "));
    }
    CHECK(batch.of(0)[5].status == OutcomeStatus::time);
  }
  CHECK(simulator.answered == 6);
}

TEST_CASE("evaluator: nothing asked is nothing answered") {
  const Dataset dataset = toy::dataset({{5e-6, 2e10}}, 2);
  const ParameterTable table = toy::table();
  const toy::LineSimulator simulator(dataset);
  EvaluationCache cache = EvaluationCache::in_memory();
  Evaluator evaluator({table, dataset, simulator, cache});
  CHECK(evaluated(evaluator, {}, all_of(dataset)).outcomes.empty());
  CHECK(evaluated(evaluator, draws(2), {}).outcomes.empty());
  CHECK(evaluator.counts().distinct == 0);
}
