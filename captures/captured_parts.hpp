// What an Execution takes from a captured communicator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "captures/execution_record.hpp"
#include "collectives/execution.hpp"

namespace caliper {

/// Calls of one collective that are logged with the same algorithm, protocol and channels, next to each other
/// by size. Between the sizes of two ranges nothing is known.
struct CapturedRange {
  std::string collective;             ///< NCCL's name; empty: not said
  std::uint64_t first = 0, last = 0;  ///< bytes of the full buffer, inclusive
  std::string algorithm, protocol;
  std::optional<std::uint32_t> first_channel, last_channel;
  bool operator==(const CapturedRange&) const = default;
};

struct CapturedParts {
  std::vector<std::string> hosts;       ///< a node is an index into them; in the order of their first rank
  std::vector<GpuAddress> gpu_of_rank;  ///< GPUs of a node as NVML, else as CUDA, else as the bus counts them
  std::vector<ChannelRing> rings;
  std::vector<CapturedRange> ranges;
};

/// NICs are numbered as NCCL numbers them on their host.
/// Problems: no such communicator; a size, host, GPU, ring, or NIC of a crossing that the log does not say; a
/// connection between hosts that is none over the network, or one inside a host that is.
Result<CapturedParts> captured_parts(const ExecutionRecord& record, std::string_view communicator);

}  // namespace caliper
