#include "engine/program_builder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace caliper {
namespace {

template <class Tag>
Id<Tag> id_of(std::size_t index) {
  CALIPER_CHECK(index < std::numeric_limits<std::uint32_t>::max());
  return {static_cast<std::uint32_t>(index)};
}

/// Of a few names; added where it is not there.
std::uint32_t row_of(std::vector<std::string>& names, std::string_view name) {
  auto at = std::ranges::find(names, name);
  if (at == names.end()) at = names.insert(at, std::string(name));
  return static_cast<std::uint32_t>(at - names.begin());
}

/// Slices that one worker sends and receives through one port; the same for all workers of a list.
struct PortTraffic {
  std::uint64_t sent = 0, received = 0;
};

std::vector<PortTraffic> traffic_of(const Program& program, const ProgramWorker& worker) {
  std::vector<PortTraffic> traffic(worker.port_count);
  for (const Repeat& repeat : program.repeats_of(worker))
    for (std::uint32_t i = repeat.first; i < repeat.first + repeat.count; ++i) {
      const Operation& op = program.operations[i];
      CALIPER_CHECK(op.send == kNoPort || op.send < worker.port_count);
      CALIPER_CHECK(op.receive == kNoPort || op.receive < worker.port_count);
      if (op.size == kOnlyWaits) {
        const CostKind& kind = program.kinds[op.kind];
        CALIPER_CHECK(kind.overhead == kind.seconds_per_byte && program.expressions[kind.overhead.v] == 0.0);
        continue;
      }
      if (op.send != kNoPort) traffic[op.send].sent += repeat.times;
      if (op.receive != kNoPort) traffic[op.receive].received += repeat.times;
    }
  return traffic;
}

}  // namespace

void ProgramBuilder::reserve(std::size_t workers, std::size_t edges) {
  program_.workers.reserve(workers);
  program_.edges.reserve(edges);
  program_.ports.reserve(2 * edges);
  program_.links.reserve(edges);
  program_.route_first.reserve(edges);
  program_.route_latency.reserve(edges);
  program_.route_links.reserve(4 * edges);
}

ExpressionId ProgramBuilder::expression(const Expression& expression) {
  auto& all = program_.expressions;
  const auto same = std::ranges::find(all, expression);
  if (same != all.end()) return id_of<ExpressionTag>(static_cast<std::size_t>(same - all.begin()));
  all.push_back(expression);
  return id_of<ExpressionTag>(all.size() - 1);
}

LinkId ProgramBuilder::link(std::string name, std::string_view link_class, ExpressionId capacity,
                            bool joint) {
  program_.links.push_back({std::move(name), row_of(program_.link_classes, link_class), capacity, joint});
  return id_of<LinkTag>(program_.links.size() - 1);
}

RouteId ProgramBuilder::route(const std::vector<LinkId>& links, ExpressionId latency) {
  if (program_.route_first.empty()) program_.route_first.push_back(0);
  for (const LinkId link : links) CALIPER_CHECK(link.v < program_.links.size());
  program_.route_links.insert(program_.route_links.end(), links.begin(), links.end());
  program_.route_first.push_back(static_cast<std::uint32_t>(program_.route_links.size()));
  program_.route_latency.push_back(latency);
  return id_of<RouteTag>(program_.route_latency.size() - 1);
}

KindId ProgramBuilder::kind(const std::string& name, const Expression& overhead,
                            const Expression& seconds_per_byte, const Expression& rate_cap) {
  const CostKind made{name, expression(overhead), expression(seconds_per_byte), expression(rate_cap)};
  auto& all = program_.kinds;
  const auto same = std::ranges::find(all, name, &CostKind::name);
  if (same == all.end()) {
    CALIPER_CHECK(all.size() < std::numeric_limits<std::uint16_t>::max());
    all.push_back(made);
    return id_of<KindTag>(all.size() - 1);
  }
  CALIPER_CHECK(same->overhead == made.overhead && same->seconds_per_byte == made.seconds_per_byte &&
                same->rate_cap == made.rate_cap);
  return id_of<KindTag>(static_cast<std::size_t>(same - all.begin()));
}

std::uint32_t ProgramBuilder::sizes(const std::vector<std::uint64_t>& bytes) {
  const auto [known, is_new] = size_tables_.try_emplace(bytes, 0u);
  if (is_new) {
    CALIPER_CHECK(program_.sizes.size() + bytes.size() < kOnlyWaits);
    known->second = static_cast<std::uint32_t>(program_.sizes.size());
    program_.sizes.insert(program_.sizes.end(), bytes.begin(), bytes.end());
  }
  return known->second;
}

ListId ProgramBuilder::list(const OperationList& list) {
  const auto [known, is_new] = lists_.try_emplace(list);
  if (!is_new) return known->second;
  if (program_.list_first.empty()) program_.list_first.push_back(0);
  for (const ListRepeat& repeat : list) {
    if (repeat.body.empty() || repeat.times == 0) continue;
    const auto& operations = program_.operations;
    CALIPER_CHECK(operations.size() + repeat.body.size() < std::numeric_limits<std::uint32_t>::max());
    program_.repeats.push_back({static_cast<std::uint32_t>(operations.size()),
                                static_cast<std::uint32_t>(repeat.body.size()), repeat.times});
    program_.operations.insert(operations.end(), repeat.body.begin(), repeat.body.end());
  }
  program_.list_first.push_back(static_cast<std::uint32_t>(program_.repeats.size()));
  return known->second = id_of<ListTag>(program_.list_first.size() - 2);
}

WorkerId ProgramBuilder::worker(std::uint32_t rank, std::uint32_t channel, std::string_view role, ListId list,
                                std::uint32_t first_size) {
  program_.workers.push_back({rank, channel, row_of(program_.roles, role), list, first_size, 0, 0, 1});
  return id_of<WorkerTag>(program_.workers.size() - 1);
}

WorkerId ProgramBuilder::worker(std::uint32_t rank, std::uint32_t channel, std::string_view role) {
  const WorkerId id = worker(rank, channel, role, ListId{}, 0);
  own_.try_emplace(id.v);
  return id;
}

EdgeId ProgramBuilder::edge(WorkerId from, WorkerId to, std::uint32_t window, ExpressionId latency,
                            RouteId route, TransferMode mode) {
  CALIPER_CHECK(window >= 1 && from.v < program_.workers.size() && to.v < program_.workers.size());
  CALIPER_CHECK(!route.valid() || route.v < program_.route_latency.size());
  program_.edges.push_back({from, to, window, route, mode, latency});
  return id_of<EdgeTag>(program_.edges.size() - 1);
}

void ProgramBuilder::connect(WorkerId id, Port port, EdgeId edge) {
  const ProgramEdge& ends = program_.edges[edge.v];
  CALIPER_CHECK(ends.from == id || ends.to == id);
  ProgramWorker& worker = program_.workers[id.v];
  if (port == 0) worker.first_port = static_cast<std::uint32_t>(program_.ports.size());
  CALIPER_CHECK(worker.list.valid() && port == worker.port_count++ &&
                worker.first_port + port == program_.ports.size());
  program_.ports.push_back(edge);
}

Port ProgramBuilder::port_of(Own& own, EdgeId edge) {
  if (!edge.valid()) return kNoPort;
  const auto known = std::ranges::find(own.ports, edge);
  const auto port = static_cast<std::size_t>(known - own.ports.begin());
  CALIPER_CHECK(port < kNoPort);
  if (known == own.ports.end()) own.ports.push_back(edge);
  return static_cast<Port>(port);
}

void ProgramBuilder::operation(WorkerId worker, KindId kind, EdgeId receive, EdgeId send,
                               std::uint64_t bytes) {
  CALIPER_CHECK(kind.v < program_.kinds.size());
  CALIPER_CHECK(!receive.valid() || program_.edges[receive.v].to == worker);
  CALIPER_CHECK(!send.valid() || program_.edges[send.v].from == worker);
  Own& own = own_.at(worker.v);
  own.operations.push_back({static_cast<std::uint16_t>(kind.v), port_of(own, receive), port_of(own, send),
                            static_cast<std::uint32_t>(own.sizes.size())});
  own.sizes.push_back(bytes);
}

void ProgramBuilder::wait(WorkerId worker, EdgeId edge) {
  const bool receives = program_.edges[edge.v].to == worker;
  CALIPER_CHECK(receives || program_.edges[edge.v].from == worker);
  Own& own = own_.at(worker.v);
  const Port port = port_of(own, edge);
  own.operations.push_back({static_cast<std::uint16_t>(waiting().v), receives ? port : kNoPort,
                            receives ? kNoPort : port, kOnlyWaits});
}

void ProgramBuilder::close_unlisted_workers() {
  for (auto& [w, own] : own_) {
    if (own.operations.empty()) continue;
    const bool alike = std::ranges::adjacent_find(own.sizes, std::ranges::not_equal_to{}) == own.sizes.end();
    if (alike) {
      own.sizes.resize(1);
      for (Operation& op : own.operations)
        if (op.size != kOnlyWaits) op.size = 0;
    }
    program_.workers[w].first_size = sizes(own.sizes);
    program_.workers[w].list = list({{std::move(own.operations), 1}});
    program_.workers[w].first_port = static_cast<std::uint32_t>(program_.ports.size());
    program_.workers[w].port_count = static_cast<std::uint32_t>(own.ports.size());
    program_.ports.insert(program_.ports.end(), own.ports.begin(), own.ports.end());
  }
}

void ProgramBuilder::check_edges() const {
  std::vector<PortTraffic> of_edge(program_.edges.size());
  std::map<ListId, std::vector<PortTraffic>> of_list;
  for (std::uint32_t w = 0; w < program_.workers.size(); ++w) {
    const ProgramWorker& worker = program_.workers[w];
    const auto [traffic, is_new] = of_list.try_emplace(worker.list);
    if (is_new) traffic->second = traffic_of(program_, worker);
    const auto ports = program_.ports_of(worker);
    CALIPER_CHECK(traffic->second.size() == ports.size());
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const PortTraffic& mine = traffic->second[port];
      const ProgramEdge& edge = program_.edges[ports[port].v];
      CALIPER_CHECK(mine.sent == 0 || edge.from.v == w);
      CALIPER_CHECK(mine.received == 0 || edge.to.v == w);
      of_edge[ports[port].v].sent += mine.sent;
      of_edge[ports[port].v].received += mine.received;
    }
  }
  for (const PortTraffic& edge : of_edge) CALIPER_CHECK(edge.sent == edge.received);
}

Program ProgramBuilder::build() {
  close_unlisted_workers();
  if (program_.list_first.empty()) program_.list_first.push_back(0);
  if (program_.route_first.empty()) program_.route_first.push_back(0);
  check_edges();
  Program program = std::move(program_);
  *this = ProgramBuilder();
  return program;
}

}  // namespace caliper
