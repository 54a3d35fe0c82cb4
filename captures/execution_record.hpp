// What NCCL's own logs say of an execution: plain values, each with the line that says it, and a list of what
// no line says. Nothing here is simulated yet; see captured_parts.hpp for what an execution takes from it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caliper {

/// A line of one of the files of a record.
struct LineRef {
  std::uint32_t file = 0;  ///< index into ExecutionRecord::files
  std::uint32_t line = 0;  ///< from 1
  auto operator<=>(const LineRef&) const = default;
};

/// A network device as NCCL numbers it on one host.
struct CapturedNic {
  std::string host;
  std::string net;  ///< "IB", "Socket"
  std::uint32_t device = 0;
  std::string name;  ///< "mlx5_0"
  std::string link;  ///< "IB", "RoCE"; empty: not said
  std::optional<std::uint64_t> mbits;
  LineRef at;
  bool operator==(const CapturedNic&) const = default;
};

/// Who is a rank. Empty and absent: not said.
struct CapturedRank {
  std::uint32_t rank = 0;
  std::string host;
  std::uint64_t process = 0;                 ///< 0: not said
  std::optional<std::uint32_t> cuda_device;  ///< as its process counts them
  std::optional<std::uint32_t> nvml_device;  ///< as its node counts them
  std::string bus_id;                        ///< hexadecimal, as NCCL prints it
  LineRef at;
  bool operator==(const CapturedRank&) const = default;
};

/// How the order of a ring is known.
enum class RingRule : std::uint8_t {
  listed,       ///< rank 0 lists the whole ring
  neighbours,   ///< every rank names the one before and the one after
  connections,  ///< the only ring that the opened connections allow
  sequence,     ///< the first connection that each rank opens on the channel; NCCL opens rings before trees
  none          ///< not known
};
inline constexpr std::array kRingRules{RingRule::listed, RingRule::neighbours, RingRule::connections,
                                       RingRule::sequence, RingRule::none};
std::string_view name_of(RingRule rule);

struct CapturedRing {
  std::uint32_t channel = 0;
  RingRule rule = RingRule::none;
  std::vector<std::uint32_t> order;  ///< from rank 0; empty: not known
  std::optional<LineRef> at;
  bool operator==(const CapturedRing&) const = default;
};

/// A rank's place in the tree of a channel.
struct CapturedTree {
  std::uint32_t channel = 0, rank = 0;
  std::optional<std::uint32_t> up;  ///< none: root
  std::vector<std::uint32_t> down;  ///< at most three, ascending
  LineRef at;
  bool operator==(const CapturedTree&) const = default;
};

/// One end of a connection over the network.
struct NetEnd {
  std::uint32_t device = 0;
  bool gdrdma = false;
  std::optional<std::uint32_t>
      proxy_rank;  ///< whose GPU and process send, where it is not the rank itself (PXN)
  LineRef at;
  bool operator==(const NetEnd&) const = default;
};

enum class TransportKind : std::uint8_t { p2p, shm, net };
inline constexpr std::array kTransportKinds{TransportKind::p2p, TransportKind::shm, TransportKind::net};
std::string_view name_of(TransportKind kind);  ///< "P2P"

struct CapturedConnection {
  std::uint32_t channel = 0;
  std::uint32_t index = 0;  ///< 0: collectives, 1: point to point
  std::uint32_t from = 0, to = 0;
  TransportKind kind = TransportKind::p2p;
  std::string detail;  ///< P2P: "CUMEM/read"; SHM: "direct/direct"; NET: its name
  std::optional<LineRef> at;
  std::optional<NetEnd> send, receive;  ///< of NET, as far as logged
  bool operator==(const CapturedConnection&) const = default;
};

/// What one call, or many alike, ran as.
struct CapturedCall {
  std::string collective;           ///< NCCL's name; empty: not said
  std::uint64_t bytes = 0;          ///< as logged
  std::uint64_t buffer_bytes = 0;   ///< of the full buffer, as nccl-tests prints it; 0: cannot be told
  std::string algorithm, protocol;  ///< "ring", "simple"; both empty: the call is logged, its plan is not
  std::optional<std::uint32_t> first_channel, last_channel;
  std::uint64_t times = 0;  ///< lines that say so
  LineRef at;
  bool operator==(const CapturedCall&) const = default;
};

/// What no line says.
struct CapturedGap {
  std::string what;
  std::string filled_by;  ///< the rule; "nothing"
  bool operator==(const CapturedGap&) const = default;
};

struct CapturedCommunicator {
  std::string name;  ///< "comm-1"; unique in the record
  std::string
      id;  ///< NCCL's commId (2.16 on), of a split the parent's with "/child 1/color 0"; empty: not said
  std::string version;                ///< "2.28.9"; empty: not said
  std::uint32_t ranks = 0;            ///< 0: not known
  std::uint32_t nodes = 0;            ///< 0: not known
  std::uint32_t channels = 0;         ///< of collectives; 0: not known
  std::vector<CapturedRank> members;  ///< those of which something is known, ascending
  std::vector<CapturedRing> rings;    ///< [channels]
  std::vector<CapturedTree> trees;    ///< by channel, rank
  std::vector<CapturedConnection> connections;
  std::vector<CapturedCall> calls;
  std::vector<CapturedGap> gaps;
  bool operator==(const CapturedCommunicator&) const = default;
};

struct ExecutionRecord {
  std::vector<std::string> files;
  std::vector<CapturedNic> nics;
  std::vector<CapturedCommunicator> communicators;  ///< largest first
  std::vector<std::string> notes;                   ///< of the files as a whole: torn lines and the like
  bool operator==(const ExecutionRecord&) const = default;

  std::string where(LineRef line) const;  ///< "file:line"
};

}  // namespace caliper
