// A plan as people draw it: rings through the GPUs and NICs of a node.
#pragma once

#include <string>
#include <string_view>

#include "collectives/execution.hpp"

namespace caliper {

/// An SVG of one panel for each ring that differs, with the channels that take it. One node: its GPUs in a
/// circle, NVLinks in grey, wider where there are several. Several nodes: the first two in the order of their
/// first rank, GPUs above NICs; a hop by another GPU's NIC (PXN) is dashed.
/// @param title, subtitle  a line each
std::string plan_svg(const Execution& execution, const Machine& machine, std::string_view title,
                     std::string_view subtitle);

}  // namespace caliper
