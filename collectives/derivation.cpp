#include "collectives/derivation.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "collectives/channel_count.hpp"
#include "collectives/execution_check.hpp"
#include "collectives/nic_layout.hpp"
#include "collectives/node_rings.hpp"
#include "collectives/partition.hpp"
#include "collectives/ring_order.hpp"
#include "collectives/tree_derivation.hpp"

namespace caliper {
namespace {

std::vector<NodeRanks> by_node(const std::vector<GpuAddress>& gpu_of_rank) {
  std::vector<NodeRanks> nodes;
  std::map<std::uint32_t, std::size_t> index;
  for (std::uint32_t rank = 0; rank < gpu_of_rank.size(); ++rank) {
    const auto [at, fresh] = index.try_emplace(gpu_of_rank[rank].node, nodes.size());
    if (fresh) nodes.push_back({gpu_of_rank[rank].node, {}});
    nodes[at->second].gpu_and_rank.emplace_back(gpu_of_rank[rank].gpu, rank);
  }
  for (NodeRanks& node : nodes) std::ranges::sort(node.gpu_and_rank);
  return nodes;
}

Problems check_request(const Machine& machine, const std::vector<GpuAddress>& gpu_of_rank,
                       Collective collective, Variant variant, std::uint32_t element_bytes,
                       std::optional<std::uint32_t> channels) {
  Problems problems;
  if (variant.algorithm == Algorithm::tree && collective != Collective::all_reduce)
    problems.push_back({"algorithm", fmt::format("{} by trees", name_of(collective)),
                        "NCCL has trees for all_reduce only; write algorithm = \"ring\""});
  const std::uint32_t gpus = machine.spec().node.gpus;
  if (gpu_of_rank.empty()) problems.push_back({"ranks", "a communicator without ranks", "at least one"});
  if (gpu_of_rank.size() > kMaxRanks)
    problems.push_back(
        {"ranks", fmt::format("{} ranks", gpu_of_rank.size()), fmt::format("at most {}", kMaxRanks)});
  std::set<GpuAddress> taken;
  for (std::size_t rank = 0; rank < gpu_of_rank.size(); ++rank) {
    const GpuAddress gpu = gpu_of_rank[rank];
    const std::string where = fmt::format("rank {}", rank);
    if (gpu.node >= machine.nodes() || gpu.gpu >= gpus)
      problems.push_back({where, fmt::format("node {} gpu {} is not in the machine", gpu.node, gpu.gpu),
                          fmt::format("{} nodes of {} GPUs", machine.nodes(), gpus)});
    else if (!taken.insert(gpu).second)
      problems.push_back(
          {where, fmt::format("node {} gpu {} has a rank already", gpu.node, gpu.gpu), "one rank a GPU"});
  }
  if (const std::uint32_t e = element_bytes; e != 1 && e != 2 && e != 4 && e != 8)
    problems.push_back({"element_bytes", fmt::format("elements of {} bytes", e), "1, 2, 4 or 8"});
  if (channels && (*channels < 1 || *channels > kMaxChannels))
    problems.push_back(
        {"channels", fmt::format("{} channels", *channels), fmt::format("1 to {}", kMaxChannels)});
  return problems;
}

/// The rules between nodes are for as many NICs as GPUs, each GPU with its own.
Problems check_nodes(const NodeSpec& spec, const std::vector<NodeRanks>& nodes) {
  for (const NodeRanks& node : nodes) {
    if (node.gpu_and_rank.size() != nodes.front().gpu_and_rank.size())
      return {{"ranks",
               fmt::format("node {} has {} ranks and node {} has {}", nodes.front().node,
                           nodes.front().gpu_and_rank.size(), node.node, node.gpu_and_rank.size()),
               "rings over unequal nodes have to be captured"}};
    std::set<std::uint32_t> nics;
    for (const auto& [gpu, rank] : node.gpu_and_rank)
      if (spec.nic_of_gpu.size() <= gpu || !nics.insert(spec.nic_of_gpu[gpu]).second)
        return {{"node.nic_of_gpu", fmt::format("gpu {} has no NIC of its own", gpu),
                 "rings over nodes with fewer NICs than GPUs have to be captured"}};
  }
  return {};
}

/// The number of channels, derived or given.
std::uint32_t take_channels(Execution& execution, std::optional<std::uint32_t> given,
                            const ChannelCount& derived) {
  execution.channels_origin = given ? Origin::assumed : Origin::derived;
  execution.derivation.push_back("channels: " +
                                 (given ? fmt::format("{}, given", *given) : derived.derivation));
  return given.value_or(derived.channels);
}

std::string how_found(const RingSet& set, std::size_t gpus) {
  if (set.rings_on_a_pair == 0) return "searched over its NVLinks in the order of NCCL's search";
  return fmt::format("{}; {} on each directed pair",
                     gpus == 4  ? "the six directed cycles, in the order of NCCL's search"
                     : gpus < 4 ? "all directed cycles"
                                : "rotated zigzags, both ways, not NCCL's own search",
                     set.rings_on_a_pair);
}

Problems add_rings_in_node(Execution& execution, const NodeSpec& spec, const NodeRanks& node,
                           std::optional<std::uint32_t> given) {
  std::vector<std::uint32_t> gpus;
  for (const auto& [gpu, rank] : node.gpu_and_rank) gpus.push_back(gpu);
  NodeChannels found;
  if (given) {
    auto rings = rings_in_node(spec, gpus);
    if (!rings) return rings.problems();
    found.rings = *std::move(rings);
  } else {
    auto derived = channels_in_node(spec, gpus);
    if (!derived) return derived.problems();
    found = *std::move(derived);
  }
  const RingSet& set = found.rings;
  const std::uint32_t channels = take_channels(execution, given, found.count);
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    ChannelRing ring;
    for (const std::uint32_t gpu : set.orders[channel % set.orders.size()])
      ring.order.push_back(node.gpu_and_rank[gpu].second);
    ring.order = starting_with_rank_zero(std::move(ring.order));
    execution.rings.push_back(std::move(ring));
  }
  execution.derivation.push_back(fmt::format("rings: {} of {} GPUs ({}), repeated", set.orders.size(),
                                             gpus.size(), how_found(set, gpus.size())));
  return {};
}

ChannelRing ring_between_nodes(const NodeSpec& spec, const std::vector<NodeRanks>& nodes,
                               const std::vector<NodePass>& passes, NicLayout layout, std::uint32_t ring) {
  const auto rings = static_cast<std::uint32_t>(passes.size());
  const auto pass_on = [&](std::size_t n) -> const NodePass& {
    return passes[pass_on_node(layout, ring, rings, static_cast<std::uint32_t>(n))];
  };
  ChannelRing made;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::size_t next = (n + 1) % nodes.size();
    const NodePass& leave = pass_on(n);
    const NodePass& enter = pass_on(next);
    for (const std::uint32_t gpu : leave.order) made.order.push_back(nodes[n].gpu_and_rank[gpu].second);
    const std::uint32_t proxy = nodes[n].gpu_and_rank[leave.out].first;
    const std::uint32_t entry = nodes[next].gpu_and_rank[enter.in].first;
    made.crossings.push_back({made.order.back(),
                              nodes[next].gpu_and_rank[enter.order.front()].second,
                              {nodes[n].node, proxy},
                              {nodes[n].node, spec.nic_of_gpu[proxy]},
                              {nodes[next].node, spec.nic_of_gpu[entry]}});
  }
  // Rank 0 is on the first node, so the crossings stay in ring order.
  made.order = starting_with_rank_zero(std::move(made.order));
  return made;
}

Problems add_rings_between_nodes(Execution& execution, const NodeSpec& spec,
                                 const std::vector<NodeRanks>& nodes, std::optional<std::uint32_t> given,
                                 std::optional<NicLayout> given_layout) {
  if (Problems bad = check_nodes(spec, nodes); !bad.empty()) return bad;
  const auto gpus = static_cast<std::uint32_t>(nodes.front().gpu_and_rank.size());
  const NicLayout layout = given_layout.value_or(NicLayout::pxn);
  const auto passes = node_passes(layout, gpus);
  if (!passes) return passes.problems();
  const auto derived =
      given ? Result<ChannelCount>(ChannelCount{*given, *given, ""}) : channels_between_nodes(spec, gpus);
  if (!derived) return derived.problems();
  const std::uint32_t channels = take_channels(execution, given, *derived);
  for (std::uint32_t channel = 0; channel < channels; ++channel)
    execution.rings.push_back(channel < gpus ? ring_between_nodes(spec, nodes, *passes, layout, channel)
                                             : execution.rings[channel % gpus]);
  execution.derivation.push_back(fmt::format(
      "NIC layout: {}, {}", name_of(layout),
      given_layout ? "given" : "NCCL's default from 2.12 on, for NICs behind a PCIe switch with their GPU"));
  execution.derivation.push_back(fmt::format(
      "rings: {} for {} GPUs a node, nodes in order of their first rank, repeated{}", passes->size(), gpus,
      gpus <= 2 || gpus == 4 ? "" : "; by the pattern known for 4 GPUs a node"));
  return {};
}

}  // namespace

Result<Execution> derive_execution(const Machine& machine, std::vector<GpuAddress> gpu_of_rank,
                                   Collective collective, PartitionFamily family, std::uint32_t element_bytes,
                                   std::optional<std::uint32_t> channels, std::optional<NicLayout> nic_layout,
                                   Variant variant) {
  if (Problems bad = check_request(machine, gpu_of_rank, collective, variant, element_bytes, channels);
      !bad.empty())
    return bad;
  Execution execution{.collective = collective,
                      .algorithm = variant.algorithm,
                      .protocol = variant.protocol,
                      .family = family,
                      .element_bytes = element_bytes,
                      .gpu_of_rank = std::move(gpu_of_rank),
                      .rings = {},
                      .channels_origin = Origin::derived,
                      .rings_origin = Origin::derived,
                      .derivation = {}};
  const auto nodes = by_node(execution.gpu_of_rank);
  const NodeSpec& spec = machine.spec().node;
  Problems problems = nodes.size() == 1
                          ? add_rings_in_node(execution, spec, nodes.front(), channels)
                          : add_rings_between_nodes(execution, spec, nodes, channels, nic_layout);
  if (!problems.empty()) return problems;
  if (variant.algorithm == Algorithm::tree)
    rings_to_trees(execution, spec, nodes, nic_layout.value_or(NicLayout::pxn));
  CALIPER_CHECK(check_execution(machine, execution).empty());
  return execution;
}

}  // namespace caliper
