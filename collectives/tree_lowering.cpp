#include "collectives/tree_lowering.hpp"

#include <limits>
#include <map>
#include <vector>

#include "collectives/program_costs.hpp"
#include "engine/program_builder.hpp"
#include "topology/fabric.hpp"

namespace caliper {
namespace {

constexpr Port kProxyIn = 0, kProxyOut = 1;

/// The edge by which a worker sends, and what stands behind it.
struct Way {
  EdgeId first;      // from the worker
  EdgeId last;       // into the receiver
  WorkerId proxy;    // between them; invalid inside a node
  bool over_nvlink;  // the first
};

/// A primitive of a worker: ports 0, 1, ... are the edges it receives by, then those it sends by.
struct Shape {
  Primitive primitive;
  bool half;  // of a block
  std::uint32_t receives;
  std::vector<bool> sends_over_nvlink;
  auto operator<=>(const Shape&) const = default;
};

class TreeLowering {
 public:
  TreeLowering(const Plan& plan, const Machine& machine, const ParameterTable& table)
      : plan_(plan),
        execution_(*plan.execution),
        fabric_(machine, table, builder_),
        whole_(table, builder_, execution_.protocol),
        half_(table, builder_, execution_.protocol, false),
        wait_(builder_.waiting()),
        further_(builder_.kind("further peer", 0.0, 0.0, kInfinite)),
        further_over_nvlink_(builder_.kind("further peer over nvlink", 0.0, 0.0,
                                           Expression::parameter(table.index_of("gpu.channel_rate")) *
                                               Expression::parameter(table.index_of("gpu.tree_share")))) {}

  Program run() {
    if (plan_.count > 0 && execution_.ranks() == 1)
      builder_.worker(0, 0, "block", builder_.list({{{launch()}, 1}}), 0);
    for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel) add_channel(channel);
    return builder_.build();
  }

 private:
  /// Workers of a rank; both the same at the root.
  struct Blocks {
    WorkerId reduce, broadcast;
  };
  struct Edges {
    std::vector<EdgeId> in;
    std::vector<Way> out;
  };

  Operation launch() const {
    return {static_cast<std::uint16_t>(whole_.launch.v), kNoPort, kNoPort, kNoSize};
  }

  /// Bytes of the slices, one a run, and how often.
  void cut_channel(std::uint32_t channel) {
    std::vector<std::uint64_t> sizes;
    times_.clear();
    for (const LoopRun& run : plan_.table.channels[channel]) {
      sizes.push_back(wire_bytes(execution_.protocol, run.chunk_bytes(0)));
      CALIPER_CHECK(run.loops <= std::numeric_limits<std::uint32_t>::max());
      times_.push_back(static_cast<std::uint32_t>(run.loops));
    }
    first_size_ = builder_.sizes(sizes);
  }

  void add_channel(std::uint32_t channel) {
    cut_channel(channel);
    const ChannelTree& tree = execution_.trees[channel];
    std::vector<Blocks> blocks;
    for (std::uint32_t rank = 0; rank < execution_.ranks(); ++rank)
      blocks.push_back(add_blocks(tree, channel, rank));
    std::vector<Way> up(execution_.ranks()), down(execution_.ranks());  // [child]
    auto crossing = tree.crossings.begin();
    for (std::uint32_t rank = 0; rank < execution_.ranks(); ++rank) {
      const std::uint32_t parent = tree.up[rank];
      if (parent == kNoRank) continue;
      const bool crosses = execution_.gpu_of_rank[rank].node != execution_.gpu_of_rank[parent].node;
      up[rank] = way(channel, rank, parent, blocks[rank].reduce, blocks[parent].reduce,
                     crosses ? &crossing->up : nullptr);
      down[rank] = way(channel, parent, rank, blocks[parent].broadcast, blocks[rank].broadcast,
                       crosses ? &crossing->down : nullptr);
      if (crosses) ++crossing;
    }
    CALIPER_CHECK(crossing == tree.crossings.end());
    for (std::uint32_t rank = 0; rank < execution_.ranks(); ++rank)
      connect(tree, rank, blocks[rank], up, down);
    for (std::uint32_t rank = 0; rank < execution_.ranks(); ++rank)
      for (const Way* w : {&up[rank], &down[rank]})
        if (w->proxy.valid()) {
          builder_.connect(w->proxy, kProxyIn, w->first);
          builder_.connect(w->proxy, kProxyOut, w->last);
        }
  }

  bool crosses(std::uint32_t a, std::uint32_t b) const {
    return execution_.gpu_of_rank[a].node != execution_.gpu_of_rank[b].node;
  }

  /// Whether what a rank sends to another leaves it over NVLink. Trees by rule have no PXN, captured ones
  /// may.
  bool over_nvlink(const ChannelTree& tree, std::uint32_t from, std::uint32_t to) const {
    if (!crosses(from, to)) return true;
    const std::uint32_t child = tree.up[from] == to ? from : to;
    const auto at = std::ranges::lower_bound(tree.crossings, child, {},
                                             [](const TreeCrossing& c) { return c.up.from_rank; });
    return !hands_over_in_place(child == from ? at->up : at->down);
  }

  bool hands_over_in_place(const NodeCrossing& crossing) const {
    return execution_.protocol == Protocol::ll ||
           execution_.gpu_of_rank[crossing.from_rank] == crossing.proxy_gpu;
  }

  Blocks add_blocks(const ChannelTree& tree, std::uint32_t channel, std::uint32_t rank) {
    using enum Primitive;
    const std::uint32_t children = tree.children(rank);
    std::vector<bool> to_children;
    for (std::uint32_t i = 0; i < children; ++i)
      to_children.push_back(over_nvlink(tree, rank, tree.down[rank][i]));
    const auto worker = [&](std::string_view role, const Shape& shape) {
      return builder_.worker(rank, channel, role, list_of(shape), first_size_);
    };
    if (tree.up[rank] == kNoRank) {
      const WorkerId root =
          worker("block", {receive_reduce_copy_send, false, children, std::move(to_children)});
      return {root, root};
    }
    const std::vector<bool> to_parent{over_nvlink(tree, rank, tree.up[rank])};
    return {
        worker("reduce", {children > 0 ? receive_reduce_send : send, true, children, to_parent}),
        worker("broadcast", {children > 0 ? receive_copy_send : receive, true, 1, std::move(to_children)})};
  }

  Way way(std::uint32_t channel, std::uint32_t from, std::uint32_t to, WorkerId sender, WorkerId receiver,
          const NodeCrossing* crossing) {
    const GpuAddress here = execution_.gpu_of_rank[from], there = execution_.gpu_of_rank[to];
    if (!crossing) {
      const EdgeId edge = builder_.edge(sender, receiver, plan_.window, whole_.nvlink_latency,
                                        fabric_.nvlink(here, there), TransferMode::attached);
      return {edge, edge, {}, true};
    }
    const bool in_place = hands_over_in_place(*crossing);
    const WorkerId proxy = builder_.worker(from, channel, "proxy", proxy_list(), first_size_);
    const EdgeId first = builder_.edge(
        sender, proxy, plan_.window, in_place ? whole_.none : whole_.nvlink_latency,
        in_place ? RouteId{} : fabric_.nvlink(here, crossing->proxy_gpu), TransferMode::attached);
    const EdgeId last =
        builder_.edge(proxy, receiver, plan_.window, whole_.message_latency,
                      fabric_.network(crossing->proxy_gpu, crossing->out, crossing->in, there),
                      TransferMode::detached_ordered);
    return {first, last, proxy, !in_place};
  }

  void connect(const ChannelTree& tree, std::uint32_t rank, Blocks blocks, const std::vector<Way>& up,
               const std::vector<Way>& down) {
    const auto connect_all = [&](WorkerId worker, const std::vector<EdgeId>& in,
                                 const std::vector<EdgeId>& out) {
      Port port = 0;
      for (const EdgeId edge : in) builder_.connect(worker, port++, edge);
      for (const EdgeId edge : out) builder_.connect(worker, port++, edge);
    };
    std::vector<EdgeId> from_children, to_children;
    for (std::uint32_t i = 0; i < tree.children(rank); ++i) {
      from_children.push_back(up[tree.down[rank][i]].last);
      to_children.push_back(down[tree.down[rank][i]].first);
    }
    if (tree.up[rank] == kNoRank) return connect_all(blocks.reduce, from_children, to_children);
    connect_all(blocks.reduce, from_children, {up[rank].first});
    connect_all(blocks.broadcast, {down[rank].last}, to_children);
  }

  /// A slice of a primitive.
  std::vector<Operation> body_of(const Shape& shape, std::uint32_t size) const {
    const ProgramCosts& costs = shape.half ? half_ : whole_;
    const auto kind = [](KindId id) { return static_cast<std::uint16_t>(id.v); };
    const auto sends = static_cast<std::uint32_t>(shape.sends_over_nvlink.size());
    const auto p = static_cast<std::size_t>(shape.primitive);
    std::uint32_t main = 0;  // of the sends: the first over NVLink
    while (main < sends && !shape.sends_over_nvlink[main]) ++main;
    if (main == sends) main = 0;
    const auto in = [](std::uint32_t i) { return static_cast<Port>(i); };
    const auto out = [&](std::uint32_t i) { return static_cast<Port>(shape.receives + i); };
    std::vector<Operation> body;
    for (std::uint32_t i = 1; i < shape.receives; ++i)
      body.push_back({kind(wait_), in(i), kNoPort, kOnlyWaits});
    for (std::uint32_t i = 0; i < sends; ++i)
      if (i != main) body.push_back({kind(wait_), kNoPort, out(i), kOnlyWaits});
    const bool nvlink = sends > 0 && shape.sends_over_nvlink[main];
    body.push_back({kind(nvlink ? costs.over_nvlink[p] : costs.in_place[p]),
                    shape.receives > 0 ? in(0) : kNoPort, sends > 0 ? out(main) : kNoPort, size});
    for (std::uint32_t i = 1; i < shape.receives; ++i) body.push_back({kind(further_), in(i), kNoPort, size});
    for (std::uint32_t i = 0; i < sends; ++i)
      if (i != main)
        body.push_back(
            {kind(shape.sends_over_nvlink[i] ? further_over_nvlink_ : further_), kNoPort, out(i), size});
    return body;
  }

  ListId list_of(const Shape& shape) {
    const auto [known, is_new] = lists_.try_emplace({shape, times_});
    if (!is_new) return known->second;
    OperationList list{{{launch()}, 1}};
    for (std::uint32_t run = 0; run < times_.size(); ++run)
      list.push_back({body_of(shape, run), times_[run]});
    return known->second = builder_.list(list);
  }

  ListId proxy_list() {
    OperationList list;
    for (std::uint32_t run = 0; run < times_.size(); ++run)
      list.push_back({{{static_cast<std::uint16_t>(whole_.proxy.v), kProxyIn, kProxyOut, run}}, times_[run]});
    return builder_.list(list);
  }

  const Plan& plan_;
  const Execution& execution_;
  ProgramBuilder builder_;
  Fabric fabric_;
  ProgramCosts whole_, half_;
  KindId wait_, further_, further_over_nvlink_;
  std::uint32_t first_size_ = 0;      // of the channel at hand
  std::vector<std::uint32_t> times_;  // its runs of loops
  std::map<std::pair<Shape, std::vector<std::uint32_t>>, ListId> lists_;
};

}  // namespace

Program lower_trees(const Plan& plan, const Machine& machine, const ParameterTable& table) {
  return TreeLowering(plan, machine, table).run();
}

TreeWork tree_work(const ChannelTree& tree) {
  const auto ranks = static_cast<std::uint32_t>(tree.up.size());
  const std::uint64_t crossings = 2 * tree.crossings.size();
  TreeWork work{2 * std::uint64_t{ranks} - 1, crossings, crossings,
                2 * (std::uint64_t{ranks} - 1) + crossings};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t further = std::max(tree.children(rank), 1u) - 1;
    // A wait and a take or post for each further child: of the root in one step both ways.
    work.operations += (tree.up[rank] == kNoRank ? 1 : 2) + 4 * further;
  }
  return work;
}

}  // namespace caliper
