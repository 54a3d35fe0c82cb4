// Minimal routes of a Dragonfly+ from NIC to NIC, in closed form: no search.
#pragma once

#include <boost/container/static_vector.hpp>

#include "topology/machine.hpp"

namespace caliper {

/// Devices from NIC to NIC, both included; the longest is NIC, leaf, spine, spine, leaf, NIC.
using NetworkPath = boost::container::static_vector<DeviceId, 6>;

/// The minimal path between two different NICs:
///   same leaf    NIC, leaf, NIC
///   same group   NIC, leaf, spine, leaf, NIC
///   other group  NIC, leaf, spine k, spine k, leaf, NIC
/// The spine is chosen by destination (d-mod-k): number of the destination NIC in the machine (node * nics +
/// nic) modulo the spines of a group, or between groups modulo those with a global link. So the NICs of a
/// node, and neighbouring nodes, spread evenly over the spines, and a path depends on its two ends alone.
/// Each hop is a bundle of parallel links. Source: Shpiner et al., HiPINEB 2017 (paths of Dragonfly+);
/// Zahavi, Fat-trees routing and node ordering providing contention free traffic for MPI global collectives,
/// IPDPSW 2011 (d-mod-k).
NetworkPath minimal_path(const Machine& machine, NicAddress from, NicAddress to);

}  // namespace caliper
