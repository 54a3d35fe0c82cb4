// [placement.NAME] of a scenario.
#pragma once

#include <vector>

#include "scenarios/input_files.hpp"
#include "scenarios/toml_section.hpp"
#include "topology/placement.hpp"

namespace caliper {

/// One per table; a placement in which something is wrong is kept without nodes, so that groups can name it.
/// @param machine  null where the system could not be read: nodes are not looked up then
std::vector<Placement> read_placements(TomlSection& root, const Machine* machine, InputFiles& inputs);

}  // namespace caliper
