#include "calibration/label_shuffle.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/random.hpp"

namespace caliper {
namespace {

/// Fitted experiments of each group, over all stages, in ascending order.
std::map<std::uint32_t, std::set<ExperimentId>> fitted_by_group(std::span<const StageOptions> stages) {
  std::map<std::uint32_t, std::set<ExperimentId>> groups;
  for (const StageOptions& stage : stages)
    for (const FitGroup& fit : stage.fits)
      groups[fit.group].insert(fit.experiments.begin(), fit.experiments.end());
  return groups;
}

/// A random permutation of one cycle: position i gets the value of another position.
std::vector<std::size_t> random_cycle(std::size_t size, std::uint64_t seed, std::uint64_t who) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  for (std::size_t i = size; i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(unit_draw(seed, who, i) * static_cast<double>(i))]);
  return order;
}

/// Over all experiments and over those of each group.
void add_errors(std::span<const Outcome> outcomes, std::span<const double> calibrated, const Dataset& dataset,
                std::span<const ExperimentId> experiments, LabelShuffle& found) {
  const auto add = [](ShuffleErrors& to, double of_shuffled, double of_calibrated) {
    to.shuffled = (to.points == 0 ? 0 : to.shuffled) + of_shuffled;
    to.calibrated = (to.points == 0 ? 0 : to.calibrated) + of_calibrated;
    ++to.points;
  };
  found.of_group.resize(dataset.groups.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (outcomes[i].status != OutcomeStatus::time || !std::isfinite(calibrated[i])) continue;
    const Experiment& experiment = dataset[experiments[i]];
    const auto error = [&](double seconds) {
      return std::abs(seconds - experiment.seconds) / experiment.seconds;
    };
    for (ShuffleErrors* errors : {&found.all, &found.of_group[experiment.group]})
      add(*errors, error(outcomes[i].seconds), error(calibrated[i]));
  }
  const auto divide = [](ShuffleErrors& errors) {
    errors.shuffled /= static_cast<double>(errors.points);  // NaN of no points, as it was
    errors.calibrated /= static_cast<double>(errors.points);
  };
  divide(found.all);
  std::ranges::for_each(found.of_group, divide);
}

}  // namespace

Dataset shuffled_times(const Dataset& dataset, std::span<const StageOptions> stages, std::uint64_t seed) {
  Dataset shuffled = dataset;
  for (const auto& [group, members] : fitted_by_group(stages)) {
    const std::vector<ExperimentId> ids(members.begin(), members.end());
    const std::vector<std::size_t> order = random_cycle(ids.size(), seed, group);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Experiment& from = dataset[ids[order[i]]];
      Experiment& to = shuffled.experiments[ids[i].index];
      to.seconds = from.seconds;
      to.repeats = from.repeats;
    }
  }
  return shuffled;
}

std::vector<ExperimentId> thinned(const Dataset& dataset, std::span<const ExperimentId> experiments,
                                  std::size_t most) {
  CALIPER_CHECK(most >= 2);
  std::map<std::uint32_t, std::vector<ExperimentId>> by_group;
  for (const ExperimentId id : experiments) by_group[dataset[id].group].push_back(id);
  std::vector<ExperimentId> kept;
  for (const auto& [group, ids] : by_group) {
    const std::size_t count = std::min(most, ids.size());
    for (std::size_t i = 0; i < count; ++i)
      kept.push_back(count < 2 ? ids.front() : ids[i * (ids.size() - 1) / (count - 1)]);
  }
  return kept;
}

bool can_shuffle(std::span<const StageOptions> stages, std::span<const ExperimentId> held_out) {
  const auto groups = fitted_by_group(stages);
  return !held_out.empty() &&
         std::ranges::any_of(groups, [](const auto& group) { return group.second.size() >= 2; });
}

Result<LabelShuffle> run_label_shuffle(const EvaluationContext& context, ParameterView start,
                                       std::span<const double> calibrated, std::vector<StageOptions> stages,
                                       const OptimizerFactory& optimizer,
                                       std::span<const ExperimentId> held_out, const ShuffleOptions& options,
                                       ProgressSink* progress) {
  CALIPER_CHECK(calibrated.size() == held_out.size());
  const Dataset shuffled = shuffled_times(context.dataset, stages, options.seed);
  for (StageOptions& stage : stages) {
    stage.name += ", shuffled times";
    stage.budget = {std::min(stage.budget.iterations, options.iterations), {}, {}};
    stage.stop = {};
    for (FitGroup& fit : stage.fits)
      fit.experiments = thinned(context.dataset, fit.experiments, options.sizes);
  }
  const EvaluationContext control{context.table, shuffled, context.simulator, context.cache};
  const auto results = run_stages(control, start, stages, optimizer, progress);
  if (!results) return results.problems();

  LabelShuffle found;
  found.seed = options.seed;
  for (const StageResult& result : *results) {
    found.iterations = std::max(found.iterations, result.iterations);
    found.candidates += result.history.size();
  }
  found.interrupted = results->back().stop_reason == StopReason::interrupted;
  if (found.interrupted) return found;
  const std::vector<ExperimentId> asked = thinned(context.dataset, held_out, options.sizes);
  const auto batch = Evaluator(context).evaluate(std::span(&results->back().parameters, 1), asked);
  if (!batch) return batch.problems();
  std::map<std::uint32_t, double> time_of;
  for (std::size_t i = 0; i < held_out.size(); ++i) time_of[held_out[i].index] = calibrated[i];
  std::vector<double> calibrated_of;
  for (const ExperimentId id : asked) calibrated_of.push_back(time_of.at(id.index));
  add_errors(batch->outcomes, calibrated_of, context.dataset, asked, found);
  return found;
}

}  // namespace caliper
