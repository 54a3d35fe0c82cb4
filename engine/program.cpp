#include "engine/program.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace caliper {
namespace {

template <class Tag>
void add_ids(Hasher& hasher, const std::vector<Id<Tag>>& ids) {
  std::vector<std::uint32_t> raw(ids.size());
  std::ranges::transform(ids, raw.begin(), &Id<Tag>::v);
  hasher.add(std::span<const std::uint32_t>(raw));
}

void add_lists(Hasher& hasher, const Program& program) {
  hasher.add(std::span<const std::uint32_t>(program.list_first));
  for (const Repeat& repeat : program.repeats)
    hasher.add(std::uint64_t{repeat.first}).add(std::uint64_t{repeat.count}).add(std::uint64_t{repeat.times});
  std::vector<std::uint64_t> packed;
  packed.reserve(program.operations.size());
  for (const Operation& op : program.operations)
    packed.push_back(std::uint64_t{op.kind} << 48 | std::uint64_t{op.receive} << 40 |
                     std::uint64_t{op.send} << 32 | op.size);
  hasher.add(std::span<const std::uint64_t>(packed));
  hasher.add(std::span<const std::uint64_t>(program.sizes));
}

}  // namespace

std::span<const Repeat> Program::repeats_of(const ProgramWorker& worker) const {
  if (!worker.list.valid()) return {};
  const std::uint32_t first = list_first[worker.list.v];
  return std::span(repeats).subspan(first, list_first[worker.list.v + 1] - first);
}

std::uint64_t Program::operations_of(const ProgramWorker& worker) const {
  std::uint64_t count = 0;
  for (const Repeat& repeat : repeats_of(worker)) count += std::uint64_t{repeat.count} * repeat.times;
  return count;
}

std::uint64_t Program::operation_count() const {
  std::uint64_t count = 0;
  for (const ProgramWorker& worker : workers) count += operations_of(worker);
  return count;
}

std::vector<UnrolledOperation> Program::unroll(WorkerId id) const {
  const ProgramWorker& worker = workers[id.v];
  std::vector<UnrolledOperation> all;
  all.reserve(operations_of(worker));
  for (const Repeat& repeat : repeats_of(worker))
    for (std::uint32_t i = 0; i < repeat.times; ++i)
      for (const Operation& op : std::span(operations).subspan(repeat.first, repeat.count))
        all.push_back({KindId{op.kind}, edge_at(worker, op.receive), edge_at(worker, op.send),
                       bytes_of(worker, op), op.size == kOnlyWaits});
  return all;
}

std::vector<std::uint64_t> Program::sends() const {
  std::vector<std::uint64_t> counts(edges.size(), 0);
  for (const ProgramWorker& worker : workers)
    for (const Repeat& repeat : repeats_of(worker))
      for (const Operation& op : std::span(operations).subspan(repeat.first, repeat.count))
        if (op.send != kNoPort && op.size != kOnlyWaits) counts[edge_at(worker, op.send).v] += repeat.times;
  return counts;
}

std::vector<double> Program::numbers(ParameterView parameters) const {
  std::vector<double> values(expressions.size());
  std::ranges::transform(expressions, values.begin(),
                         [&](const Expression& e) { return e.evaluate(parameters); });
  return values;
}

std::string Program::hash() const {
  Hasher hasher;
  hasher.add("calipersim program 2").add(frame_hash());
  for (const ProgramWorker& worker : workers)
    hasher.add(std::uint64_t{worker.list.v}).add(std::uint64_t{worker.first_size});
  add_lists(hasher, *this);
  return hasher.hex();
}

std::string Program::frame_hash() const {
  Hasher hasher;
  hasher.add("calipersim program frame 1");
  for (const Expression& expression : expressions) expression.hash(hasher);
  for (const ProgramLink& link : links)
    hasher.add(link.name)
        .add(link_classes[link.link_class])
        .add(std::uint64_t{link.capacity.v})
        .add(std::uint64_t{link.joint});
  hasher.add(std::span<const std::uint32_t>(route_first));
  add_ids(hasher, route_links);
  hasher.add(std::span<const std::uint32_t>(route_users));
  add_ids(hasher, route_latency);
  for (const CostKind& kind : kinds)
    hasher.add(kind.name)
        .add(std::uint64_t{kind.overhead.v})
        .add(std::uint64_t{kind.seconds_per_byte.v})
        .add(std::uint64_t{kind.rate_cap.v});
  for (const ProgramWorker& worker : workers)
    hasher.add(std::uint64_t{worker.rank})
        .add(std::uint64_t{worker.channel})
        .add(roles[worker.role])
        .add(std::uint64_t{worker.first_port})
        .add(std::uint64_t{worker.port_count})
        .add(std::uint64_t{worker.stands_for});
  for (const ProgramEdge& edge : edges)
    hasher.add(std::uint64_t{edge.from.v})
        .add(std::uint64_t{edge.to.v})
        .add(std::uint64_t{edge.window})
        .add(std::uint64_t{edge.route.v})
        .add(static_cast<std::uint64_t>(edge.mode))
        .add(std::uint64_t{edge.latency.v});
  add_ids(hasher, ports);
  return hasher.hex();
}

std::string Program::describe(WorkerId worker) const {
  const ProgramWorker& w = workers[worker.v];
  return fmt::format("rank {} channel {} {}", w.rank, w.channel, roles[w.role]);
}

}  // namespace caliper
