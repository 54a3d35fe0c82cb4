#include "scenarios/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "scenarios/direct_facts.hpp"
#include "scenarios/version.hpp"
#include "validation/report_input.hpp"

namespace caliper {
namespace {

AtBound bound_of(const CalibrationRecord* calibration, ParameterIndex parameter) {
  if (!calibration) return AtBound::no;
  for (const StageResult& result : calibration->results)
    for (const ParameterAtBound& at : result.at_bound)
      if (at.parameter == parameter) return at.upper ? AtBound::upper : AtBound::lower;
  return AtBound::no;
}

/// Who decided a parameter's value: a stage, the scenario, nobody.
void add_origin(const Scenario& scenario, const CalibrationRecord* calibration, ParameterIndex parameter,
                ReportParameter& row) {
  row.role = ParameterRole::at_default;
  row.reason = "not tuned by any stage";
  for (const FixedParameter& fixed : scenario.fixed)
    if (fixed.parameter == parameter) {
      row.role = ParameterRole::fixed;
      row.reason = fixed.reason;
    }
  const auto tuned_by = [&](const std::string& stage, const std::vector<ParameterIndex>& tuned) {
    const auto at = std::ranges::find(tuned, parameter);
    if (at == tuned.end()) return std::optional<std::size_t>();
    row.role = ParameterRole::tuned;
    row.stage = stage;
    row.reason.clear();
    return std::optional(static_cast<std::size_t>(at - tuned.begin()));
  };
  if (!calibration) {
    for (const ScenarioStage& stage : scenario.stages) tuned_by(stage.name, stage.tune);
    return;
  }
  for (std::size_t s = 0; s < calibration->results.size(); ++s)
    if (const auto at = tuned_by(calibration->stages[s].name, calibration->stages[s].tuned))
      row.interval = calibration->sensitivities[s].estimates[*at].interval;
}

std::vector<ReportParameter> parameters_of(const Scenario& scenario, const Assessment& assessment,
                                           const CalibrationRecord* calibration) {
  std::vector<ReportParameter> rows;
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i) {
    const AuxiliaryParameter& parameter = scenario.parameters[i];
    ReportParameter row{};
    row.id = parameter.id;
    row.meaning = parameter.meaning;
    row.dimension = parameter.dimension;
    row.scale = parameter.scale;
    row.default_value = parameter.value;
    row.lower = parameter.lower;
    row.upper = parameter.upper;
    row.value = assessment.calibrated[i];
    row.at_bound = bound_of(calibration, i);
    add_origin(scenario, calibration, i, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string budget_text(const StageOptions& stage) {
  std::string text = fmt::format("{} iterations", stage.budget.iterations);
  if (stage.budget.runs) text += fmt::format(", {} runs", *stage.budget.runs);
  if (stage.budget.wall_seconds) text += fmt::format(", {:.0f} s", *stage.budget.wall_seconds);
  return text;
}

ReportStage stage_of(const StageOptions& options, const StageResult& result) {
  ReportStage stage;
  stage.name = options.name;
  stage.loss = name_of(options.loss);
  stage.loss_dimension = options.loss == Loss::rmse ? Dimension::time : Dimension::number;
  stage.budget = budget_text(options);
  stage.stop_reason = result.stop_words;
  stage.evaluations = result.history.size();
  stage.runs = result.counts.distinct;
  for (const HistoryRow& row : result.history)
    stage.history.push_back({row.candidate + std::uint64_t{1}, row.loss, row.best});
  return stage;
}

std::vector<double> row_of(const Eigen::MatrixXd& matrix, Eigen::Index row) {
  std::vector<double> values(static_cast<std::size_t>(matrix.cols()));
  for (Eigen::Index c = 0; c < matrix.cols(); ++c) values[static_cast<std::size_t>(c)] = matrix(row, c);
  return values;
}

ReportSensitivity sensitivity_of(const Scenario& scenario, const StageOptions& stage,
                                 const Sensitivity& found) {
  ReportSensitivity report;
  report.stage = stage.name;
  for (const ParameterIndex parameter : stage.tuned)
    report.parameters.push_back(scenario.parameters[parameter].id);
  for (std::size_t i = 0; i < found.experiments.size(); ++i) {
    const Experiment& experiment = scenario.dataset[found.experiments[i]];
    report.rows.push_back({scenario.dataset.groups[experiment.group].name, experiment.bytes,
                           row_of(found.scaled, static_cast<Eigen::Index>(i))});
  }
  report.singular_values.assign(found.singular_values.begin(), found.singular_values.end());
  report.condition_number = found.condition_number;
  for (Eigen::Index r = 0; r < found.correlation.rows(); ++r)
    report.correlation.push_back(row_of(found.correlation, r));
  for (const ParameterEstimate& estimate : found.estimates)
    for (const std::string& doubt : estimate.doubts)
      report.not_identified.push_back(
          fmt::format("{}: {}", scenario.parameters[estimate.parameter].id, doubt));
  return report;
}

/// Half and twice the channels in use: what the derived count is worth, for people to see.
std::optional<ReportAlternative> channel_alternatives(const Scenario& scenario,
                                                      const Assessment& assessment) {
  std::set<std::uint32_t> counts;
  std::vector<std::uint32_t> in_use(scenario.groups.size(), 0);
  ReportAlternative alternative{"channels", {}, {}};
  std::vector<std::uint32_t> shown;
  for (const GroupSummary& summary : assessment.summaries) {
    if (summary.set != Set::validation) continue;
    const auto execution = execution_of(scenario, summary.group, summary.largest);
    if (!execution) continue;
    in_use[summary.group] = execution->channels();
    for (const std::uint32_t count :
         {execution->channels() / 2, execution->channels(), execution->channels() * 2})
      if (count >= 1 && count <= 64) counts.insert(count);
    shown.push_back(summary.group);
    const std::size_t sampled = held_out_sample(scenario.dataset, scenario.split, summary.group).size();
    alternative.groups.push_back(
        fmt::format("{} ({} in use{})", summary.name, execution->channels(),
                    sampled == summary.calibrated.count
                        ? ""
                        : fmt::format("; {} of {} sizes", sampled, summary.calibrated.count)));
  }
  if (shown.empty()) return std::nullopt;
  for (const std::uint32_t count : counts) {
    const auto error = held_out_error_with_channels(scenario, assessment.calibrated, count);
    ReportAlternative::Candidate candidate{fmt::format("{} channels", count), false, {}};
    for (const std::uint32_t group : shown) {
      candidate.mean_error.push_back(error[group]);
      candidate.in_use |= in_use[group] == count;
    }
    alternative.candidates.push_back(std::move(candidate));
  }
  return alternative;
}

std::vector<ReportSkipped> skipped_of(const Scenario& scenario) {
  std::vector<ReportSkipped> rows;
  for (const SkippedRow& row : scenario.skipped) rows.push_back({row.where, 0, row.reason});
  return rows;
}

}  // namespace

ReportData report_data(const Scenario& scenario, const Assessment& assessment,
                       const CalibrationRecord* calibration) {
  ReportData data;
  data.title = scenario.title;
  data.scenario = scenario.inputs.empty() ? "" : scenario.inputs.front().path;
  data.data_kind = name_of(scenario.data_kind);
  data.note =
      "The alpha-beta baseline is a start-up and a bandwidth per ring step, fitted on the same points; "
      "groups "
      "of several nodes without a fit of their own shape take the one of the largest communicator. Where it "
      "is "
      "nearer, one bandwidth is all there is to know, and the simulator has to earn its cost on other "
      "collectives, scales and placements.";
  data.credibility = assessment.credibility;
  data.groups = report_groups(scenario.dataset, assessment.summaries, assessment.predictions);
  for (DirectFact& fact : direct_facts(scenario))
    data.direct.push_back(
        {std::move(fact.id), std::move(fact.meaning), std::move(fact.value), std::move(fact.given_by)});
  data.auxiliary = parameters_of(scenario, assessment, calibration);
  if (calibration) {
    for (std::size_t s = 0; s < calibration->results.size(); ++s)
      data.stages.push_back(stage_of(calibration->stages[s], calibration->results[s]));
    for (std::size_t s = 0; s < calibration->sensitivities.size(); ++s)
      data.sensitivities.push_back(
          sensitivity_of(scenario, calibration->stages[s], calibration->sensitivities[s]));
    data.provenance.seed = calibration->seed;
  }
  if (auto alternative = channel_alternatives(scenario, assessment))
    data.alternatives.push_back(*std::move(alternative));
  for (const ModelGap& gap : scenario.model_gaps)
    data.model_gaps.push_back({gap.name, gap.affects, gap.what});
  data.skipped = skipped_of(scenario);
  for (const InputFile& input : scenario.inputs) data.provenance.inputs.push_back({input.path, input.sha256});
  data.provenance.versions = versions();
  data.provenance.command = calibration ? "calibrate" : "validate";
  data.provenance.split_hash = scenario.split.hash(scenario.dataset);
  return data;
}

}  // namespace caliper
