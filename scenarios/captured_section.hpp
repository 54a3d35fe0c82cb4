// Plans that are captured: what the log that a [[group.plan]] names says, laid on the machine of the
// scenario.
#pragma once

#include <span>
#include <vector>

#include "scenarios/group_section.hpp"
#include "scenarios/input_files.hpp"

namespace caliper {

/// Fills in PlanRange::captured and PlanRange::channels of the plans that name a log: a NCCL log, or the
/// record (a file that ends in .toml) that was made of one. Hosts of the log stand for the nodes of the
/// placement in the order of their first rank; GPUs and NICs keep the numbers that NCCL gave them. Reports,
/// at the line of `log`: what the reader of logs has against it; none or several communicators of as many
/// ranks; hosts, GPUs, NICs that are not the group's or the machine's; another channel count or version than
/// stated; calls of the group's collective that ran with another algorithm or protocol than the plan's, or on
/// other channels than its partition gives them.
void read_captured(TomlFile& file, const Machine& machine, std::span<const Placement> placements,
                   std::vector<GroupSection>& groups, InputFiles& inputs);

}  // namespace caliper
