// What limits a run, for explain: its critical path by parameter and by link class, and what each parameter
// does.
#pragma once

#include <nlohmann/json.hpp>

#include "base/parameters.hpp"
#include "engine/fold.hpp"

namespace caliper {

/// {"time_us", "parts": [{"what", "time_us", "share"}], "link_classes": [{"class", "time_us", "share"}],
/// "elasticities": [{"parameter", "elasticity"}], "approximate_us"}, all largest first. Times of parts add up
/// to time_us, as those of link classes do; an elasticity is p / T * dT/dp. {"left_out": why} where there is
/// no path: a run that is stuck, or that is too long to be recorded.
nlohmann::ordered_json limits_json(const ParameterTable& table, const FoldedProgram& program,
                                   ParameterView parameters);

/// On stdout.
void print_limits(const nlohmann::ordered_json& limits);

}  // namespace caliper
