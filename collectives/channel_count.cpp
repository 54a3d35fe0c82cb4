#include "collectives/channel_count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "collectives/ring_search.hpp"

namespace caliper {
namespace {

// GB/s, NCCL's unit; only here.
constexpr std::array kSpeedsInNode{40., 30., 20., 18., 15., 12., 10., 9., 7., 6., 5., 4., 3.};
constexpr std::array kSpeedsInNodeHopper{60., 50., 40., 30., 24., 20., 15., 12., 11., 6., 3.};
constexpr std::array kSpeedsBetween{48., 30., 28., 24., 20., 18., 15., 12., 10., 9.,
                                    7.,  6.,  5.,  4.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array kSpeedsBetweenHopper{48., 45., 42., 40., 30., 24., 22., 20., 17.5,
                                          15., 12., 6.,  3.,  2.4, 1.2, .24, .12};
/// NCCL counts 24 GB/s for a PCIe 4.0 x16, which carries 31.5 GB/s.
constexpr double kPcieShare = 24 / 31.5;
constexpr double kHalf = 0.49;      // a speed below this share of the best one is not tried
constexpr double kRoundOff = 1e-9;  // relative: 31.5 * 24 / 31.5 is 24
constexpr std::uint32_t kMaxGraphRings = 16;
constexpr std::uint32_t kMaxAfterDoubling = 32;

std::optional<double> nvlink_speed(std::uint32_t compute_capability) {
  switch (compute_capability) {
    case 60:
      return 18.0;
    case 70:
    case 80:
      return 20.0;
    case 86:
      return 12.0;
    case 90:
      return 20.6;
    default:
      return std::nullopt;
  }
}

Result<double> known_speed(const NodeSpec& node) {
  if (const auto speed = nvlink_speed(node.compute_capability)) return *speed;
  return Error{"node.compute_capability",
               fmt::format("NCCL's search speeds for compute capability {} are not known here",
                           node.compute_capability),
               "give the number of channels; known are 60, 70, 80, 86, 90"};
}

struct Search {
  std::uint32_t rings = 0;
  double speed = 0;
};

/// Duplication, then the doubling of ncclTopoPostset, both with what they did.
ChannelCount multiplied(Search found, std::uint32_t compute_capability, bool between_nodes,
                        std::string text) {
  const bool few = found.rings <= 4 || found.speed >= 50 || compute_capability <= 80;
  if (found.speed >= 25 && few) {
    const std::uint32_t rings = std::min(found.rings * 2, kMaxGraphRings);
    found = {rings, rings > found.rings ? found.speed / 2 : found.speed};
    text += fmt::format(", duplicated to {} of {} GB/s", found.rings, found.speed);
  }
  const std::uint32_t doubled = std::min(found.rings * 2, kMaxAfterDoubling);
  std::uint32_t channels = doubled;
  text += fmt::format(", doubled to {} channels", channels);
  if (between_nodes && compute_capability >= 90 && found.speed > 45 && channels < 16) {
    channels *= 2;
    text += fmt::format(", and on this GPU once more to {}", channels);
  }
  return {channels, doubled, std::move(text)};
}

/// NVLinks among some GPUs of a node.
struct NodeLinks {
  std::uint32_t gpus;
  std::vector<std::uint32_t> between;  // [gpus * gpus], 0 on the diagonal
  std::uint32_t most = 0;              // of a pair
  std::uint32_t of_a_gpu = 0;          // of the GPU that has fewest
  bool uniform = true;                 // all pairs have as many
};

NodeLinks links_of(const NodeSpec& node, std::span<const std::uint32_t> gpus) {
  NodeLinks links{static_cast<std::uint32_t>(gpus.size()), {}};
  links.of_a_gpu = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t a : gpus) {
    std::uint32_t sum = 0;
    for (const std::uint32_t b : gpus) {
      links.between.push_back(a == b ? 0 : node.nvlinks_between(a, b));
      links.most = std::max(links.most, links.between.back());
      sum += links.between.back();
    }
    links.of_a_gpu = std::min(links.of_a_gpu, sum);
  }
  for (std::size_t i = 0; i < links.between.size(); ++i)
    if (i % (gpus.size() + 1) != 0 && links.between[i] != links.most) links.uniform = false;
  return links;
}

/// @param per_link  rings that a link carries at the speed at hand
RingSet rings_at(const NodeLinks& links, double per_link) {
  const auto carried = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(std::floor(count * per_link));
  };
  if (links.uniform) {
    RingSet set = ring_set_of_node(links.gpus);
    set.times = carried(links.most) / set.rings_on_a_pair;
    return set;
  }
  std::vector<std::uint32_t> units(links.between.size());
  std::ranges::transform(links.between, units.begin(), carried);
  return {search_rings(links.gpus, std::move(units), kMaxGraphRings), 0, 1};
}

Error no_ring(const NodeLinks& links) {
  return {links.uniform ? "node.nvlinks_per_pair" : "node.nvlinks",
          fmt::format("no ring of {} GPUs fits their NVLinks", links.gpus),
          "a ring over PCIe is not modelled"};
}

}  // namespace

Result<NodeChannels> channels_in_node(const NodeSpec& node, std::span<const std::uint32_t> gpus) {
  if (gpus.size() == 1)
    return NodeChannels{{1, 1, "a single GPU has nobody to talk to: 1 channel"}, ring_set_of_node(1)};
  const auto link = known_speed(node);
  if (!link) return link.problems();
  const NodeLinks links = links_of(node, gpus);
  const double total = links.of_a_gpu * *link;  // what the poorest GPU sends to all others
  const std::span<const double> speeds =
      node.compute_capability >= 90 ? std::span<const double>(kSpeedsInNodeHopper) : kSpeedsInNode;
  Search best;
  RingSet rings;
  for (const double speed : speeds) {
    if (speed > links.most * *link) continue;
    if (best.rings > 0 && speed <= kHalf * best.speed) break;
    RingSet set = rings_at(links, *link / speed * (1 + kRoundOff));
    const auto found = static_cast<std::uint32_t>(set.orders.size()) * set.times;
    if (const std::uint32_t fit = std::min(found, kMaxGraphRings); fit * speed > best.rings * best.speed) {
      best = {fit, speed};
      rings = std::move(set);
    }
    if (best.rings * best.speed >= total * (1 - kRoundOff)) break;
  }
  if (best.rings == 0) return no_ring(links);
  const std::string pairs = links.uniform ? fmt::format("{} GB/s a pair", links.most * *link)
                                          : fmt::format("{} GB/s a link", *link);
  return NodeChannels{multiplied(best, node.compute_capability, false,
                                 fmt::format("ring search on {} GPUs, {}: {} rings of {} GB/s", gpus.size(),
                                             pairs, best.rings, best.speed)),
                      std::move(rings)};
}

Result<RingSet> rings_in_node(const NodeSpec& node, std::span<const std::uint32_t> gpus) {
  if (gpus.size() == 1) return ring_set_of_node(1);
  const NodeLinks links = links_of(node, gpus);
  RingSet set = rings_at(links, 1);
  if (set.orders.empty() || links.most == 0) return no_ring(links);
  return set;
}

Result<ChannelCount> channels_between_nodes(const NodeSpec& node, std::uint32_t gpus) {
  if (const auto known = known_speed(node); !known) return known.problems();
  const double limit = std::min(node.nic_rate, node.pcie_rate * kPcieShare) / 1e9;
  const std::span<const double> speeds =
      node.compute_capability >= 90 ? std::span<const double>(kSpeedsBetweenHopper) : kSpeedsBetween;
  const auto speed = std::ranges::find_if(speeds, [&](double s) { return s <= limit * (1 + kRoundOff); });
  if (speed == speeds.end())
    return Error{"node.nic_rate",
                 fmt::format("a NIC of {} GB/s is slower than any speed that NCCL tries", limit),
                 "give the number of channels"};
  return multiplied({std::min(gpus, kMaxGraphRings), *speed}, node.compute_capability, true,
                    fmt::format("a ring for each of {} NICs, {:.3g} GB/s for NIC and PCIe: {} GB/s a ring",
                                gpus, limit, *speed));
}

}  // namespace caliper
