// From imported measurements to a scenario that runs as it stands and says what its reader has to decide.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "topology/machine.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

struct SkeletonTable {
  MeasurementLog log;
  std::string file;  ///< of its CSV, as the scenario is to name it
};

/// The text of a scenario with one group per table that can be simulated on the machine: Ring and Simple as
/// derived by NCCL's rules, ranks on the machine's first nodes (assumed), and as far as there are tables for
/// it a stage for each half of the method: scale-up fits every second size of AllReduce inside one node,
/// scale-out of the largest communicator. What has to be decided by hand stands in comments: scope,
/// placement, what was assumed. Tables and sizes that cannot be simulated are listed in comments with the
/// reason.
/// @param system  as the scenario is to name it
/// Problem: none of the tables can be simulated; every one with its reason.
Result<std::string> scenario_skeleton(const std::string& system, const Machine& machine,
                                      const std::vector<SkeletonTable>& tables);

}  // namespace caliper
