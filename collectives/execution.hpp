// q: what NCCL really ran for an experiment, or what its rules say that it runs, with the origin of each
// fact.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/machine.hpp"

namespace caliper {

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter };
enum class Algorithm : std::uint8_t { ring, tree };
/// How bytes travel over a connection; what each fixes is in slices.hpp.
enum class Protocol : std::uint8_t { simple, ll, ll128 };
/// How NCCL cuts a buffer over channels and loops: A up to 2.19, B 2.20 and 2.21, C from 2.22 on.
enum class PartitionFamily : std::uint8_t { a, b, c };
enum class Origin : std::uint8_t { captured, derived, assumed };
/// Which NIC a ring enters and leaves a node by. pxn: the same NIC, through the GPU local to it; pairs:
/// alternating rings swap their two NICs; oracle: ring c starts at local GPU c mod gpus, NICs local to first
/// and last GPU.
enum class NicLayout : std::uint8_t { pxn, pairs, oracle };

std::string_view name_of(Collective collective);  ///< "all_reduce"
std::string_view name_of(Algorithm algorithm);
std::string_view name_of(Protocol protocol);
std::string_view name_of(PartitionFamily family);  ///< "A"
std::string_view name_of(Origin origin);
std::string_view name_of(NicLayout layout);
std::optional<Collective> collective_named(std::string_view name);
std::optional<Algorithm> algorithm_named(std::string_view name);
std::optional<Protocol> protocol_named(std::string_view name);
std::optional<NicLayout> nic_layout_named(std::string_view name);

/// From a version such as "2.29.7". Nothing where it is malformed or older than 2.4.
std::optional<PartitionFamily> family_of_version(std::string_view nccl_version);

/// Where a ring leaves one node for the next.
struct NodeCrossing {
  std::uint32_t from_rank;  ///< last rank of the ring in its node
  std::uint32_t to_rank;    ///< first rank in the next node
  GpuAddress
      proxy_gpu;  ///< whose memory and proxy send: the sender's own GPU, or with PXN the NIC's local one
  NicAddress out;
  NicAddress in;
};

/// The ring of one channel.
struct ChannelRing {
  std::vector<std::uint32_t> order;     ///< ranks in ring order, starting with rank 0
  std::vector<NodeCrossing> crossings;  ///< in ring order; none inside one node
};

inline constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

/// A child and its parent on different nodes.
struct TreeCrossing {
  NodeCrossing up;    ///< from the child
  NodeCrossing down;  ///< from the parent
};

/// The tree of one channel: data are reduced up it, the sum comes down.
struct ChannelTree {
  std::vector<std::uint32_t> up;                   ///< [ranks], kNoRank: the root
  std::vector<std::array<std::uint32_t, 3>> down;  ///< [ranks], in NCCL's order, then kNoRank
  std::vector<TreeCrossing> crossings;             ///< ascending by child

  std::uint32_t children(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::ranges::find(down[rank], kNoRank) - down[rank].begin());
  }
};

/// Everything but the size.
struct Execution {
  Collective collective;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  PartitionFamily family;
  std::uint32_t element_bytes;          ///< 4 for float32
  std::vector<GpuAddress> gpu_of_rank;  ///< [ranks]
  std::vector<ChannelRing> rings;       ///< [channels] of the ring algorithm
  std::vector<ChannelTree> trees{};     ///< [channels] of the tree algorithm
  Origin channels_origin;
  Origin rings_origin;                  ///< or of the trees
  std::vector<std::string> derivation;  ///< one line per fact that a rule filled in, for `explain`

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(gpu_of_rank.size()); }
  std::uint32_t channels() const {
    return static_cast<std::uint32_t>(algorithm == Algorithm::ring ? rings.size() : trees.size());
  }
  std::uint32_t nodes() const;  ///< different ones. Cost: O(ranks log ranks)
};

}  // namespace caliper
