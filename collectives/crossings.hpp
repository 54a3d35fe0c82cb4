// Checks of what rings and trees have in common: ranks on GPUs, and the hops between two ranks.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "collectives/execution.hpp"

namespace caliper {

std::string channel_name(std::size_t channel);  ///< "channel 3"

/// No ranks, no channels, two ranks on one GPU.
Problems check_ranks(const Execution& execution);

/// A crossing that should go from one rank to another, on different nodes: its ranks are these, proxy GPU and
/// NICs belong to their nodes.
Problems check_crossing(const Execution& execution, const NodeCrossing& crossing, std::uint32_t from,
                        std::uint32_t to, const std::string& where);

/// On a machine: GPU and NICs exist, each GPU reaches the network through the NIC that is local to it, and a
/// sender has an NVLink to the GPU that it sends through.
Problems check_nics(const NodeSpec& node, const Execution& execution, const NodeCrossing& crossing,
                    const std::string& where);

/// Two ranks of a node talk over NVLinks; nothing where they are on different nodes.
Problems check_nvlink(const NodeSpec& node, const Execution& execution, std::uint32_t from, std::uint32_t to,
                      const std::string& where);

}  // namespace caliper
