#include "engine/independent_parts.hpp"

#include <algorithm>
#include <numeric>

namespace caliper {
namespace {

/// Union-find; the root of a set is its first member.
class Sets {
 public:
  explicit Sets(std::size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t first(std::uint32_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = first(a), b = first(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::vector<IndependentPart> independent_parts(std::size_t workers, std::span<const EdgeRun> edges,
                                               std::span<const SharedEdge> shared, const Sharing& sharing) {
  Sets sets(workers);
  for (const EdgeRun& edge : edges) sets.join(edge.from, edge.to);
  std::vector<std::uint32_t> worker_of_group;  // by the first slot of a group
  for (const SharedEdge& s : shared)
    for (std::uint32_t slot = s.first_slot; slot < s.first_slot + s.slots; ++slot) {
      const std::uint32_t group = sharing.first_of_group(slot);
      if (group >= worker_of_group.size()) worker_of_group.resize(group + std::size_t{1}, kNone);
      if (worker_of_group[group] == kNone) worker_of_group[group] = edges[s.edge].from;
      sets.join(worker_of_group[group], edges[s.edge].from);
    }
  std::vector<IndependentPart> parts;
  std::vector<std::uint32_t> part_of(workers);
  for (std::uint32_t w = 0; w < workers; ++w) {
    const std::uint32_t first = sets.first(w);
    if (first == w) parts.emplace_back();
    part_of[w] = first == w ? static_cast<std::uint32_t>(parts.size() - 1) : part_of[first];
    parts[part_of[w]].workers.push_back(w);
  }
  for (std::uint32_t e = 0; e < edges.size(); ++e) parts[part_of[edges[e].from]].edges.push_back(e);
  for (std::uint32_t s = 0; s < shared.size(); ++s)
    parts[part_of[edges[shared[s].edge].from]].shared.push_back(s);
  return parts;
}

}  // namespace caliper
