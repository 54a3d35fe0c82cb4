#include "calibration/stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include "calibration/toy_simulator.hpp"

using namespace caliper;

namespace {

/// Compass search: steps along each axis, both ways, from the best point; the step halves when none is
/// better. The state is replayed from the history, so it is a function of it.
struct Compass : Optimizer {
  std::vector<Eigen::VectorXd> initial_points(std::size_t d) const override {
    return {Eigen::VectorXd::Constant(static_cast<Eigen::Index>(d), 0.5)};
  }
  std::vector<Eigen::VectorXd> propose(std::span<const Evaluation> history) const override {
    const Eigen::Index d = history[0].point.size();
    const std::size_t batch = 2 * static_cast<std::size_t>(d);
    double step = 0.25;
    const Evaluation* best = &history[0];
    for (std::size_t begin = 0; begin < history.size();) {
      const Evaluation* before = best;
      const std::size_t end = begin == 0 ? 2 : begin + batch;
      for (std::size_t i = begin; i < end; ++i)
        if (history[i].loss < best->loss) best = &history[i];
      if (begin > 0 && best == before) step /= 2;
      begin = end;
    }
    std::vector<Eigen::VectorXd> points;
    for (Eigen::Index axis = 0; axis < d; ++axis)
      for (const double sign : {-1.0, 1.0}) {
        points.push_back(best->point);
        points.back()[axis] = std::clamp(best->point[axis] + sign * step, 0.0, 1.0);
      }
    return points;
  }
};

FitGroup every(const Dataset& dataset, std::uint32_t group) { return {group, dataset.of_group(group)}; }

/// A world with one line to find.
struct World {
  Dataset dataset;
  ParameterTable table = toy::table();
  toy::LineSimulator simulator{dataset};
  EvaluationCache cache = EvaluationCache::in_memory();
  StageOptions options;

  explicit World(const std::vector<toy::Truth>& truths) : dataset(toy::dataset(truths)) {
    options.name = "line";
    options.tuned = {0, 1};
    for (std::uint32_t g = 0; g < truths.size(); ++g) options.fits.push_back(every(dataset, g));
    options.loss = Loss::log_rmse;
    options.budget.iterations = 120;
  }
  EvaluationContext context() { return {table, dataset, simulator, cache}; }
  Result<StageResult> run(ProgressSink* progress = nullptr) {
    return run_stage(context(), table.defaults(), options, Compass{}, progress);
  }
};

StageResult value(Result<StageResult> result) {
  if (!result) FAIL(describe(result.problems()));
  return *std::move(result);
}

/// Everything that resuming and threads must not change.
void check_same(const StageResult& a, const StageResult& b) {
  CHECK(a.parameters == b.parameters);
  CHECK(a.loss == b.loss);
  CHECK(a.of_group == b.of_group);
  CHECK(a.stop_reason == b.stop_reason);
  CHECK(a.stop_words == b.stop_words);
  CHECK(a.counts.distinct == b.counts.distinct);
  REQUIRE(a.history.size() == b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    CHECK(a.history[i].iteration == b.history[i].iteration);
    CHECK(a.history[i].loss == b.history[i].loss);
    CHECK(a.history[i].best == b.history[i].best);
    CHECK(a.history[i].parameters == b.history[i].parameters);
  }
}

struct StopAfter : ProgressSink {
  std::uint32_t last;
  bool by_exception;
  std::vector<std::uint32_t> seen;
  StopAfter(std::uint32_t iteration, bool throws) : last(iteration), by_exception(throws) {}
  bool after_batch(const Progress& progress) override {
    seen.push_back(progress.iteration);
    if (progress.iteration < last) return true;
    if (by_exception) throw std::runtime_error("stop");
    return false;
  }
};

}  // namespace

TEST_CASE("stage: recovers the two parameters of a line, whatever the loss") {
  for (const Loss loss : {Loss::rmse, Loss::relative_rmse, Loss::log_rmse}) {
    World world({{5e-6, 2e10}});
    world.options.loss = loss;
    const StageResult result = value(world.run());
    CHECK(result.parameters[0] == doctest::Approx(5e-6).epsilon(1e-5));
    CHECK(result.parameters[1] == doctest::Approx(2e10).epsilon(1e-5));
    CHECK(result.parameters[2] == 0.5);
    CHECK(result.stop_reason == StopReason::iterations);
    CHECK(result.stop_words == "all 120 iterations of the budget are done");
    CHECK(result.at_bound.empty());
  }
}

TEST_CASE("stage: the history starts with the start, its best never rises, and its counts add up") {
  World world({{5e-6, 2e10}});
  const StageResult result = value(world.run());
  REQUIRE(result.history.size() == 2 + 120 * 4);
  CHECK(result.history[0].parameters == std::vector<double>{10e-6, 5e9});
  CHECK(result.history[1].iteration == 0);
  CHECK(result.history[2].iteration == 1);
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < result.history.size(); ++i) {
    const HistoryRow& row = result.history[i];
    CHECK(row.candidate == i);
    best = std::min(best, row.loss);
    CHECK(row.best == best);
    CHECK((i == 0 || row.elapsed >= result.history[i - 1].elapsed));
  }
  CHECK(result.loss == best);
  CHECK(result.counts.runs + result.counts.hits == result.history.size() * 8);
  CHECK(result.counts.runs == result.counts.distinct);
  CHECK(result.counts.runs == world.simulator.answered);
  const auto& [evaluation, optimizer, total] = result.seconds;
  for (const double part : {evaluation.simulator, evaluation.cache, optimizer}) CHECK(part > 0);
  CHECK(evaluation.simulator + evaluation.cache + optimizer <= total);
}

TEST_CASE("stage: of equal losses the earlier candidate wins") {
  World world({{5e-6, 2e10}});
  world.options.tuned = {2};  // has no effect: all candidates are equal, so the start stays
  world.options.budget.iterations = 3;
  CHECK(value(world.run()).parameters == world.table.defaults());
}

TEST_CASE("stage: two groups that no line fits end at the minimax, not at the mean") {
  // T = bytes / beta with alpha negligible: ln T is off by ln(beta_g / beta), so the best of the worst is the
  // geometric mean of both: sqrt(1e10 * 4e10) = 2e10, loss ln 2 for both groups. Of group 1 only one of eight
  // sizes is fitted, so the mean over sizes would lie near group 0.
  World world({{1e-30, 1e10}, {1e-30, 4e10}});
  world.options.tuned = {1};
  world.options.fits[1].experiments.resize(1);
  world.simulator.twist = [&](ParameterView p, ExperimentId id, Outcome& outcome) {
    outcome.seconds = static_cast<double>(world.dataset[id].bytes) / p[1];
  };
  const StageResult result = value(world.run());
  CHECK(result.parameters[1] == doctest::Approx(2e10).epsilon(1e-6));
  CHECK(result.of_group[0] == doctest::Approx(std::log(2.0)).epsilon(1e-6));
  CHECK(result.of_group[1] == doctest::Approx(std::log(2.0)).epsilon(1e-6));
}

TEST_CASE("stage: interrupted anywhere and resumed, the result is that of one go, bit for bit") {
  World whole({{5e-6, 2e10}});
  whole.options.budget.iterations = 25;
  whole.options.budget.runs = 500;
  const StageResult expected = value(whole.run());
  REQUIRE(expected.stop_reason == StopReason::runs);
  for (const bool by_exception : {false, true})
    for (const std::uint32_t last : {0u, 1u, 7u, 12u}) {
      World world({{5e-6, 2e10}});
      world.options = whole.options;
      StopAfter stop(last, by_exception);
      if (by_exception) {
        CHECK_THROWS_AS((void)world.run(&stop), std::runtime_error);
      } else {
        const StageResult part = value(world.run(&stop));
        CHECK(part.stop_reason == StopReason::interrupted);
        CHECK(part.iterations == last);
      }
      CHECK(stop.seen.size() == last + 1);
      const std::uint64_t before = world.simulator.answered;
      const StageResult resumed = value(world.run());
      check_same(resumed, expected);
      CHECK(resumed.counts.runs == expected.counts.runs - before);
      CHECK(world.simulator.answered == expected.counts.runs);
      CHECK(resumed.history[0].from_cache);
    }
}

TEST_CASE("stage: resumes from a file as from memory") {
  std::string folder = (std::filesystem::temp_directory_path() / "calipersim-stage-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::filesystem::path file = std::filesystem::path(folder) / "evaluations.sqlite";
  World memory({{5e-6, 2e10}}), disk({{5e-6, 2e10}});
  memory.options.budget.iterations = disk.options.budget.iterations = 10;
  const StageResult expected = value(memory.run());
  for (const bool again : {false, true}) {
    auto cache = EvaluationCache::open(file);
    REQUIRE(cache);
    disk.cache = *std::move(cache);
    StopAfter stop(again ? 100 : 4, false);
    const StageResult result = value(disk.run(&stop));
    if (again) check_same(result, expected);
  }
  CHECK(disk.simulator.answered == expected.counts.runs);
  disk.cache = EvaluationCache::in_memory();
  std::filesystem::remove_all(folder);
}

TEST_CASE("stage: one thread and several give the same result") {
  World one({{5e-6, 2e10}, {8e-6, 1e10}}), two({{5e-6, 2e10}, {8e-6, 1e10}});
  one.options.budget.iterations = two.options.budget.iterations = 20;
  tbb::task_arena arena_of_one(1), arena_of_two(2);
  const StageResult a = arena_of_one.execute([&] { return value(one.run()); });
  const StageResult b = arena_of_two.execute([&] { return value(two.run()); });
  check_same(a, b);
  CHECK(a.counts.runs == b.counts.runs);
}

TEST_CASE("stage: each end has its reason and its words") {
  World world({{5e-6, 2e10}, {5e-6, 4e10}});  // the best line leaves an error
  world.options.stop = {0.01, 5};
  const StageResult plateau = value(world.run());
  CHECK(plateau.stop_reason == StopReason::plateau);
  CHECK(plateau.iterations < 60);
  CHECK(plateau.stop_words.starts_with("the loss has not moved for 5 iterations and stays at "));
  CHECK(plateau.stop_words.find(
            "above the target of 1 %: this points to an error that calibration cannot fix") !=
        std::string::npos);

  world.options.stop = {plateau.loss * 1.5, 5};
  const StageResult target = value(world.run());
  CHECK(target.stop_reason == StopReason::target);
  CHECK(target.loss <= plateau.loss * 1.5);
  CHECK(target.counts.runs == 0);  // the same path, from the cache

  world.options.stop = {};
  world.options.budget.wall_seconds = 1e-9;
  const StageResult wall = value(world.run());
  CHECK(wall.stop_reason == StopReason::wall_time);
  CHECK(wall.iterations == 0);
  CHECK(wall.history.size() == 2);

  world.options.budget = {};
  world.options.budget.runs =
      33;  // 16 experiments each: 2 candidates of the design are 32 runs, 4 more reach it
  CHECK(value(world.run()).iterations == 1);
  world.options.budget = {0, {}, {}};
  CHECK(value(world.run()).stop_reason == StopReason::iterations);
}

TEST_CASE("stage: failed candidates have infinite loss, a reason, and do not end the stage") {
  World world({{5e-6, 2e10}});
  world.simulator.twist = [](ParameterView p, ExperimentId id, Outcome& outcome) {
    if (p[0] < 4e-6 && id.index == 3) outcome = {OutcomeStatus::failure, 0, {}, "too fast"};
  };
  const StageResult result = value(world.run());
  CHECK(result.parameters[0] == doctest::Approx(5e-6).epsilon(1e-5));
  std::size_t failed = 0;
  for (const HistoryRow& row : result.history) {
    CHECK(std::isinf(row.loss) == (row.parameters[0] < 4e-6));
    CHECK(row.failure == (row.parameters[0] < 4e-6 ? "group 'g0', 512 KiB: too fast" : ""));
    failed += std::isinf(row.loss);
  }
  CHECK(failed > 0);
}

TEST_CASE("stage: a simulator that always fails is a problem with its reasons") {
  World world({{5e-6, 2e10}});
  world.simulator.twist = [](ParameterView, ExperimentId, Outcome& outcome) {
    outcome = {OutcomeStatus::timeout, 0, {}, "after 10 s"};
  };
  const auto result = world.run();
  REQUIRE_FALSE(result);
  CHECK(describe(result.problems()) ==
        "stage 'line': the simulator fails for all 2 candidates of the initial design: group 'g0', 64 KiB: "
        "timeout after 10 s (simulate the default parameters first)");
}

TEST_CASE("stage: an optimum outside the bounds is reported at the bound") {
  World world({{0.2e-6, 2e10}});  // alpha's lower bound is 1e-6
  const StageResult result = value(world.run());
  CHECK(result.parameters[0] == 1e-6);
  REQUIRE(result.at_bound.size() == 1);
  CHECK(result.at_bound[0].parameter == 0);
  CHECK_FALSE(result.at_bound[0].upper);
}

TEST_CASE("stage: wrong options are problems, all at once") {
  World world({{5e-6, 2e10}});
  world.options = {"bad", {1, 1}, {}, Loss::rmse, {30, 0, std::nan("")}, {-1.0, 0}, 1};
  const auto result = world.run();
  REQUIRE_FALSE(result);
  CHECK(result.problems().size() == 6);
  for (const Error& problem : result.problems()) CHECK(problem.where == "stage 'bad'");
  CHECK(world.simulator.answered == 0);
}

TEST_CASE("stages: a later one starts from the earlier result and leaves its values alone") {
  World world({{5e-6, 2e10}});
  StageOptions alpha = world.options, beta = world.options;
  alpha.name = "alpha";
  alpha.tuned = {0};
  alpha.fits[0].experiments.resize(1);
  beta.name = "beta";
  beta.tuned = {1};
  alpha.budget.iterations = beta.budget.iterations = 40;
  std::vector<double> start = world.table.defaults();
  start[1] = 2e10;
  const auto make = [](const StageOptions&) { return std::make_unique<Compass>(); };
  const auto results = run_stages(world.context(), start, std::vector{alpha, beta}, make, nullptr);
  REQUIRE(results);
  REQUIRE(results->size() == 2);
  CHECK((*results)[0].parameters[0] == doctest::Approx(5e-6).epsilon(1e-6));
  CHECK((*results)[0].parameters[1] == 2e10);
  CHECK((*results)[1].parameters[0] == (*results)[0].parameters[0]);
  CHECK((*results)[1].history[0].parameters[0] == 2e10);
  CHECK((*results)[1].parameters[1] == doctest::Approx(2e10).epsilon(1e-6));

  StopAfter stop(3, false);
  const auto interrupted = run_stages(world.context(), start, std::vector{alpha, beta}, make, &stop);
  REQUIRE(interrupted);
  CHECK(interrupted->size() == 1);

  beta.tuned = {1, 0};
  const auto twice = run_stages(world.context(), start, std::vector{alpha, beta}, make, nullptr);
  REQUIRE_FALSE(twice);
  CHECK(describe(twice.problems())
            .starts_with("stage 'beta': tunes 'toy.alpha', which stage 'alpha' has tuned"));
}
