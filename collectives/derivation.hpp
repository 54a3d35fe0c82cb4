// The execution that NCCL's rules give where nothing was captured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "collectives/execution.hpp"

namespace caliper {

struct Variant {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};

/// Rings or trees and channel count for ranks on these GPUs. Each fact that a rule filled in has a line in
/// Execution::derivation. Nodes are passed in the order in which ranks first appear on them; inside a node
/// GPUs count in ascending order. Problems: no ranks or too many, a GPU that does not exist or has two ranks,
/// an element size NCCL does not have, a channel count out of 1..64, nodes with different numbers of ranks,
/// several GPUs on one NIC (then rings must be
/// captured), trees for another collective than AllReduce.
/// @param element_bytes  1, 2, 4 or 8
/// @param channels       given from outside: marked `assumed`, its giver may know better; repeats or cuts the
/// rings
/// @param nic_layout     between nodes; pxn where not given
Result<Execution> derive_execution(const Machine& machine, std::vector<GpuAddress> gpu_of_rank,
                                   Collective collective, PartitionFamily family, std::uint32_t element_bytes,
                                   std::optional<std::uint32_t> channels = {},
                                   std::optional<NicLayout> nic_layout = {}, Variant variant = {});

}  // namespace caliper
