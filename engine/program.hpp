// What is simulated: a static, immutable program of workers, edges, operations and transfers. Parameters are
// numbers applied to it. It knows neither NCCL nor any machine; flow level and packet level run the same
// program.
//
// An operation of a worker, in the worker's order:
//   1. waits for the next slice on its receive edge and for a credit on its send edge, whichever it has;
//   2. keeps the worker busy for the cost of its kind: overhead + bytes * seconds_per_byte;
//   3. if its send edge has a route, starts a transfer of its bytes: attached, the worker stays busy until
//      its end (a thread block writing to a peer); detached, the worker goes on (a message handed to a NIC);
//   4. at the end of cost and transfer gives the credit back on the receive edge and posts the slice on the
//      send edge, where it is visible after the edge's latency.
// An operation may only wait: it passes once the slice is there and the credit free, and leaves both for a
// later one. So a worker waits for several edges before it does what needs them all.
// A transfer first takes its route's latency, during which it holds no bandwidth, then bytes / rate.
//
// Workers that do the same share one list of operations, and a list is loops over bodies: a ring over
// thousands of ranks is a handful of operations. How many bytes an operation moves is looked up behind the
// worker's own first size, so that the ranks of a ring, which do the same one position later, share lists
// too.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "engine/expression.hpp"

namespace caliper {

/// Index with a type of its own: a worker is no edge.
template <class Tag>
struct Id {
  std::uint32_t v = std::numeric_limits<std::uint32_t>::max();
  auto operator<=>(const Id&) const = default;
  bool valid() const { return v != std::numeric_limits<std::uint32_t>::max(); }
};
using ExpressionId = Id<struct ExpressionTag>;
using LinkId = Id<struct LinkTag>;
using RouteId = Id<struct RouteTag>;
using KindId = Id<struct KindTag>;
using ListId = Id<struct ListTag>;
using WorkerId = Id<struct WorkerTag>;
using EdgeId = Id<struct EdgeTag>;
inline constexpr EdgeId kNoEdge{};

/// One direction of a link, or a joint limit over several (a NIC whose two directions share something).
struct ProgramLink {
  std::string name;          ///< "jpbo-001-01 nic 2 up"
  std::uint32_t link_class;  ///< row of Program::link_classes
  ExpressionId capacity;     ///< bytes/s
  bool joint = false;        ///< capacity shared by several directions: no wire of its own at packet level
};

/// What an operation costs its worker, and how fast it can feed a transfer.
struct CostKind {
  std::string name;               ///< "receive-reduce-send"
  ExpressionId overhead;          ///< s
  ExpressionId seconds_per_byte;  ///< s/B
  ExpressionId rate_cap;          ///< bytes/s of a transfer that it starts; may be infinite
};

enum class TransferMode : std::uint8_t {
  attached,          ///< the worker is busy until the end
  detached_ordered,  ///< the worker goes on; transfers of the edge follow one another (a queue pair)
  detached,          ///< the worker goes on; transfers of the edge share the path
};

/// A bounded FIFO from one worker to another.
struct ProgramEdge {
  WorkerId from, to;
  std::uint32_t window;  ///< slices that may be sent and not yet released, >= 1
  RouteId route;         ///< invalid: handed over in place, no transfer
  TransferMode mode = TransferMode::attached;
  ExpressionId latency;  ///< s, from the end of the transfer until the receiver sees the slice
};

/// An edge as an operation names it: its number among the worker's own.
using Port = std::uint8_t;
inline constexpr Port kNoPort = 0xff;
/// Size of an operation that moves nothing.
inline constexpr std::uint32_t kNoSize = 0xffffffff;
/// Size of an operation that waits and takes nothing, posts nothing, costs nothing.
inline constexpr std::uint32_t kOnlyWaits = 0xfffffffe;

struct Operation {
  std::uint16_t kind;  ///< KindId
  Port receive;        ///< kNoPort: waits for no data
  Port send;           ///< kNoPort: posts nothing
  std::uint32_t size;  ///< behind the worker's first size in Program::sizes, or kNoSize, or kOnlyWaits
  auto operator<=>(const Operation&) const = default;
};

/// Operations [first, first + count) of Program::operations, `times` times over.
struct Repeat {
  std::uint32_t first, count, times;
  bool operator==(const Repeat&) const = default;
};

struct ProgramWorker {
  std::uint32_t rank;
  std::uint32_t channel;
  std::uint32_t role;        ///< row of Program::roles
  ListId list;               ///< invalid: does nothing
  std::uint32_t first_size;  ///< row of Program::sizes
  std::uint32_t first_port;  ///< row of Program::ports
  std::uint32_t port_count;
  std::uint32_t stands_for;  ///< workers that do the same at the same time; 1 in a program as it is built
};

/// An operation of a worker, written out.
struct UnrolledOperation {
  KindId kind;
  EdgeId receive, send;  ///< invalid where there is none
  std::uint64_t bytes;
  bool only_waits;
};

/// Made by ProgramBuilder. Rows are referred to by index; CSR arrays have one more entry than rows.
struct Program {
  std::vector<Expression> expressions;
  std::vector<std::string> link_classes;  ///< "nvlink", "nic", "leaf-spine", ...
  std::vector<ProgramLink> links;
  std::vector<std::uint32_t> route_first;  ///< [routes + 1], CSR into route_links
  std::vector<LinkId> route_links;         ///< in path order, joint limits behind the link they belong to
  /// Beside route_links: transfers of this route's kind that cross one such link at a time. Empty: 1 each.
  std::vector<std::uint32_t> route_users;
  std::vector<ExpressionId> route_latency;
  std::vector<CostKind> kinds;
  std::vector<std::string> roles;
  std::vector<ProgramWorker> workers;
  std::vector<ProgramEdge> edges;
  std::vector<EdgeId> ports;  ///< edges by worker

  std::vector<std::uint32_t> list_first;  ///< [lists + 1], CSR into repeats
  std::vector<Repeat> repeats;
  std::vector<Operation> operations;
  std::vector<std::uint64_t> sizes;  ///< bytes

  std::span<const Repeat> repeats_of(const ProgramWorker& worker) const;
  std::span<const LinkId> links_of(RouteId route) const {
    return std::span(route_links)
        .subspan(route_first[route.v], route_first[route.v + 1] - route_first[route.v]);
  }
  std::span<const EdgeId> ports_of(const ProgramWorker& worker) const {
    return std::span(ports).subspan(worker.first_port, worker.port_count);
  }
  EdgeId edge_at(const ProgramWorker& worker, Port port) const {
    return port == kNoPort ? kNoEdge : ports[worker.first_port + port];
  }
  std::uint64_t bytes_of(const ProgramWorker& worker, const Operation& op) const {
    return op.size >= kOnlyWaits ? 0 : sizes[worker.first_size + op.size];
  }
  std::uint32_t users(std::uint32_t route_link) const {
    return route_users.empty() ? 1 : route_users[route_link];
  }

  std::uint64_t operations_of(const ProgramWorker& worker) const;
  /// Written out, over all workers; of what is stood for only the one that is here.
  std::uint64_t operation_count() const;
  /// All operations of a worker in order. Memory: operations_of(worker).
  std::vector<UnrolledOperation> unroll(WorkerId worker) const;
  /// Operations that send on each edge, [edges].
  std::vector<std::uint64_t> sends() const;

  /// Value of each expression, [expressions].
  std::vector<double> numbers(ParameterView parameters) const;
  /// Identity of what is executed: the same for all parameter values. 64 hex digits.
  std::string hash() const;
  /// The same without lists and sizes: who talks to whom over which links, at which costs.
  std::string frame_hash() const;
  /// "rank 3 channel 1 proxy", for messages.
  std::string describe(WorkerId worker) const;
  const std::string& class_of(LinkId link) const { return link_classes[links[link.v].link_class]; }
};

}  // namespace caliper
