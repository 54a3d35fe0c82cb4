// The grammar of NCCL's messages that say something of a plan, NCCL 2.4 to 2.30. Source: the INFO calls of
// NCCL's init.cc, graph/, transport/, enqueue.cc over these versions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "captures/execution_record.hpp"

namespace caliper {

inline constexpr std::uint32_t kMaxCapturedRanks = 1u << 20;
inline constexpr std::uint32_t kMaxCapturedChannels = 64;
inline constexpr std::uint64_t kMaxCapturedBytes = std::uint64_t{1} << 50;

/// "NCCL version 2.28.9+cuda12.4"
struct VersionLine {
  std::string version;
};

/// "comm 0x.. rank 1 nranks 4 cudaDev 1 nvmlDev 2 busId 41000 commId 0x.. - Init START", its COMPLETE, and
/// "comm 0x.. rank 1 nRanks 8 nNodes 2 localRanks 4 ..."; a split has "parent 0x.. splitCount 1 color 0 key
/// 0" in place of the commId (2.20 on)
struct CommunicatorLine {
  enum class Kind : std::uint8_t { start, complete, layout, end };
  Kind kind;
  std::uint64_t pointer;
  std::uint32_t rank, ranks;
  std::optional<std::uint32_t> cuda_device, nvml_device, nodes;
  std::string bus_id, id;
  std::optional<std::uint64_t> parent;  ///< address of the communicator that it is split from
  std::uint32_t child = 0, color = 0;   ///< of a split: which one of its parent's
};

/// "Channel 00/04 :  0  2  3  1" of rank 0; without a total before 2.5
struct RingListLine {
  std::uint32_t channel;
  std::optional<std::uint32_t> channels;
  std::vector<std::uint32_t> order;
  bool cut;  ///< NCCL says so by "..."; it stops after 20 ranks without a word up to 2.22
};

/// "Ring 00 : 1 -> 2 -> 3"
struct NeighbourLine {
  std::uint32_t channel, before, rank, after;
};

/// "Trees [0] 2/5/-1->1->-1 [1] ..."; the first of them that does not parse ends the line
struct TreesLine {
  std::vector<CapturedTree> trees;  ///< without `at`
  bool cut;
};

/// "Channel 00/0 : 5[1] -> 1[1] [receive] via NET/IB/3/GDRDMA"; "Ring 00 : ..." before 2.6
struct ConnectionLine {
  enum class End : std::uint8_t { whole, send, receive };
  End end;
  CapturedConnection connection;       ///< without `at`
  std::string from_device, to_device;  ///< what stands in brackets; empty: nothing does
};

/// "8 coll channels, ..."
struct ChannelCountLine {
  std::uint32_t channels;
};

/// "threadThresholds 8/8/64 | 64/8/64 | ...": the fourth is 8 times the ranks unless it was set by hand
struct ThresholdsLine {
  std::uint32_t ring_ll;
};

/// "NET/IB : Using [0]mlx5_0:1/IB ... ; OOB ..." and "NET/IB : Made virtual device [0] name=mlx5_0
/// speed=25000 ndevs=1"
struct NicsLine {
  std::vector<CapturedNic> nics;  ///< without host and `at`
  bool cut;
};

/// "AllReduce: 4 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..0}" (2.24), "64 Bytes -> Algo 0 proto 0
/// time 49.6"
struct TuningLine {
  std::string collective;
  std::uint64_t bytes;
  std::string algorithm, protocol;
  std::optional<std::uint32_t> first_channel,
      last_channel;  ///< with these, bytes are those of a rank's count
};

/// "AllReduce: opCount 0 sendbuff 0x.. recvbuff 0x.. count 16 datatype 7 op 0 root 0 comm 0x.. [nranks=32]
/// stream 0x.."
struct CallLine {
  std::string collective;
  std::uint64_t count, pointer;
  std::uint32_t element_bytes, ranks;
};

using LogFact =
    std::variant<VersionLine, CommunicatorLine, RingListLine, NeighbourLine, TreesLine, ConnectionLine,
                 ChannelCountLine, ThresholdsLine, NicsLine, TuningLine, CallLine>;

struct ParsedLine {
  std::optional<LogFact> fact;
  bool broken = false;  ///< begins as a line that matters and does not go on as one
};

/// @param torn  other output follows right behind: the last word may be half of one and says nothing
ParsedLine parse_log_line(std::string_view text, bool torn);

}  // namespace caliper
