#include "engine/program.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace caliper {
namespace {

template <class Tag>
Id<Tag> id_of(std::size_t index) {
  CALIPER_CHECK(index < std::numeric_limits<std::uint32_t>::max());
  return {static_cast<std::uint32_t>(index)};
}

template <class Tag>
void add_ids(Hasher& hasher, const std::vector<Id<Tag>>& ids) {
  std::vector<std::uint32_t> raw(ids.size());
  std::ranges::transform(ids, raw.begin(), &Id<Tag>::v);
  hasher.add(std::span<const std::uint32_t>(raw));
}

}  // namespace

std::vector<double> Program::numbers(ParameterView parameters) const {
  std::vector<double> values(expressions.size());
  std::ranges::transform(expressions, values.begin(),
                         [&](const Expression& e) { return e.evaluate(parameters); });
  return values;
}

std::string Program::hash() const {
  Hasher hasher;
  hasher.add("calipersim program 1");
  for (const Expression& expression : expressions) expression.hash(hasher);
  for (const ProgramLink& link : links)
    hasher.add(link.name)
        .add(link.link_class)
        .add(std::uint64_t{link.capacity.v})
        .add(std::uint64_t{link.joint});
  hasher.add(std::span<const std::uint32_t>(route_first));
  add_ids(hasher, route_links);
  add_ids(hasher, route_latency);
  for (const CostKind& kind : kinds)
    hasher.add(kind.name)
        .add(std::uint64_t{kind.overhead.v})
        .add(std::uint64_t{kind.seconds_per_byte.v})
        .add(std::uint64_t{kind.rate_cap.v});
  for (const ProgramWorker& worker : workers)
    hasher.add(std::uint64_t{worker.rank}).add(std::uint64_t{worker.channel}).add(roles[worker.role]);
  for (const ProgramEdge& edge : edges)
    hasher.add(std::uint64_t{edge.from.v})
        .add(std::uint64_t{edge.to.v})
        .add(std::uint64_t{edge.window})
        .add(std::uint64_t{edge.route.v})
        .add(static_cast<std::uint64_t>(edge.mode))
        .add(std::uint64_t{edge.latency.v});
  hasher.add(std::span<const std::uint32_t>(worker_first));
  add_ids(hasher, op_kind);
  add_ids(hasher, op_receive);
  add_ids(hasher, op_send);
  hasher.add(std::span<const std::uint64_t>(op_bytes));
  return hasher.hex();
}

std::string Program::describe(WorkerId worker) const {
  const ProgramWorker& w = workers[worker.v];
  return fmt::format("rank {} channel {} {}", w.rank, w.channel, roles[w.role]);
}

ExpressionId ProgramBuilder::expression(const Expression& expression) {
  auto& all = program_.expressions;
  const auto same = std::ranges::find(all, expression);
  if (same != all.end()) return id_of<ExpressionTag>(static_cast<std::size_t>(same - all.begin()));
  all.push_back(expression);
  return id_of<ExpressionTag>(all.size() - 1);
}

LinkId ProgramBuilder::link(std::string name, std::string link_class, const Expression& capacity,
                            bool joint) {
  program_.links.push_back({std::move(name), std::move(link_class), expression(capacity), joint});
  return id_of<LinkTag>(program_.links.size() - 1);
}

RouteId ProgramBuilder::route(std::vector<LinkId> links, const Expression& latency) {
  if (program_.route_first.empty()) program_.route_first.push_back(0);
  for (const LinkId link : links) CALIPER_CHECK(link.v < program_.links.size());
  program_.route_links.insert(program_.route_links.end(), links.begin(), links.end());
  program_.route_first.push_back(static_cast<std::uint32_t>(program_.route_links.size()));
  program_.route_latency.push_back(expression(latency));
  return id_of<RouteTag>(program_.route_latency.size() - 1);
}

KindId ProgramBuilder::kind(const std::string& name, const Expression& overhead,
                            const Expression& seconds_per_byte, const Expression& rate_cap) {
  const CostKind made{name, expression(overhead), expression(seconds_per_byte), expression(rate_cap)};
  auto& all = program_.kinds;
  const auto same = std::ranges::find(all, name, &CostKind::name);
  if (same == all.end()) {
    all.push_back(made);
    return id_of<KindTag>(all.size() - 1);
  }
  CALIPER_CHECK(same->overhead == made.overhead && same->seconds_per_byte == made.seconds_per_byte &&
                same->rate_cap == made.rate_cap);
  return id_of<KindTag>(static_cast<std::size_t>(same - all.begin()));
}

WorkerId ProgramBuilder::worker(std::uint32_t rank, std::uint32_t channel, std::string_view role) {
  auto at = std::ranges::find(program_.roles, role);
  if (at == program_.roles.end()) at = program_.roles.insert(at, std::string(role));
  program_.workers.push_back({rank, channel, static_cast<std::uint32_t>(at - program_.roles.begin())});
  operations_.emplace_back();
  return id_of<WorkerTag>(program_.workers.size() - 1);
}

EdgeId ProgramBuilder::edge(WorkerId from, WorkerId to, std::uint32_t window, const Expression& latency) {
  return edge(from, to, window, latency, RouteId{}, TransferMode::attached);
}

EdgeId ProgramBuilder::edge(WorkerId from, WorkerId to, std::uint32_t window, const Expression& latency,
                            RouteId route, TransferMode mode) {
  CALIPER_CHECK(window >= 1 && from.v < program_.workers.size() && to.v < program_.workers.size());
  CALIPER_CHECK(!route.valid() || route.v < program_.route_latency.size());
  program_.edges.push_back({from, to, window, route, mode, expression(latency)});
  return id_of<EdgeTag>(program_.edges.size() - 1);
}

void ProgramBuilder::operation(WorkerId worker, KindId kind, EdgeId receive, EdgeId send,
                               std::uint64_t bytes) {
  CALIPER_CHECK(kind.v < program_.kinds.size());
  CALIPER_CHECK(!receive.valid() || program_.edges[receive.v].to == worker);
  CALIPER_CHECK(!send.valid() || program_.edges[send.v].from == worker);
  operations_[worker.v].push_back({kind, receive, send, bytes});
}

/// The n-th slice sent on an edge is the n-th received from it, of the same size.
void ProgramBuilder::check_edges() const {
  std::vector<std::vector<std::uint64_t>> sent(program_.edges.size());
  for (const auto& list : operations_)
    for (const Operation& op : list)
      if (op.send.valid()) sent[op.send.v].push_back(op.bytes);
  std::vector<std::size_t> received(program_.edges.size(), 0);
  for (const auto& list : operations_)
    for (const Operation& op : list) {
      if (!op.receive.valid()) continue;
      const auto& slices = sent[op.receive.v];
      std::size_t& next = received[op.receive.v];
      CALIPER_CHECK(next < slices.size() && slices[next] == op.bytes);
      ++next;
    }
  for (std::size_t e = 0; e < sent.size(); ++e) CALIPER_CHECK(received[e] == sent[e].size());
}

Program ProgramBuilder::build() {
  check_edges();
  std::size_t total = 0;
  for (const auto& list : operations_) total += list.size();
  program_.op_kind.reserve(total);
  program_.op_receive.reserve(total);
  program_.op_send.reserve(total);
  program_.op_bytes.reserve(total);
  program_.worker_first.push_back(0);
  for (const auto& list : operations_) {
    for (const Operation& op : list) {
      program_.op_kind.push_back(op.kind);
      program_.op_receive.push_back(op.receive);
      program_.op_send.push_back(op.send);
      program_.op_bytes.push_back(op.bytes);
    }
    program_.worker_first.push_back(static_cast<std::uint32_t>(program_.operations()));
  }
  if (program_.route_first.empty()) program_.route_first.push_back(0);
  CALIPER_CHECK(total < std::numeric_limits<std::uint32_t>::max());
  operations_.clear();
  return std::exchange(program_, {});
}

}  // namespace caliper
