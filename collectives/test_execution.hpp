// Executions for tests: ranks on one node, all channels with the plain ring 0, 1, 2, ...
#pragma once

#include <numeric>

#include "collectives/execution.hpp"

namespace caliper {

inline Execution single_node_execution(Collective collective, PartitionFamily family, std::uint32_t ranks,
                                       std::uint32_t channels, std::uint32_t element_bytes = 4) {
  ChannelRing ring{std::vector<std::uint32_t>(ranks), {}};
  std::iota(ring.order.begin(), ring.order.end(), 0u);
  std::vector<GpuAddress> gpus;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) gpus.push_back({0, rank});
  return {.collective = collective,
          .family = family,
          .element_bytes = element_bytes,
          .gpu_of_rank = std::move(gpus),
          .rings = std::vector<ChannelRing>(channels, ring),
          .channels_origin = Origin::assumed,
          .rings_origin = Origin::assumed,
          .derivation = {}};
}

}  // namespace caliper
