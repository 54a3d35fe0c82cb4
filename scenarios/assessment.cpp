#include "scenarios/assessment.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "validation/alpha_beta.hpp"
#include "validation/nearest_size.hpp"

namespace caliper {
namespace {

/// Times of the experiments, NaN where the simulator gives none.
std::vector<double> times_of(const ScenarioSimulator& simulator, ParameterView parameters,
                             std::span<const ExperimentId> experiments) {
  std::vector<Outcome> outcomes(experiments.size());
  simulator.evaluate(parameters, experiments, outcomes);
  std::vector<double> times(experiments.size(), Prediction::kNone);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i].status == OutcomeStatus::time) times[i] = outcomes[i].seconds;
  return times;
}

/// A baseline and the shape that it was fitted on.
struct ShapeFit {
  std::uint32_t nodes, gpus_per_node;
  AlphaBeta model;
};

std::vector<ShapeFit> fit_shapes(const Scenario& scenario) {
  std::vector<ShapeFit> fits;
  for (const auto& stage : scenario.split.stage_fits) {
    for (const FitGroup& first : stage) {
      const ScenarioGroup& shape = scenario.groups[first.group];
      const auto same = [&](const auto& other) {
        return other.nodes == shape.nodes && other.gpus_per_node == shape.gpus_per_node;
      };
      if (std::ranges::any_of(fits, same)) continue;
      std::vector<CollectivePoint> points;
      for (const auto& others : scenario.split.stage_fits)
        for (const FitGroup& fit : others) {
          const ScenarioGroup& group = scenario.groups[fit.group];
          if (!same(group)) continue;
          for (const ExperimentId id : fit.experiments)
            points.push_back({name_of(group.collective), static_cast<std::uint32_t>(group.ranks.size()),
                              scenario.dataset[id].bytes, scenario.dataset[id].seconds});
        }
      if (const auto model = fit_alpha_beta(points))
        fits.push_back({shape.nodes, shape.gpus_per_node, *model});
    }
  }
  return fits;
}

/// The fit of the group's own shape, else for several nodes the one with the most ranks of several nodes.
const ShapeFit* baseline_for(const ScenarioGroup& group, std::span<const ShapeFit> fits) {
  const ShapeFit* best = nullptr;
  for (const ShapeFit& fit : fits) {
    if (fit.nodes == group.nodes && fit.gpus_per_node == group.gpus_per_node) return &fit;
    if (fit.nodes < 2 || group.nodes < 2) continue;
    if (!best || fit.nodes * fit.gpus_per_node > best->nodes * best->gpus_per_node) best = &fit;
  }
  return best;
}

void add_nearest_size(const Scenario& scenario, std::vector<Prediction>& predictions) {
  std::vector<std::vector<SizedTime>> fitted(scenario.groups.size());
  for (const ExperimentId id : scenario.split.members(Set::calibration)) {
    const Experiment& experiment = scenario.dataset[id];
    if (experiment.bytes > 0) fitted[experiment.group].push_back({experiment.bytes, experiment.seconds});
  }
  for (Prediction& prediction : predictions)
    if (prediction.set == Set::validation)
      prediction.nearest_size_s =
          nearest_size_time(fitted[prediction.group], prediction.bytes).value_or(Prediction::kNone);
}

Credibility credibility_of(const Scenario& scenario, std::span<const Prediction> predictions) {
  Credibility credibility;
  for (const ExperimentGroup& group : scenario.dataset.groups) credibility.group_names.push_back(group.name);
  credibility.records = compare_records(scenario.dataset, scenario.split);
  credibility.coincidences = coincidences(scenario.dataset, credibility.records);
  credibility.unmodelled = unmodelled_structure(scenario.dataset, predictions);
  for (UnmodelledStructure& structure : credibility.unmodelled)
    for (const ModelGap& gap : scenario.model_gaps)
      if (matches(gap.affects, structure.name)) structure.gaps.push_back(gap.name);
  return credibility;
}

void add_alpha_beta(const Scenario& scenario, std::vector<Prediction>& predictions) {
  const std::vector<ShapeFit> fits = fit_shapes(scenario);
  for (Prediction& prediction : predictions) {
    const ScenarioGroup& group = scenario.groups[prediction.group];
    const ShapeFit* fit = baseline_for(group, fits);
    if (!fit) continue;
    const auto time = fit->model.predict(name_of(group.collective),
                                         static_cast<std::uint32_t>(group.ranks.size()), prediction.bytes);
    if (time) prediction.alpha_beta_s = *time;
  }
}

std::vector<std::string> program_hashes(const Scenario& scenario) {
  std::vector<std::string> hashes;
  for (std::uint32_t g = 0; g < scenario.groups.size(); ++g) {
    std::vector<std::uint64_t> sizes;
    for (const ExperimentId id : scenario.dataset.of_group(g))
      if (scenario.groups[g].plan_for(scenario.dataset[id].bytes))
        sizes.push_back(scenario.dataset[id].bytes);
    const auto hash = group_program_hash(scenario, g, sizes);
    hashes.push_back(hash && !sizes.empty() ? *hash : std::string());
  }
  return hashes;
}

}  // namespace

Assessment assess(const Scenario& scenario, const ScenarioSimulator& simulator,
                  std::vector<double> calibrated) {
  Assessment result;
  const std::vector<double> deviations = outlier_deviations(scenario.dataset);
  for (std::uint32_t i = 0; i < scenario.dataset.experiments.size(); ++i) {
    const Experiment& experiment = scenario.dataset.experiments[i];
    Prediction prediction;
    prediction.id = {i};
    prediction.group = experiment.group;
    prediction.bytes = experiment.bytes;
    prediction.measured = experiment.seconds;
    prediction.set = scenario.split.set[i];
    prediction.outlier = std::isfinite(deviations[i]);
    result.predictions.push_back(prediction);
  }
  const std::vector<ExperimentId> simulated = simulated_experiments(scenario);
  const std::vector<double> before = times_of(simulator, scenario.starting_parameters(), simulated);
  const std::vector<double> after = times_of(simulator, calibrated, simulated);
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    result.predictions[simulated[i].index].default_s = before[i];
    result.predictions[simulated[i].index].calibrated_s = after[i];
  }
  add_alpha_beta(scenario, result.predictions);
  add_nearest_size(scenario, result.predictions);
  result.credibility = credibility_of(scenario, result.predictions);
  result.calibrated = std::move(calibrated);
  result.program_hashes = program_hashes(scenario);
  result.summaries = summarise(scenario.dataset, scenario.split, result.predictions, result.program_hashes);
  return result;
}

std::vector<StageOptions> declared_stages(const Scenario& scenario, std::uint64_t seed) {
  std::vector<StageOptions> stages;
  for (std::size_t s = 0; s < scenario.stages.size(); ++s) {
    const ScenarioStage& declared = scenario.stages[s];
    stages.push_back({declared.name, declared.tune, scenario.split.stage_fits[s], declared.loss,
                      declared.budget, declared.stop, seed});
  }
  return stages;
}

std::vector<ExperimentId> held_out_sample(const Dataset& dataset, const Split& split, std::uint32_t group) {
  std::vector<ExperimentId> held_out;
  for (const ExperimentId id : dataset.of_group(group))
    if (split.set[id.index] == Set::validation) held_out.push_back(id);
  if (held_out.size() <= kMostSampled) return held_out;
  std::vector<ExperimentId> sample;
  for (std::size_t i = 0; i < kMostSampled; ++i)
    sample.push_back(held_out[i * (held_out.size() - 1) / (kMostSampled - 1)]);
  return sample;
}

std::vector<double> held_out_error_with_channels(const Scenario& scenario, ParameterView parameters,
                                                 std::uint32_t channels) {
  std::vector<double> error(scenario.groups.size(), Prediction::kNone);
  for (std::uint32_t g = 0; g < scenario.groups.size(); ++g) {
    const std::vector<ExperimentId> held_out = held_out_sample(scenario.dataset, scenario.split, g);
    if (held_out.empty()) continue;
    const auto simulator = ScenarioSimulator::build(scenario, held_out, Shortcuts{}, channels);
    if (!simulator) continue;
    std::vector<double> measured;
    for (const ExperimentId id : held_out) measured.push_back(scenario.dataset[id].seconds);
    error[g] = error_statistics(times_of(*simulator, parameters, held_out), measured).mean;
  }
  return error;
}

}  // namespace caliper
