// What a scenario predicts with given parameters, as a baseline to compare with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "validation/baseline.hpp"

namespace caliper {

struct Snapshot {
  Baseline baseline;               ///< without updates; tolerances are the defaults
  std::vector<std::string> stuck;  ///< one text a run that came to no end; their times are missing
};

/// Called for each experiment that is done, from any thread.
using OnDone = std::function<void()>;

/// Builds and proves the program of every experiment that has a plan and runs none. All problems, each once.
Problems prove_programs(const Scenario& scenario, const OnDone& on_done);

/// Builds, proves and runs the program of every experiment that has a plan. Groups without such an experiment
/// are left out. Numbers have the digits that a baseline's file keeps.
/// @param parameters  full set, SI
/// Problems: as prove_programs.
Result<Snapshot> take_snapshot(const Scenario& scenario, ParameterView parameters, const OnDone& on_done);

}  // namespace caliper
