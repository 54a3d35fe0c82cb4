#include "validation/report_input.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "validation/noise.hpp"

namespace caliper {
std::vector<ReportGroup> report_groups(const Dataset& dataset, std::span<const GroupSummary> summaries,
                                       std::span<const Prediction> predictions) {
  std::vector<ReportGroup> groups;
  for (const ExperimentGroup& group : dataset.groups)
    groups.push_back(
        {group.name, group.collective, group.ranks, group.placement, group.noise, "", {}, {}, {}});
  for (const GroupSummary& summary : summaries) {
    CALIPER_CHECK(summary.group < groups.size());
    ReportGroup& group = groups[summary.group];
    group.program_hash = summary.program_hash;
    group.noise_estimate = summary.noise_estimate;
    group.sets.push_back({summary.set, summary.with_default, summary.calibrated, summary.alpha_beta,
                          summary.out_of_scope_reasons, summary.nearest_size, summary.residuals});
  }
  const std::vector<double> deviations = outlier_deviations(dataset);
  for (const Prediction& prediction : predictions) {
    CALIPER_CHECK(prediction.group < groups.size() && prediction.id.index < dataset.experiments.size());
    groups[prediction.group].points.push_back(
        {prediction.bytes, prediction.measured, dataset[prediction.id].repeats, prediction.default_s,
         prediction.calibrated_s, prediction.alpha_beta_s, prediction.set, deviations[prediction.id.index]});
  }
  for (ReportGroup& group : groups) std::ranges::stable_sort(group.points, {}, &ReportPoint::bytes);
  return groups;
}

}  // namespace caliper
