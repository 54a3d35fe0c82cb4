#include "topology/fabric.hpp"

#include <fmt/format.h>

#include "topology/router.hpp"

namespace caliper {
namespace {

Expression parameter(const ParameterTable& table, std::string_view id) {
  return Expression::parameter(table.index_of(id));
}

/// "jpbo-001-01 gpu 0 to gpu 1", "jpbo-001-01 nic 2 up", "group 3 leaf 2 to spine 7", "group 3 spine 7 to
/// group 4 spine 7".
std::string link_name(const Machine& machine, DeviceId from, DeviceId to) {
  const Device &a = machine[from], &b = machine[to];
  if (a.kind == DeviceKind::nic && b.kind == DeviceKind::leaf) return machine.describe(from) + " up";
  if (a.kind == DeviceKind::leaf && b.kind == DeviceKind::nic) return machine.describe(to) + " down";
  const std::string target = machine.describe(to);
  if (a.kind == DeviceKind::spine && b.kind == DeviceKind::spine)
    return fmt::format("{} to {}", machine.describe(from), target);
  // Every other link stays within one node or group, whose name need not be said twice: keep the last two
  // words.
  const auto local = target.rfind(' ', target.rfind(' ') - 1) + 1;
  return fmt::format("{} to {}", machine.describe(from), target.substr(local));
}

}  // namespace

Fabric::Fabric(const Machine& machine, const ParameterTable& table, ProgramBuilder& builder)
    : machine_(machine),
      builder_(builder),
      nvlink_efficiency_(parameter(table, "nvlink.efficiency")),
      net_efficiency_(parameter(table, "net.efficiency")),
      net_duplex_(parameter(table, "net.duplex")),
      hop_latency_(parameter(table, "net.hop_latency")),
      links_(machine.link_rows()),
      joint_limits_(std::size_t{machine.nodes()} * machine.spec().node.nics),
      nvlink_routes_(machine.link_rows()) {}

RouteId Fabric::nvlink(GpuAddress from, GpuAddress to) {
  CALIPER_CHECK(from.node == to.node && from.gpu != to.gpu);
  const DeviceId begin = machine_.device(from), end = machine_.device(to);
  RouteId& route = nvlink_routes_[machine_.link_row(begin, end)];
  if (!route.valid()) {
    path_.clear();
    append_link(begin, end);
    route = builder_.route(path_, Expression(0.0));
  }
  return route;
}

RouteId Fabric::network(GpuAddress from, NicAddress out, NicAddress in, GpuAddress to) {
  CALIPER_CHECK(machine_.local_nic(from) == out && machine_.local_nic(to) == in && out.node != in.node);
  const DeviceId begin = machine_.device(from), end = machine_.device(to);
  RouteId& route = network_routes_[std::uint64_t{begin} << 32 | end];
  if (route.valid()) return route;

  path_.clear();
  append_link(begin, machine_.device(out));
  const NetworkPath path = minimal_path(machine_, out, in);
  for (std::size_t i = 1; i < path.size(); ++i) append_link(path[i - 1], path[i]);
  append_link(machine_.device(in), end);
  const auto hops = static_cast<double>(path.size() - 1);  // all of them outside the nodes
  return route = builder_.route(path_, hops * hop_latency_);
}

void Fabric::append_link(DeviceId from, DeviceId to) {
  const std::size_t row = machine_.link_row(from, to);
  const MachineLink& link = machine_.link_at(row);
  if (!links_[row].valid()) links_[row] = add_link(from, to, link);
  path_.push_back(links_[row]);
  if (link.link_class != LinkClass::nic) return;
  const Device& nic = machine_[machine_[from].kind == DeviceKind::nic ? from : to];
  path_.push_back(joint_limit({nic.owner, nic.local}, link));
}

LinkId Fabric::add_link(DeviceId from, DeviceId to, const MachineLink& link) {
  return builder_.link(link_name(machine_, from, to), name_of(link.link_class), capacity(link));
}

LinkId Fabric::joint_limit(NicAddress nic, const MachineLink& link) {
  LinkId& limit = joint_limits_[std::size_t{nic.node} * machine_.spec().node.nics + nic.nic];
  if (!limit.valid())
    limit = builder_.link(machine_.describe(machine_.device(nic)) + " both directions",
                          name_of(link.link_class), 2 * link.total_rate() * net_duplex_, true);
  return limit;
}

ExpressionId Fabric::capacity(const MachineLink& link) {
  const auto [known, is_new] = capacities_.try_emplace({link.link_class, link.total_rate()});
  if (!is_new) return known->second;
  Expression rate = link.total_rate();
  if (link.link_class == LinkClass::nvlink) rate = rate * nvlink_efficiency_;
  if (link.link_class == LinkClass::nic) rate = rate * net_efficiency_;
  return known->second = builder_.expression(rate);
}

}  // namespace caliper
