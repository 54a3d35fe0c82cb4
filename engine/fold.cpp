#include "engine/fold.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "base/check.hpp"
#include "engine/flow_run.hpp"
#include "engine/flow_setup.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}
constexpr std::uint64_t chained(std::uint64_t hash, std::uint64_t value) {
  return mixed(hash ^ value) + hash;
}

/// Workers, edges and links as nodes of one graph: [0, workers), then edges, then links that can fill.
class Refinement {
 public:
  Refinement(const Program& program, const std::vector<char>& can_fill);
  /// Colours of all nodes, dense from 0; equal ones have passed same_surroundings().
  std::vector<std::uint32_t> run();

  std::uint32_t edge_node(std::uint32_t edge) const { return workers_ + edge; }
  std::uint32_t link_node(std::uint32_t link) const { return workers_ + edges_ + link; }
  std::uint32_t nodes() const { return link_node(static_cast<std::uint32_t>(p_.links.size())); }
  /// Edges that cross a link, of those that can fill.
  std::span<const std::uint32_t> crossing(std::uint32_t link) const {
    return std::span(crossing_).subspan(crossing_first_[link],
                                        crossing_first_[link + 1] - crossing_first_[link]);
  }
  template <class Fn>
  void for_links(std::uint32_t edge, Fn fn) const {
    const RouteId route = p_.edges[edge].route;
    if (!route.valid()) return;
    for (const LinkId link : p_.links_of(route))
      if (can_fill_[link.v]) fn(link.v);
  }

 private:
  using Attributes = std::array<std::uint32_t, 6>;
  Attributes attributes(std::uint32_t node) const;
  std::uint64_t surroundings(std::uint32_t node) const;
  bool same_surroundings(std::uint32_t a, std::uint32_t b) const;
  template <class Fn>
  void for_neighbours(std::uint32_t node, Fn fn) const;
  void first_colours();
  void refine();
  bool round(const std::vector<std::uint32_t>& dirty);
  bool proved() const;

  const Program& p_;
  const std::vector<char>& can_fill_;
  const std::uint32_t workers_, edges_;
  std::vector<std::uint32_t> crossing_first_, crossing_;  // CSR by link
  std::vector<Port> from_port_, to_port_;                 // [edges]
  std::vector<std::uint32_t> colour_, members_;           // [nodes], [colours]
  std::vector<std::uint32_t> changed_;                    // nodes, in the last round
};

Refinement::Refinement(const Program& program, const std::vector<char>& can_fill)
    : p_(program),
      can_fill_(can_fill),
      workers_(static_cast<std::uint32_t>(program.workers.size())),
      edges_(static_cast<std::uint32_t>(program.edges.size())),
      crossing_first_(program.links.size() + 1, 0),
      from_port_(edges_, kNoPort),
      to_port_(edges_, kNoPort) {
  for (std::uint32_t e = 0; e < edges_; ++e)
    for_links(e, [&](std::uint32_t link) { ++crossing_first_[link + 1]; });
  for (std::size_t link = 0; link < p_.links.size(); ++link)
    crossing_first_[link + 1] += crossing_first_[link];
  crossing_.resize(crossing_first_.back());
  std::vector<std::uint32_t> next(crossing_first_.begin(), crossing_first_.end() - 1);
  for (std::uint32_t e = 0; e < edges_; ++e)
    for_links(e, [&](std::uint32_t link) { crossing_[next[link]++] = e; });
  for (std::uint32_t w = 0; w < workers_; ++w) {
    const auto ports = p_.ports_of(p_.workers[w]);
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const std::uint32_t e = ports[port].v;
      if (p_.edges[e].from.v == w) from_port_[e] = static_cast<Port>(port);
      if (p_.edges[e].to.v == w) to_port_[e] = static_cast<Port>(port);
    }
  }
}

/// What a node is by itself.
Refinement::Attributes Refinement::attributes(std::uint32_t node) const {
  if (node < workers_) {
    const ProgramWorker& worker = p_.workers[node];
    return {1, worker.list.v, worker.first_size, worker.role, 0, 0};
  }
  if (node < link_node(0)) {
    const ProgramEdge& edge = p_.edges[node - workers_];
    const std::uint32_t latency = edge.route.valid() ? p_.route_latency[edge.route.v].v : kNone;
    const std::uint32_t ports = std::uint32_t{from_port_[node - workers_]} << 8 | to_port_[node - workers_];
    return {2, edge.window, edge.latency.v, latency, static_cast<std::uint32_t>(edge.mode), ports};
  }
  return {3, p_.links[node - link_node(0)].capacity.v, 0, 0, 0, 0};
}

/// The colours around a node: in order where there is one, else as a sum.
std::uint64_t Refinement::surroundings(std::uint32_t node) const {
  std::uint64_t hash = 0;
  if (node < workers_) {
    for (const EdgeId edge : p_.ports_of(p_.workers[node])) hash = chained(hash, colour_[edge_node(edge.v)]);
    return hash;
  }
  if (node < link_node(0)) {
    const ProgramEdge& edge = p_.edges[node - workers_];
    hash = chained(chained(hash, colour_[edge.from.v]), colour_[edge.to.v]);
    for_links(node - workers_, [&](std::uint32_t link) { hash = chained(hash, colour_[link_node(link)]); });
    return hash;
  }
  for (const std::uint32_t edge : crossing(node - link_node(0))) hash += mixed(colour_[edge_node(edge)] + 1);
  return hash;
}

bool Refinement::same_surroundings(std::uint32_t a, std::uint32_t b) const {
  if (attributes(a) != attributes(b)) return false;
  const auto same = [&](std::uint32_t x, std::uint32_t y) { return colour_[x] == colour_[y]; };
  if (a < workers_)
    return std::ranges::equal(p_.ports_of(p_.workers[a]), p_.ports_of(p_.workers[b]),
                              [&](EdgeId x, EdgeId y) { return same(edge_node(x.v), edge_node(y.v)); });
  if (a < link_node(0)) {
    const ProgramEdge &x = p_.edges[a - workers_], &y = p_.edges[b - workers_];
    if (!same(x.from.v, y.from.v) || !same(x.to.v, y.to.v) || x.route.valid() != y.route.valid())
      return false;
    if (!x.route.valid()) return true;
    const auto fills = [&](LinkId link) { return can_fill_[link.v] != 0; };
    auto in_x = p_.links_of(x.route) | std::views::filter(fills);
    auto in_y = p_.links_of(y.route) | std::views::filter(fills);
    return std::ranges::equal(in_x, in_y,
                              [&](LinkId p, LinkId q) { return same(link_node(p.v), link_node(q.v)); });
  }
  const auto colours_of = [&](std::uint32_t node) {
    std::vector<std::uint32_t> colours;
    for (const std::uint32_t edge : crossing(node - link_node(0)))
      colours.push_back(colour_[edge_node(edge)]);
    std::ranges::sort(colours);
    return colours;
  };
  return colours_of(a) == colours_of(b);
}

template <class Fn>
void Refinement::for_neighbours(std::uint32_t node, Fn fn) const {
  if (node < workers_) {
    for (const EdgeId edge : p_.ports_of(p_.workers[node])) fn(edge_node(edge.v));
  } else if (node < link_node(0)) {
    fn(p_.edges[node - workers_].from.v);
    fn(p_.edges[node - workers_].to.v);
    for_links(node - workers_, [&](std::uint32_t link) { fn(link_node(link)); });
  } else {
    for (const std::uint32_t edge : crossing(node - link_node(0))) fn(edge_node(edge));
  }
}

void Refinement::first_colours() {
  const auto hash = [](const Attributes& attributes) {
    std::uint64_t h = 0;
    for (const std::uint32_t value : attributes) h = chained(h, value);
    return h;
  };
  std::unordered_map<Attributes, std::uint32_t, decltype(hash)> ids(16, hash);
  colour_.resize(nodes());
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    const auto [id, is_new] = ids.try_emplace(attributes(node), static_cast<std::uint32_t>(ids.size()));
    colour_[node] = id->second;
    if (is_new) members_.push_back(0);
    ++members_[id->second];
  }
}

/// Splits the classes of nodes whose surroundings may have changed. Of a class with untouched members these
/// keep the colour: their surroundings hold no new colour, those of the others do. Otherwise the largest part
/// keeps it.
bool Refinement::round(const std::vector<std::uint32_t>& dirty) {
  struct Group {
    std::uint32_t colour, count, given;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> ids;
  std::vector<Group> groups;
  std::vector<std::uint32_t> group_of(dirty.size());
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> classes;  // dirty, largest group
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    const std::uint32_t colour = colour_[dirty[i]];
    const std::uint64_t key = chained(surroundings(dirty[i]), colour);
    const auto [id, is_new] = ids.try_emplace(key, static_cast<std::uint32_t>(groups.size()));
    if (is_new) groups.push_back({colour, 0, kNone});
    group_of[i] = id->second;
    ++groups[id->second].count;
  }
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    auto& [count, largest] = classes.try_emplace(groups[g].colour, 0u, g).first->second;
    count += groups[g].count;
    if (groups[g].count > groups[largest].count) largest = g;
  }
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const auto [count, largest] = classes.at(groups[g].colour);
    const bool keeps = count == members_[groups[g].colour] && g == largest;
    groups[g].given = keeps ? groups[g].colour : static_cast<std::uint32_t>(members_.size());
    if (!keeps) members_.push_back(0);
  }
  changed_.clear();
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    const Group& group = groups[group_of[i]];
    if (group.given == group.colour) continue;
    --members_[group.colour];
    ++members_[group.given];
    colour_[dirty[i]] = group.given;
    changed_.push_back(dirty[i]);
  }
  return !changed_.empty();
}

void Refinement::refine() {
  std::vector<std::uint32_t> dirty(nodes());
  for (std::uint32_t node = 0; node < nodes(); ++node) dirty[node] = node;
  std::vector<char> marked(nodes(), 0);
  while (round(dirty)) {
    dirty.clear();
    for (const std::uint32_t node : changed_)
      for_neighbours(node, [&](std::uint32_t neighbour) {
        if (!std::exchange(marked[neighbour], 1)) dirty.push_back(neighbour);
      });
    for (const std::uint32_t node : dirty) marked[node] = 0;
  }
}

/// Every member of a class is like its first one.
bool Refinement::proved() const {
  std::vector<std::uint32_t> first(members_.size(), kNone);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    std::uint32_t& representative = first[colour_[node]];
    if (representative == kNone)
      representative = node;
    else if (!same_surroundings(representative, node))
      return false;
  }
  return true;
}

std::vector<std::uint32_t> Refinement::run() {
  first_colours();
  refine();
  if (!proved())  // two hashes were equal by accident: nothing is folded
    for (std::uint32_t node = 0; node < nodes(); ++node) colour_[node] = node;
  return colour_;
}

/// The program of the classes.
class Quotient {
 public:
  Quotient(const Program& program, const Refinement& graph, std::span<const std::uint32_t> colours)
      : p_(program), graph_(graph), colours_(colours) {
    const auto edges = static_cast<std::uint32_t>(p_.edges.size());
    const auto links = static_cast<std::uint32_t>(p_.links.size());
    number(0, static_cast<std::uint32_t>(p_.workers.size()), workers_);
    number(graph_.edge_node(0), edges, edges_);
    number(graph_.link_node(0), links, links_);
  }

  Folding build() {
    Folding folding;
    Program& q = folding.program;
    q.expressions = p_.expressions;
    q.kinds = p_.kinds;
    q.roles = p_.roles;
    q.link_classes = p_.link_classes;
    q.list_first = p_.list_first;
    q.repeats = p_.repeats;
    q.operations = p_.operations;
    q.sizes = p_.sizes;
    q.route_first.push_back(0);
    for (const std::uint32_t link : links_.first) q.links.push_back(p_.links[link]);
    for (const std::uint32_t edge : edges_.first) add_edge(q, edge);
    for (std::size_t w = 0; w < workers_.first.size(); ++w) {
      ProgramWorker worker = p_.workers[workers_.first[w]];
      worker.stands_for = workers_.members[w];
      worker.first_port = static_cast<std::uint32_t>(q.ports.size());
      for (const EdgeId edge : p_.ports_of(p_.workers[workers_.first[w]]))
        q.ports.push_back({edges_.of[edge.v]});
      q.workers.push_back(worker);
    }
    folding.class_of_worker = std::move(workers_.of);
    folding.first_worker = std::move(workers_.first);
    folding.first_edge = std::move(edges_.first);
    return folding;
  }

 private:
  struct Classes {
    std::vector<std::uint32_t> of, first, members;  // class of each row; first member and size of each class
  };

  void number(std::uint32_t first_node, std::uint32_t rows, Classes& classes) const {
    std::unordered_map<std::uint32_t, std::uint32_t> ids;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const auto [id, is_new] =
          ids.try_emplace(colours_[first_node + row], static_cast<std::uint32_t>(ids.size()));
      if (is_new) {
        classes.first.push_back(row);
        classes.members.push_back(0);
      }
      ++classes.members[id->second];
      classes.of.push_back(id->second);
    }
  }

  void add_edge(Program& q, std::uint32_t e) const {
    ProgramEdge edge = p_.edges[e];
    edge.from = {workers_.of[edge.from.v]};
    edge.to = {workers_.of[edge.to.v]};
    if (edge.route.valid()) {
      q.route_latency.push_back(p_.route_latency[edge.route.v]);
      graph_.for_links(e, [&](std::uint32_t link) {
        // Two links of a path may be of one class (the NICs at its ends): the class is crossed once, by all
        // that cross one of its links.
        const LinkId of_class{links_.of[link]};
        if (std::find(q.route_links.begin() + q.route_first.back(), q.route_links.end(), of_class) !=
            q.route_links.end())
          return;
        q.route_links.push_back(of_class);
        q.route_users.push_back(static_cast<std::uint32_t>(std::ranges::count_if(
            graph_.crossing(link), [&](std::uint32_t other) { return edges_.of[other] == edges_.of[e]; })));
      });
      q.route_first.push_back(static_cast<std::uint32_t>(q.route_links.size()));
      edge.route = {static_cast<std::uint32_t>(q.route_latency.size() - 1)};
    }
    q.edges.push_back(edge);
  }

  const Program& p_;
  const Refinement& graph_;
  const std::span<const std::uint32_t> colours_;
  Classes workers_, edges_, links_;
};

}  // namespace

Folding fold(const Program& program, const std::vector<char>& can_fill) {
  CALIPER_CHECK(program.route_users.empty() && can_fill.size() == program.links.size());
  Refinement graph(program, can_fill);
  const std::vector<std::uint32_t> colours = graph.run();
  return Quotient(program, graph, colours).build();
}

struct FoldedProgram::Foldings {
  struct Known {
    std::vector<char> can_fill;
    Folding folding;
  };
  std::mutex mutex;
  std::vector<std::unique_ptr<const Known>> known;
};

FoldedProgram::FoldedProgram(Program program)
    : whole_(std::move(program)), foldings_(std::make_unique<Foldings>()) {}
FoldedProgram::FoldedProgram(FoldedProgram&&) noexcept = default;
FoldedProgram& FoldedProgram::operator=(FoldedProgram&&) noexcept = default;
FoldedProgram::~FoldedProgram() = default;

const Folding& FoldedProgram::folding(std::span<const double> numbers) const {
  std::vector<char> can_fill = links_that_can_fill(whole_, numbers);
  const std::scoped_lock lock(foldings_->mutex);
  for (const auto& known : foldings_->known)
    if (known->can_fill == can_fill) return known->folding;
  Folding made = fold(whole_, can_fill);
  foldings_->known.push_back(
      std::make_unique<const Foldings::Known>(Foldings::Known{std::move(can_fill), std::move(made)}));
  return foldings_->known.back()->folding;
}

RunResult FoldedProgram::run(ParameterView parameters) const {
  const std::vector<double> numbers = whole_.numbers(parameters);
  return run(folding(numbers), numbers);
}

RunResult FoldedProgram::run(const Folding& folded, std::span<const double> numbers, bool steady) {
  RunResult result =
      steady ? run_to_steady_state(folded.program, numbers) : run_flow_level(folded.program, numbers);
  if (!result.stuck) return result;
  for (auto* waits : {&result.stuck->waits, &result.stuck->cycle})
    for (Wait& wait : *waits) {
      wait.worker = {folded.first_worker[wait.worker.v]};
      wait.on = {folded.first_worker[wait.on.v]};
      wait.edge = {folded.first_edge[wait.edge.v]};
    }
  return result;
}

}  // namespace caliper
