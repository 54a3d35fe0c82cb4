#include "collectives/tree_derivation.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "collectives/channel_count.hpp"
#include "collectives/nic_layout.hpp"
#include "collectives/tree_order.hpp"

namespace caliper {
namespace {

ChannelTree empty_tree(std::uint32_t ranks) {
  return {std::vector<std::uint32_t>(ranks, kNoRank),
          std::vector<std::array<std::uint32_t, 3>>(ranks, {kNoRank, kNoRank, kNoRank}),
          {}};
}

void add_edge(ChannelTree& tree, std::uint32_t child, std::uint32_t parent) {
  tree.up[child] = parent;
  const std::uint32_t place = tree.children(parent);
  CALIPER_CHECK(place < tree.down[parent].size());
  tree.down[parent][place] = child;
}

/// The first rank is the head.
void add_chain(ChannelTree& tree, const std::vector<std::uint32_t>& ranks) {
  for (std::size_t i = 1; i < ranks.size(); ++i) add_edge(tree, ranks[i], ranks[i - 1]);
}

/// Both by their own GPUs and NICs.
NodeCrossing crossing_of(const Execution& execution, const NodeSpec& spec, std::uint32_t from,
                         std::uint32_t to) {
  const GpuAddress sender = execution.gpu_of_rank[from], receiver = execution.gpu_of_rank[to];
  return {from,
          to,
          sender,
          {sender.node, spec.nic_of_gpu[sender.gpu]},
          {receiver.node, spec.nic_of_gpu[receiver.gpu]}};
}

/// @param heads  of the nodes
void join_nodes(ChannelTree& tree, const Execution& execution, const NodeSpec& spec,
                const std::vector<std::uint32_t>& heads, std::uint32_t which) {
  const auto members = static_cast<std::uint32_t>(heads.size());
  for (std::uint32_t node = 0; node < members; ++node)
    for (const std::uint32_t child : double_tree(members, node, which).down)
      if (child != kNoRank) add_edge(tree, heads[child], heads[node]);
  std::vector<std::uint32_t> children(heads);
  std::ranges::sort(children);
  for (const std::uint32_t head : children)
    if (const std::uint32_t up = tree.up[head]; up != kNoRank)
      tree.crossings.push_back(
          {crossing_of(execution, spec, head, up), crossing_of(execution, spec, up, head)});
}

std::vector<ChannelTree> trees_between_nodes(const Execution& execution, const NodeSpec& spec,
                                             const std::vector<NodeRanks>& nodes, NicLayout layout,
                                             std::uint32_t doubled) {
  const auto gpus = static_cast<std::uint32_t>(nodes.front().gpu_and_rank.size());
  const auto passes = node_passes(layout, gpus);
  CALIPER_CHECK(passes);  // the rings were made of them
  std::vector<ChannelTree> trees;
  const std::uint32_t first_half = (doubled + 1) / 2;
  for (std::uint32_t channel = 0; channel < execution.rings.size(); ++channel) {
    if (channel >= doubled) {
      trees.push_back(trees[channel % doubled]);
      continue;
    }
    ChannelTree tree = empty_tree(execution.ranks());
    std::vector<std::uint32_t> heads;
    for (const NodeRanks& node : nodes) {
      std::vector<std::uint32_t> chain;
      for (const std::uint32_t gpu : (*passes)[channel % gpus].order)
        chain.push_back(node.gpu_and_rank[gpu].second);
      add_chain(tree, chain);
      heads.push_back(chain.front());
    }
    join_nodes(tree, execution, spec, heads, channel < first_half ? 0 : 1);
    trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace

void rings_to_trees(Execution& execution, const NodeSpec& spec, const std::vector<NodeRanks>& nodes,
                    NicLayout layout) {
  if (nodes.size() == 1) {
    for (const ChannelRing& ring : execution.rings) {
      execution.trees.push_back(empty_tree(execution.ranks()));
      add_chain(execution.trees.back(), ring.order);
    }
    execution.derivation.push_back("trees: in each channel a chain in the order of its ring");
  } else {
    const auto gpus = static_cast<std::uint32_t>(nodes.front().gpu_and_rank.size());
    // A number of channels from elsewhere may be no multiple of what the search finds.
    const auto known = channels_between_nodes(spec, gpus);
    const auto doubled = known ? known->doubled : static_cast<std::uint32_t>(execution.rings.size());
    execution.trees = trees_between_nodes(execution, spec, nodes, layout, doubled);
    execution.derivation.push_back(fmt::format(
        "trees: chains of {} in a node, all traffic between nodes by the first of them; binary trees "
        "over the nodes, channels 0 to {} the first, {} to {} the second{}",
        gpus, (doubled + 1) / 2 - 1, (doubled + 1) / 2, doubled - 1,
        execution.trees.size() > doubled ? ", repeated" : ""));
  }
  execution.rings.clear();
}

}  // namespace caliper
