#include "engine/flow_setup.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace caliper {
namespace {

/// What the operations of a list do through one port. The same for all workers that run the list.
struct PortUse {
  std::uint64_t sends = 0;
  double largest_cap = 0;
  std::uint64_t sent_while_receiving = 0;  // bit p: an operation that receives here sends through port p
  bool in_place = false;                   // or sends nothing
};

constexpr Port kMostPorts = 64;

std::vector<PortUse> use_of(const Program& program, const ProgramWorker& worker,
                            std::span<const KindCost> kinds) {
  std::vector<PortUse> use;
  const auto at = [&](Port port) -> PortUse& {
    CALIPER_CHECK(port < kMostPorts);
    if (port >= use.size()) use.resize(port + std::size_t{1});
    return use[port];
  };
  for (const Repeat& repeat : program.repeats_of(worker))
    for (const Operation& op : std::span(program.operations).subspan(repeat.first, repeat.count)) {
      if (op.size == kOnlyWaits) continue;
      if (op.send != kNoPort) {
        PortUse& send = at(op.send);
        send.sends += repeat.times;
        send.largest_cap = std::max(send.largest_cap, kinds[op.kind].rate_cap);
      }
      if (op.receive == kNoPort) continue;
      if (op.send == kNoPort)
        at(op.receive).in_place = true;
      else
        at(op.receive).sent_while_receiving |= std::uint64_t{1} << op.send;
    }
  return use;
}

bool serial(const ProgramEdge& edge) {
  return edge.mode == TransferMode::detached_ordered || edge.window == 1;
}

/// Operations that hold slices end in order when each ends before the worker goes on, or when all hand them
/// to one edge that keeps the order.
bool ends_in_order(const Program& program, const ProgramWorker& worker, const PortUse& use) {
  std::uint32_t detached = 0, other = use.in_place;
  for (std::uint64_t left = use.sent_while_receiving; left != 0; left &= left - 1) {
    const auto port = static_cast<Port>(std::countr_zero(left));
    const ProgramEdge& edge = program.edges[program.edge_at(worker, port).v];
    if (!edge.route.valid() || edge.mode == TransferMode::attached)
      ++other;
    else
      detached += serial(edge) ? 1 : 2;
  }
  return detached == 0 || (detached == 1 && other == 0);
}

/// Slots in the order of the edges: one per edge with a route, `window` where its transfers run side by side.
std::uint32_t slots_of(const ProgramEdge& edge) {
  if (!edge.route.valid()) return 0;
  return edge.mode == TransferMode::detached ? edge.window : 1;
}

void add_slots(const Program& program, const ProgramEdge& edge, double largest_cap, SharingProblem& sharing) {
  for (std::uint32_t i = 0; i < slots_of(edge); ++i) {
    for (std::uint32_t h = program.route_first[edge.route.v]; h < program.route_first[edge.route.v + 1];
         ++h) {
      sharing.path_links.push_back(program.route_links[h].v);
      sharing.path_users.push_back(program.users(h));
    }
    sharing.path_first.push_back(static_cast<std::uint32_t>(sharing.path_links.size()));
    sharing.largest_cap.push_back(largest_cap);
  }
}

/// The costs of kinds, and the distinct caps among them.
std::vector<KindCost> costs_of(const Program& program, std::span<const double> numbers,
                               std::vector<double>& caps) {
  CALIPER_CHECK(numbers.size() == program.expressions.size());
  std::vector<KindCost> kinds;
  for (const CostKind& kind : program.kinds) {
    KindCost cost{numbers[kind.overhead.v], numbers[kind.seconds_per_byte.v], numbers[kind.rate_cap.v], 0};
    CALIPER_CHECK(cost.overhead >= 0 && cost.seconds_per_byte >= 0 && cost.rate_cap > 0);
    const auto known = std::ranges::find(caps, cost.rate_cap);
    cost.cap = static_cast<std::uint32_t>(known - caps.begin());
    if (known == caps.end()) caps.push_back(cost.rate_cap);
    kinds.push_back(cost);
  }
  return kinds;
}

/// fn(worker, port, use) for each port that operations name; use is found once a list.
template <class Fn>
void for_ports(const Program& program, std::span<const KindCost> kinds, Fn fn) {
  std::vector<std::vector<PortUse>> by_list(program.list_first.size() - 1);
  std::vector<char> known(by_list.size(), 0);
  for (const ProgramWorker& worker : program.workers) {
    if (!worker.list.valid()) continue;
    std::vector<PortUse>& use = by_list[worker.list.v];
    if (!known[worker.list.v]) use = use_of(program, worker, kinds);
    known[worker.list.v] = 1;
    for (std::size_t port = 0; port < use.size(); ++port) fn(worker, static_cast<Port>(port), use[port]);
  }
}

}  // namespace

FlowSetup::FlowSetup(const Program& program, std::span<const double> numbers) {
  const auto number = [&](ExpressionId id) { return numbers[id.v]; };
  kinds = costs_of(program, numbers, caps);
  edges.assign(program.edges.size(), {0, 0, 0, 0, 0, true});
  std::vector<double> largest_cap(program.edges.size(), 0);
  for_ports(program, kinds, [&](const ProgramWorker& worker, Port port, const PortUse& use) {
    const EdgeId e = program.edge_at(worker, port);
    edges[e.v].sends += use.sends;
    largest_cap[e.v] = std::max(largest_cap[e.v], use.largest_cap);
    if (!ends_in_order(program, worker, use)) edges[e.v].releases_in_order = false;
  });
  std::size_t slots = 0, hops = 0;
  for (const ProgramEdge& edge : program.edges) {
    slots += slots_of(edge);
    if (edge.route.valid())
      hops += slots_of(edge) *
              std::size_t{program.route_first[edge.route.v + 1] - program.route_first[edge.route.v]};
  }
  sharing.capacity.reserve(program.links.size());
  sharing.path_first.reserve(slots + 1);
  sharing.path_links.reserve(hops);
  sharing.path_users.reserve(hops);
  sharing.largest_cap.reserve(slots);
  for (const ProgramLink& link : program.links) sharing.capacity.push_back(number(link.capacity));
  sharing.path_first.push_back(0);
  for (std::size_t e = 0; e < program.edges.size(); ++e) {
    const ProgramEdge& edge = program.edges[e];
    edges[e].latency = number(edge.latency);
    edges[e].route_latency = edge.route.valid() ? number(program.route_latency[edge.route.v]) : 0;
    CALIPER_CHECK(edges[e].latency >= 0 && edges[e].route_latency >= 0);
    edges[e].first_slot = sharing.slots();
    edges[e].slots = slots_of(edge);
    add_slots(program, edge, largest_cap[e], sharing);
  }
}

std::vector<char> links_that_can_fill(const Program& program, std::span<const double> numbers) {
  CALIPER_CHECK(program.route_users.empty());
  std::vector<double> caps, capacity;
  capacity.reserve(program.links.size());
  for (const ProgramLink& link : program.links) capacity.push_back(numbers[link.capacity.v]);
  std::vector<PathLoad> loads;
  loads.reserve(program.edges.size());
  for_ports(program, costs_of(program, numbers, caps),
            [&](const ProgramWorker& worker, Port port, const PortUse& use) {
              const ProgramEdge& edge = program.edges[program.edge_at(worker, port).v];
              if (use.sends > 0 && edge.route.valid())
                loads.push_back({edge.route.v, slots_of(edge), use.largest_cap});
            });
  std::vector<std::uint32_t> path_links(program.route_links.size());
  std::ranges::transform(program.route_links, path_links.begin(), &LinkId::v);
  return links_that_can_fill(capacity, program.route_first, path_links, loads);
}

}  // namespace caliper
