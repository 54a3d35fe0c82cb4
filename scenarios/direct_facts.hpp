// The direct parameters of a scenario with their values, as text: what `explain`, reports and calibrated.toml
// show.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace caliper {

struct DirectFact {
  std::string id;
  std::string meaning;
  std::string value;  ///< "150 GB/s"; for facts of groups, each different value once
  std::string given_by;
};

/// One per row of the table's direct part, in its order.
std::vector<DirectFact> direct_facts(const Scenario& scenario);

}  // namespace caliper
