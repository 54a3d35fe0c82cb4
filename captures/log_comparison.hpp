// For tests: whether one record says a part of what another says, and nothing else.
#pragma once

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "captures/execution_record.hpp"

namespace caliper::test {

template <class T, class Key>
const T* same(const std::vector<T>& all, const T& one, Key key) {
  for (const T& other : all)
    if (key(other) == key(one)) return &other;
  return nullptr;
}

inline bool end_is_part(const std::optional<NetEnd>& part, const std::optional<NetEnd>& whole) {
  return !part || (whole && part->device == whole->device && part->gdrdma == whole->gdrdma &&
                   part->proxy_rank == whole->proxy_rank);
}

template <class T>
bool said_alike(const T& part, const T& whole) {
  return part == T{} || part == whole;
}

/// Whether a communicator says nothing that the whole one does not say.
inline bool is_part(const CapturedCommunicator& part, const CapturedCommunicator& whole) {
  bool good = said_alike(part.version, whole.version) && said_alike(part.ranks, whole.ranks);
  for (const CapturedRing& ring : part.rings)
    good = good && (ring.order.empty() ||
                    (ring.channel < whole.rings.size() && ring.order == whole.rings[ring.channel].order));
  for (const CapturedTree& tree : part.trees) {
    const auto* other =
        same(whole.trees, tree, [](const CapturedTree& t) { return std::pair(t.channel, t.rank); });
    good = good && other && other->up == tree.up && other->down == tree.down;
  }
  for (const CapturedConnection& one : part.connections) {
    const auto* other = same(whole.connections, one, [](const CapturedConnection& c) {
      return std::tuple(c.channel, c.index, c.from, c.to, c.kind, c.detail);
    });
    good = good && other && end_is_part(one.send, other->send) && end_is_part(one.receive, other->receive);
  }
  for (const CapturedRank& member : part.members) {
    const auto* other = same(whole.members, member, [](const CapturedRank& m) { return m.rank; });
    good = good && other && said_alike(member.host, other->host) &&
           said_alike(member.bus_id, other->bus_id) && said_alike(member.nvml_device, other->nvml_device);
  }
  for (const CapturedCall& call : part.calls) {
    const auto* other = same(whole.calls, call, [](const CapturedCall& c) {
      return std::tuple(c.collective, c.bytes, c.algorithm, c.protocol, c.first_channel, c.last_channel);
    });
    good = good && other && call.times <= other->times;
  }
  return good;
}

}  // namespace caliper::test
