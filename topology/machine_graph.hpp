// The graph inside a machine, for those who walk it. Everybody else reads machine.hpp, which does not need
// Boost.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include "topology/machine.hpp"

namespace caliper {

/// Rows of edges in one array: a machine is built once and then only read.
using MachineGraph = boost::compressed_sparse_row_graph<boost::directedS, Device, MachineLink>;
static_assert(std::is_same_v<MachineGraph::vertex_descriptor, DeviceId>);

struct Machine::Wiring {
  MachineGraph graph;
};

inline const MachineGraph& graph_of(const Machine& machine) { return machine.wiring().graph; }

}  // namespace caliper
