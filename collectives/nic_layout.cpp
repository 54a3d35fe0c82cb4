#include "collectives/nic_layout.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace caliper {
namespace {

NodePass pxn_pass(std::uint32_t ring, std::uint32_t gpus) {
  NodePass pass{{}, ring, ring};
  for (std::uint32_t k = 0; k < gpus; ++k) pass.order.push_back(ring == 0 ? k : (ring + gpus - k) % gpus);
  return pass;
}

NodePass oracle_pass(std::uint32_t ring, std::uint32_t gpus) {
  NodePass pass{{}, ring, (ring + gpus - 1) % gpus};
  for (std::uint32_t k = 0; k < gpus; ++k) pass.order.push_back((ring + k) % gpus);
  return pass;
}

/// Pair i goes between GPUs i and gpus-1-i, starting at the one or the other in turn; the way back is
/// reversed.
NodePass pairs_pass(std::uint32_t ring, std::uint32_t gpus) {
  const std::uint32_t pair = ring / 2;
  const std::uint32_t start = pair % 2 == 0 ? pair : gpus - 1 - pair;
  const std::uint32_t end = gpus - 1 - start;
  NodePass pass{{start}, start, end};
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    if (gpu != start && gpu != end) pass.order.push_back(gpu);
  if (end != start) pass.order.push_back(end);
  if (ring % 2 == 1) {
    std::ranges::reverse(pass.order);
    std::swap(pass.in, pass.out);
  }
  return pass;
}

}  // namespace

Result<std::vector<NodePass>> node_passes(NicLayout layout, std::uint32_t gpus) {
  CALIPER_CHECK(gpus >= 1);
  if (layout == NicLayout::pairs && gpus == 4)
    return std::vector<NodePass>{
        {{0, 1, 2, 3}, 0, 3}, {{3, 2, 1, 0}, 3, 0}, {{2, 0, 3, 1}, 2, 1}, {{1, 0, 3, 2}, 1, 2}};
  if (layout == NicLayout::pairs && gpus % 2 == 1 && gpus > 1)
    return Error{"nic_layout", fmt::format("layout 'pairs' has no rule for {} GPUs a node", gpus),
                 "it needs an even number of GPUs a node; take 'pxn' or captured rings"};
  std::vector<NodePass> passes;
  for (std::uint32_t ring = 0; ring < gpus; ++ring) switch (layout) {
      case NicLayout::pxn:
        passes.push_back(pxn_pass(ring, gpus));
        break;
      case NicLayout::pairs:
        passes.push_back(pairs_pass(ring, gpus));
        break;
      case NicLayout::oracle:
        passes.push_back(oracle_pass(ring, gpus));
        break;
    }
  return passes;
}

std::uint32_t pass_on_node(NicLayout layout, std::uint32_t ring, std::uint32_t rings, std::uint32_t node) {
  const bool swapped = layout == NicLayout::pairs && rings > 1 && node % 2 == 1;
  return swapped ? ring ^ 1u : ring;
}

}  // namespace caliper
