// A plan as a program of the engine.
#pragma once

#include "base/parameters.hpp"
#include "collectives/plan.hpp"
#include "engine/program.hpp"
#include "topology/machine.hpp"

namespace caliper {

/// For each channel in use and each rank a worker "block", the thread block: a launch, then the primitives of
/// all loops, slice by slice, empty slices too. Edges, all with the plan's window:
///   to the next rank in the same node   block -> block, an attached transfer over NVLink
///   to another node                     block -> "proxy" -> block. The hand-over to the proxy is in place,
///   or with PXN an
///                                       attached transfer over NVLink to the proxy's GPU; the proxy, named
///                                       by the rank it sends for, is busy net.send_delay a message and then
///                                       lets the NIC do it: a detached transfer, in order.
/// A primitive costs gpu.slice_overhead, and
///   sending over a route   the transfer, at gpu.channel_rate at most
///   sending in place       bytes / gpu.channel_rate
///   not sending            bytes / gpu.copy_rate
/// where reducing divides the rate by gpu.reduce_cost.
///
/// An empty message gives a program without operations, as NCCL starts no kernel. A single rank gives a
/// launch only: the local copy of an out-of-place operation is not modelled.
/// @param table  holds collectives_parameters() and topology_parameters()
/// The plan's execution has passed check_execution for this machine. Memory: O(operation_count(plan)).
Program lower(const Plan& plan, const Machine& machine, const ParameterTable& table);

}  // namespace caliper
