// Paths through a machine as routes of a program: here alone nominal rates meet auxiliary parameters.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/parameters.hpp"
#include "engine/program_builder.hpp"
#include "topology/machine.hpp"

namespace caliper {

/// Adds the links and routes it is asked for to a program, each once, under these rules:
///   nvlink   capacity nominal * nvlink.efficiency
///   nic      capacity nominal * net.efficiency, and one joint limit 2 * nominal * net.duplex over both
///            directions, listed in a route behind the direction that the route takes
///   others   nominal
///   latency  of a network route: hops * net.hop_latency. Hops are its links outside the nodes: 2 over one
///            leaf, 4 within a group, 5 between groups.
///            Of an NVLink route: 0. The visibility of a remote write (nvlink.latency) belongs to the edge.
/// Parallel links are one bundle of multiplicity * rate.
class Fabric {
 public:
  /// All three outlive the fabric. The table holds the rows of topology_parameters().
  Fabric(const Machine& machine, const ParameterTable& table, ProgramBuilder& builder);

  /// Between two different GPUs of one node, directly.
  RouteId nvlink(GpuAddress from, GpuAddress to);
  /// GPU to its local NIC over PCIe, through the fabric by the minimal path, NIC to its local GPU. The NICs
  /// are in different nodes. A NIC that is not the local one of its GPU is the caller's bug: with PXN the
  /// proxy's GPU is local by definition.
  RouteId network(GpuAddress from, NicAddress out, NicAddress in, GpuAddress to);

 private:
  /// Appends the link to path_, and its joint limit where it has one.
  void append_link(DeviceId from, DeviceId to);
  LinkId add_link(DeviceId from, DeviceId to, const MachineLink& link);
  LinkId joint_limit(NicAddress nic, const MachineLink& link);
  ExpressionId capacity(const MachineLink& link);

  const Machine& machine_;
  ProgramBuilder& builder_;
  const Expression nvlink_efficiency_, net_efficiency_, net_duplex_, hop_latency_;
  std::map<std::pair<LinkClass, double>, ExpressionId> capacities_;  // by nominal rate
  std::vector<LinkId> links_;                                        // [link rows of the machine]
  std::vector<LinkId> joint_limits_;                                 // [nodes * NICs]
  std::vector<RouteId> nvlink_routes_;                               // [link rows of the machine]
  std::unordered_map<std::uint64_t, RouteId> network_routes_;        // by GPUs: their NICs follow from them
  std::vector<LinkId> path_;                                         // of the route at hand
};

}  // namespace caliper
