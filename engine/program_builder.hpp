// How programs are made.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/program.hpp"

namespace caliper {

/// A list as it is written: bodies with how often each is done.
struct ListRepeat {
  std::vector<Operation> body;
  std::uint32_t times;
  auto operator<=>(const ListRepeat&) const = default;
};
using OperationList = std::vector<ListRepeat>;

/// Equal expressions, kinds, lists and size tables are kept once.
class ProgramBuilder {
 public:
  /// Room for so many, where they are known beforehand, and for as many links and routes as edges mostly
  /// have.
  void reserve(std::size_t workers, std::size_t edges);

  ExpressionId expression(const Expression& expression);
  LinkId link(std::string name, std::string_view link_class, ExpressionId capacity, bool joint = false);
  LinkId link(std::string name, std::string_view link_class, const Expression& capacity, bool joint = false) {
    return link(std::move(name), link_class, expression(capacity), joint);
  }
  RouteId route(const std::vector<LinkId>& links, ExpressionId latency);
  RouteId route(const std::vector<LinkId>& links, const Expression& latency) {
    return route(links, expression(latency));
  }
  /// A kind of the same name must have the same numbers.
  KindId kind(const std::string& name, const Expression& overhead, const Expression& seconds_per_byte,
              const Expression& rate_cap);
  /// A table of bytes; returns its first row, to be a worker's first size or an offset of an operation.
  std::uint32_t sizes(const std::vector<std::uint64_t>& bytes);
  /// Empty repeats are left out.
  ListId list(const OperationList& list);

  /// A worker that runs a list. Its ports are numbered as the list says.
  WorkerId worker(std::uint32_t rank, std::uint32_t channel, std::string_view role, ListId list,
                  std::uint32_t first_size);
  /// A worker whose operations are appended one by one.
  WorkerId worker(std::uint32_t rank, std::uint32_t channel, std::string_view role);

  EdgeId edge(WorkerId from, WorkerId to, std::uint32_t window, ExpressionId latency, RouteId route,
              TransferMode mode);
  EdgeId edge(WorkerId from, WorkerId to, std::uint32_t window, const Expression& latency, RouteId route,
              TransferMode mode) {
    return edge(from, to, window, expression(latency), route, mode);
  }
  EdgeId edge(WorkerId from, WorkerId to, std::uint32_t window, const Expression& latency) {
    return edge(from, to, window, expression(latency), RouteId{}, TransferMode::attached);
  }
  /// The edge that operations of a listed worker mean by `port`. Ports of a worker are given in order, from
  /// 0, and before those of the next one.
  void connect(WorkerId worker, Port port, EdgeId edge);
  /// Appends to an unlisted worker. A receive edge ends at the worker, a send edge starts there.
  void operation(WorkerId worker, KindId kind, EdgeId receive, EdgeId send, std::uint64_t bytes);
  /// Appends a wait for the next slice of an edge that ends at an unlisted worker, or for a credit of one
  /// that starts there.
  void wait(WorkerId worker, EdgeId edge);
  /// The kind of operations that only wait.
  KindId waiting() { return kind("wait for all", 0.0, 0.0, kInfinite); }

  /// Checks that as many slices are sent on each edge as are received from it; that they have the sizes that
  /// are expected is proved at the end of each run. Leaves the builder empty.
  Program build();

 private:
  struct Own {  // of an unlisted worker
    std::vector<Operation> operations;
    std::vector<std::uint64_t> sizes;
    std::vector<EdgeId> ports;
  };
  static Port port_of(Own& own, EdgeId edge);
  void close_unlisted_workers();
  void check_edges() const;

  Program program_;
  std::map<OperationList, ListId> lists_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> size_tables_;
  std::map<std::uint32_t, Own> own_;  // by worker
};

}  // namespace caliper
