// What is simulated: a static, immutable program of workers, edges, operations and transfers. Parameters are
// numbers applied to it. It knows neither NCCL nor any machine; flow level and packet level run the same
// program.
//
// An operation of a worker, in the worker's order:
//   1. waits for the next slice on its receive edge and for a credit on its send edge, whichever it has;
//   2. keeps the worker busy for the cost of its kind: overhead + bytes * seconds_per_byte;
//   3. if its send edge has a route, starts a transfer of `bytes`: attached, the worker stays busy until its
//   end (a thread
//      block writing to a peer); detached, the worker goes on (a message handed to a NIC);
//   4. at the end of cost and transfer gives the credit back on the receive edge and posts the slice on the
//   send edge,
//      where it is visible after the edge's latency.
// A transfer first takes its route's latency, during which it holds no bandwidth, then bytes / rate.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
using WorkerId = Id<struct WorkerTag>;
using EdgeId = Id<struct EdgeTag>;

/// One direction of a link, or a joint limit over several (a NIC whose two directions share something).
struct ProgramLink {
  std::string name;        ///< "jpbo-001-01 nic 2 up"
  std::string link_class;  ///< "nvlink", "nic", "leaf-spine", ...
  ExpressionId capacity;   ///< bytes/s
  bool joint = false;      ///< capacity shared by several directions: no wire of its own at packet level
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

struct ProgramWorker {
  std::uint32_t rank;
  std::uint32_t channel;
  std::uint32_t role;  ///< row of Program::roles
};

/// Made by ProgramBuilder. Rows are referred to by index; CSR arrays have one more entry than rows.
struct Program {
  std::vector<Expression> expressions;
  std::vector<ProgramLink> links;
  std::vector<std::uint32_t> route_first;  ///< [routes + 1], CSR into route_links
  std::vector<LinkId> route_links;         ///< in path order, joint limits behind the link they belong to
  std::vector<ExpressionId> route_latency;
  std::vector<CostKind> kinds;
  std::vector<std::string> roles;
  std::vector<ProgramWorker> workers;
  std::vector<ProgramEdge> edges;

  std::vector<std::uint32_t> worker_first;  ///< [workers + 1], CSR into the operation arrays
  std::vector<KindId> op_kind;              ///< [operations]
  std::vector<EdgeId> op_receive;           ///< invalid: waits for no data
  std::vector<EdgeId> op_send;              ///< invalid: posts nothing
  std::vector<std::uint64_t> op_bytes;

  std::size_t operations() const { return op_kind.size(); }
  /// Value of each expression, [expressions].
  std::vector<double> numbers(ParameterView parameters) const;
  /// Identity of what is executed: the same for all parameter values. 64 hex digits.
  std::string hash() const;
  /// "rank 3 channel 1 proxy", for messages.
  std::string describe(WorkerId worker) const;
};

class ProgramBuilder {
 public:
  /// Equal expressions get one id.
  ExpressionId expression(const Expression& expression);
  LinkId link(std::string name, std::string link_class, const Expression& capacity, bool joint = false);
  RouteId route(std::vector<LinkId> links, const Expression& latency);
  /// A kind of the same name must have the same numbers; it is made once.
  KindId kind(const std::string& name, const Expression& overhead, const Expression& seconds_per_byte,
              const Expression& rate_cap);
  WorkerId worker(std::uint32_t rank, std::uint32_t channel, std::string_view role);
  EdgeId edge(WorkerId from, WorkerId to, std::uint32_t window, const Expression& latency);
  EdgeId edge(WorkerId from, WorkerId to, std::uint32_t window, const Expression& latency, RouteId route,
              TransferMode mode);
  /// Appends to the worker's list. A receive edge ends at the worker, a send edge starts there.
  void operation(WorkerId worker, KindId kind, EdgeId receive, EdgeId send, std::uint64_t bytes);
  /// Checks that what is sent on each edge is what is received from it, slice by slice. Leaves the builder
  /// empty.
  Program build();

 private:
  void check_edges() const;
  struct Operation {
    KindId kind;
    EdgeId receive, send;
    std::uint64_t bytes;
  };
  Program program_;
  std::vector<std::vector<Operation>> operations_;  // [worker]
};

}  // namespace caliper
