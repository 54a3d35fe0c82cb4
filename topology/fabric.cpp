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
      hop_latency_(parameter(table, "net.hop_latency")) {}

RouteId Fabric::nvlink(GpuAddress from, GpuAddress to) {
  CALIPER_CHECK(from.node == to.node && from.gpu != to.gpu);
  const Ends ends{machine_.device(from), machine_.device(to)};
  const auto [route, is_new] = nvlink_routes_.try_emplace(ends);
  if (is_new) {
    std::vector<LinkId> links;
    append_link(ends.first, ends.second, links);
    route->second = builder_.route(links, Expression(0.0));
  }
  return route->second;
}

RouteId Fabric::network(GpuAddress from, NicAddress out, NicAddress in, GpuAddress to) {
  CALIPER_CHECK(machine_.local_nic(from) == out && machine_.local_nic(to) == in && out.node != in.node);
  const Ends gpus{machine_.device(from), machine_.device(to)},
      nics{machine_.device(out), machine_.device(in)};
  const auto [route, is_new] = network_routes_.try_emplace({gpus, nics});
  if (!is_new) return route->second;

  std::vector<LinkId> links;
  append_link(gpus.first, nics.first, links);
  const NetworkPath path = minimal_path(machine_, out, in);
  for (std::size_t i = 1; i < path.size(); ++i) append_link(path[i - 1], path[i], links);
  append_link(nics.second, gpus.second, links);
  const auto hops = static_cast<double>(path.size() - 1);  // all of them outside the nodes
  route->second = builder_.route(links, hops * hop_latency_);
  return route->second;
}

void Fabric::append_link(DeviceId from, DeviceId to, std::vector<LinkId>& links) {
  const MachineLink& link = machine_.link(from, to);
  const auto [known, is_new] = links_.try_emplace({from, to});
  if (is_new) known->second = add_link(from, to, link);
  links.push_back(known->second);
  if (link.link_class == LinkClass::nic)
    links.push_back(joint_limit(machine_[from].kind == DeviceKind::nic ? from : to, link));
}

LinkId Fabric::add_link(DeviceId from, DeviceId to, const MachineLink& link) {
  return builder_.link(link_name(machine_, from, to), std::string(name_of(link.link_class)), capacity(link));
}

LinkId Fabric::joint_limit(DeviceId nic, const MachineLink& link) {
  const auto [known, is_new] = joint_limits_.try_emplace(nic);
  if (is_new)
    known->second =
        builder_.link(machine_.describe(nic) + " both directions", std::string(name_of(link.link_class)),
                      2 * link.total_rate() * net_duplex_, true);
  return known->second;
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
