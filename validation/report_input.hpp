// The groups of a report, out of what a validation already has.
#pragma once

#include <span>
#include <vector>

#include "validation/prediction.hpp"
#include "validation/report.hpp"

namespace caliper {

/// One group per group of the dataset, with its summaries as sets and its predictions as points, by size.
/// Points that lie off their neighbours (validation/noise.hpp) are flagged with their deviation.
std::vector<ReportGroup> report_groups(const Dataset& dataset, std::span<const GroupSummary> summaries,
                                       std::span<const Prediction> predictions);

}  // namespace caliper
