#include "calibration/stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "base/units.hpp"
#include "calibration/search_space.hpp"

namespace caliper {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Candidate {
  Eigen::VectorXd point;
  std::vector<double> parameters;  // full set
};

/// The state of a stage between batches.
class StageRun {
 public:
  StageRun(const EvaluationContext& context, ParameterView start, const StageOptions& options,
           const Optimizer& optimizer)
      : options_(options),
        optimizer_(optimizer),
        space_(context.table, options.tuned),
        evaluator_(context),
        experiments_(experiments_of(options.fits)),
        start_(start.begin(), start.end()) {
    for (const ParameterIndex i : options.tuned)
      start_[i] = std::clamp(start_[i], context.table[i].lower, context.table[i].upper);
  }

  Result<StageResult> run(ProgressSink* progress);

 private:
  std::vector<Eigen::VectorXd> points_of(std::uint32_t iteration);
  std::vector<Candidate> candidates_of(std::uint32_t iteration);
  Problems evaluate(std::uint32_t iteration, const std::vector<Candidate>& candidates);
  void add(std::uint32_t iteration, const Candidate& candidate, std::span<const Outcome> outcomes,
           bool from_cache);
  std::optional<StopReason> stop_after(std::uint32_t iteration) const;
  std::string words_of(StopReason reason, std::uint32_t iteration) const;
  StageResult result(StopReason reason, std::uint32_t iteration) const;
  Error all_failed() const;

  double elapsed() const { return watch_.seconds(); }
  std::string worded(double loss) const { return format_loss(options_.loss, loss); }

  const StageOptions& options_;
  const Optimizer& optimizer_;
  SearchSpace space_;
  Evaluator evaluator_;
  std::vector<ExperimentId> experiments_;
  std::vector<double> start_;
  Stopwatch watch_;
  double optimizer_seconds_ = 0;

  std::vector<Evaluation> evaluations_;  // what the optimiser sees
  std::vector<HistoryRow> history_;
  std::vector<double> best_after_;  // [iteration]
  Candidate best_;
  double best_loss_ = kInfinity;
  std::vector<double> best_of_group_;
};

std::vector<Eigen::VectorXd> StageRun::points_of(std::uint32_t iteration) {
  Stopwatch watch;
  auto points =
      iteration == 0 ? optimizer_.initial_points(space_.dimensions()) : optimizer_.propose(evaluations_);
  optimizer_seconds_ += watch.lap();
  CALIPER_CHECK(iteration == 0 || !points.empty());
  return points;
}

std::vector<Candidate> StageRun::candidates_of(std::uint32_t iteration) {
  std::vector<Candidate> candidates;
  if (iteration == 0) candidates.push_back({space_.point_of(start_), start_});
  for (const Eigen::VectorXd& point : points_of(iteration)) {
    CALIPER_CHECK(static_cast<std::size_t>(point.size()) == space_.dimensions());
    CALIPER_CHECK((point.array() >= 0).all() && (point.array() <= 1).all());
    candidates.push_back({point, start_});
    space_.apply(point, candidates.back().parameters);
  }
  return candidates;
}

Problems StageRun::evaluate(std::uint32_t iteration, const std::vector<Candidate>& candidates) {
  std::vector<std::vector<double>> parameters;
  for (const Candidate& candidate : candidates) parameters.push_back(candidate.parameters);
  const auto batch = evaluator_.evaluate(parameters, experiments_);
  if (!batch) return batch.problems();
  const std::size_t first = history_.size();
  for (std::size_t c = 0; c < candidates.size(); ++c)
    add(iteration, candidates[c], batch->of(c), batch->runs[c] == 0);
  for (std::size_t row = first; row < history_.size(); ++row) history_[row].elapsed = elapsed();
  best_after_.push_back(best_loss_);
  return {};
}

void StageRun::add(std::uint32_t iteration, const Candidate& candidate, std::span<const Outcome> outcomes,
                   bool from_cache) {
  const Dataset& dataset = evaluator_.context().dataset;
  std::vector<double> simulated;
  Eigen::VectorXd residuals(static_cast<Eigen::Index>(outcomes.size()));
  std::string failure;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Experiment& experiment = dataset[experiments_[i]];
    const bool timed = outcomes[i].status == OutcomeStatus::time;
    simulated.push_back(timed ? outcomes[i].seconds : kInfinity);
    residuals[static_cast<Eigen::Index>(i)] = residual(options_.loss, simulated.back(), experiment.seconds);
    if (!timed && failure.empty())
      failure = fmt::format(
          "group '{}', {}: {}{}", dataset.groups[experiment.group].name, format_bytes(experiment.bytes),
          outcomes[i].status == OutcomeStatus::timeout ? "timeout " : "", outcomes[i].reason);
  }
  const StageLoss loss = stage_loss(options_.loss, dataset, options_.fits, simulated);
  if (loss.value < best_loss_) {
    best_ = candidate;
    best_loss_ = loss.value;
    best_of_group_ = loss.of_group;
  }
  HistoryRow row{iteration,  static_cast<std::uint32_t>(history_.size()),
                 loss.value, best_loss_,
                 {},         0,
                 from_cache, std::move(failure)};
  for (const ParameterIndex i : options_.tuned) row.parameters.push_back(candidate.parameters[i]);
  history_.push_back(std::move(row));
  if (!std::isfinite(loss.value)) residuals.resize(0);
  evaluations_.push_back({candidate.point, loss.value, std::move(residuals)});
}

std::optional<StopReason> StageRun::stop_after(std::uint32_t iteration) const {
  const auto& [target, plateau] = options_.stop;
  if (target && best_loss_ <= *target) return StopReason::target;
  if (plateau && iteration >= *plateau &&
      best_loss_ >= best_after_[iteration - *plateau] * (1 - kPlateauDecrease))
    return StopReason::plateau;
  if (iteration >= options_.budget.iterations) return StopReason::iterations;
  if (options_.budget.runs && evaluator_.counts().distinct >= *options_.budget.runs) return StopReason::runs;
  if (options_.budget.wall_seconds && elapsed() >= *options_.budget.wall_seconds)
    return StopReason::wall_time;
  return std::nullopt;
}

std::string StageRun::words_of(StopReason reason, std::uint32_t iteration) const {
  switch (reason) {
    case StopReason::iterations:
      return fmt::format("all {} iterations of the budget are done", iteration);
    case StopReason::runs:
      return fmt::format("the budget of {} simulator runs is used up ({} after iteration {})",
                         *options_.budget.runs, evaluator_.counts().distinct, iteration);
    case StopReason::wall_time:
      return fmt::format("the budget of {:.4g} s is used up after iteration {}",
                         *options_.budget.wall_seconds, iteration);
    case StopReason::target:
      return fmt::format("the target is reached: {} of at most {}", worded(best_loss_),
                         worded(*options_.stop.target));
    case StopReason::plateau: {
      const std::string above =
          options_.stop.target ? fmt::format(", above the target of {}", worded(*options_.stop.target)) : "";
      return fmt::format(
          "the loss has not moved for {} iterations and stays at {}{}: this points to an error that "
          "calibration cannot fix, such as an effect that is not modelled or a wrong direct parameter",
          *options_.stop.plateau, worded(best_loss_), above);
    }
    case StopReason::interrupted:
      return fmt::format("interrupted after iteration {}: run it again to resume, what was evaluated is kept",
                         iteration);
  }
  return "";
}

Error StageRun::all_failed() const {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> reasons;  // different ones, in the order of the candidates
  for (const HistoryRow& row : history_)
    if (reasons.size() < kShown && std::ranges::find(reasons, row.failure) == reasons.end())
      reasons.push_back(row.failure);
  return {fmt::format("stage '{}'", options_.name),
          fmt::format("the simulator fails for all {} candidates of the initial design: {}", history_.size(),
                      fmt::join(reasons, "; ")),
          "simulate the default parameters first"};
}

StageResult StageRun::result(StopReason reason, std::uint32_t iteration) const {
  StageResult result{best_.parameters,
                     best_loss_,
                     best_of_group_,
                     history_,
                     reason,
                     words_of(reason, iteration),
                     iteration,
                     evaluator_.counts(),
                     {},
                     {evaluator_.seconds(), optimizer_seconds_, elapsed()}};
  for (std::size_t axis = 0; axis < space_.dimensions(); ++axis) {
    const double coordinate = best_.point[static_cast<Eigen::Index>(axis)];
    if (std::min(coordinate, 1 - coordinate) <= kAtBound)
      result.at_bound.push_back({options_.tuned[axis], coordinate > 0.5});
  }
  return result;
}

Result<StageResult> StageRun::run(ProgressSink* progress) {
  for (std::uint32_t iteration = 0;; ++iteration) {
    if (Problems problems = evaluate(iteration, candidates_of(iteration)); !problems.empty()) return problems;
    if (!std::isfinite(best_loss_)) return all_failed();
    const bool go_on =
        !progress || progress->after_batch({options_.name, iteration, options_.budget.iterations, best_loss_,
                                            best_of_group_, evaluator_.counts(), elapsed()});
    if (const auto reason = stop_after(iteration)) return result(*reason, iteration);
    if (!go_on) return result(StopReason::interrupted, iteration);
  }
}

}  // namespace

std::string_view name_of(StopReason reason) {
  constexpr std::array kNames = {std::string_view{"iterations"}, std::string_view{"runs"},
                                 std::string_view{"wall_time"},  std::string_view{"target"},
                                 std::string_view{"plateau"},    std::string_view{"interrupted"}};
  return kNames[static_cast<std::size_t>(reason)];
}

Problems problems_of(const StageOptions& options, const ParameterTable& table) {
  Problems problems;
  const auto add = [&](std::string what, std::string hint) {
    problems.push_back({fmt::format("stage '{}'", options.name), std::move(what), std::move(hint)});
  };
  const auto is_positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (options.tuned.empty()) add("tunes nothing", "name at least one auxiliary parameter in 'tune'");
  if (options.fits.empty()) add("fits nothing", "name at least one group in 'fit'");
  std::vector<bool> seen(table.size());
  for (const ParameterIndex i : options.tuned) {
    CALIPER_CHECK(i < table.size());
    if (seen[i]) add(fmt::format("tunes '{}' twice", table[i].id), "name it once");
    seen[i] = true;
  }
  if (options.budget.runs && *options.budget.runs == 0) add("has a budget of 0 runs", "give at least 1");
  if (options.budget.wall_seconds && !is_positive(*options.budget.wall_seconds))
    add(fmt::format("has a wall-time budget of {} s", *options.budget.wall_seconds), "it must be above 0");
  if (options.stop.target && !is_positive(*options.stop.target))
    add(fmt::format("has a target loss of {}", *options.stop.target), "it must be above 0");
  if (options.stop.plateau && *options.stop.plateau == 0)
    add("stops on a plateau of 0 iterations", "give at least 1");
  return problems;
}

Result<StageResult> run_stage(const EvaluationContext& context, ParameterView start,
                              const StageOptions& options, const Optimizer& optimizer,
                              ProgressSink* progress) {
  CALIPER_CHECK(start.size() == context.table.size());
  if (Problems problems = problems_of(options, context.table); !problems.empty()) return problems;
  return StageRun(context, start, options, optimizer).run(progress);
}

Result<std::vector<StageResult>> run_stages(const EvaluationContext& context, ParameterView start,
                                            std::span<const StageOptions> stages,
                                            const OptimizerFactory& optimizer, ProgressSink* progress) {
  Problems problems;
  std::vector<const StageOptions*> tuned_by(context.table.size());
  for (const StageOptions& stage : stages) {
    append(problems, problems_of(stage, context.table));
    for (const ParameterIndex i : stage.tuned) {
      if (tuned_by[i] && tuned_by[i] != &stage)
        problems.push_back(
            {fmt::format("stage '{}'", stage.name),
             fmt::format("tunes '{}', which stage '{}' has tuned", context.table[i].id, tuned_by[i]->name),
             "what a stage has tuned stays fixed in later ones; leave it to one of them"});
      tuned_by[i] = &stage;
    }
  }
  if (!problems.empty()) return problems;

  std::vector<StageResult> results;
  std::vector<double> parameters(start.begin(), start.end());
  for (const StageOptions& stage : stages) {
    auto result = run_stage(context, parameters, stage, *optimizer(stage), progress);
    if (!result) return result.problems();
    parameters = result->parameters;
    results.push_back(*std::move(result));
    if (results.back().stop_reason == StopReason::interrupted) break;
  }
  return results;
}

}  // namespace caliper
