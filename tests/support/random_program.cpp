#include "tests/support/random_program.hpp"

#include <vector>

#include "base/random.hpp"
#include "engine/program_builder.hpp"

namespace caliper::testing {
namespace {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return hash64(seed_, 5, next_++) % limit; }
  std::uint32_t between(std::uint32_t first, std::uint32_t last) {
    return first + static_cast<std::uint32_t>(below(last - first + 1));
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

struct Kinds {
  std::vector<KindId> all;
  explicit Kinds(ProgramBuilder& b) {
    all = {b.kind("free", 0.0, 0.0, kInfinite), b.kind("slow", 0.75, 0.0, 2.5),
           b.kind("by the byte", 0.125, 0.0625, 3.0), b.kind("capped", 0.0, 0.0, 1.25)};
  }
};

/// Some are empty, the others grow with `along`, each at its pace.
std::uint64_t slice(Draws& draws, std::uint64_t along) {
  const bool empty = draws.below(5) == 0;
  const std::uint64_t base = draws.between(1, 40), pace = draws.between(0, 6);
  return empty ? 0 : base + pace * along;
}

/// One ring over links [first_link, ...). A second edge beside the ring makes every third slice take another
/// way.
void add_ring(ProgramBuilder& b, const Kinds& kinds, const std::vector<LinkId>& links, std::uint32_t channel,
              std::uint64_t along, Draws draws) {
  const std::uint32_t n = draws.between(2, 10), steps = draws.between(1, 14);
  const bool two_ways = draws.below(3) == 0;
  std::vector<WorkerId> workers;
  for (std::uint32_t i = 0; i < n; ++i) workers.push_back(b.worker(i, channel, "worker"));
  const auto edge = [&](std::uint32_t i) {
    const auto window = draws.between(2, 5);
    const double latency = 0.5 * static_cast<double>(draws.below(3));
    if (draws.below(6) == 0) return b.edge(workers[i], workers[(i + 1) % n], window, latency);
    std::vector<LinkId> path{links[draws.below(links.size() / 2)]};
    if (draws.below(2)) path.push_back(links[links.size() / 2 + draws.below(links.size() / 2)]);
    const RouteId route = b.route(path, Expression(0.25 * static_cast<double>(draws.below(3))));
    return b.edge(workers[i], workers[(i + 1) % n], window, latency, route,
                  static_cast<TransferMode>(draws.below(3)));
  };
  std::vector<EdgeId> ring, beside;
  for (std::uint32_t i = 0; i < n; ++i) {
    ring.push_back(edge(i));
    if (two_ways) beside.push_back(edge(i));
  }
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t s = 0; s < steps; ++s) bytes.push_back(slice(draws, along));
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t s = 0; s <= steps; ++s) {
      const auto way = [&](std::uint32_t from, std::uint32_t slice) {
        return two_ways && slice % 3 == 2 ? beside[from] : ring[from];
      };
      const EdgeId receive = s > 0 ? way((i + n - 1) % n, s - 1) : EdgeId{};
      const EdgeId send = s < steps ? way(i, s) : EdgeId{};
      // What is taken has the size that was sent; what is passed on has its own, so it is taken first.
      const KindId kind = kinds.all[draws.below(kinds.all.size())];
      if (s > 0) b.operation(workers[i], kind, receive, EdgeId{}, bytes[s - 1]);
      if (s < steps)
        b.operation(workers[i], kinds.all[draws.below(kinds.all.size())], EdgeId{}, send, bytes[s]);
    }
}

/// A relay: what it receives it hands on while it still holds it, through two edges in turn, so that slices
/// are released out of order.
void add_relay(ProgramBuilder& b, const Kinds& kinds, const std::vector<LinkId>& links, std::uint32_t channel,
               std::uint64_t along, Draws draws) {
  const WorkerId from = b.worker(0, channel, "source"), relay = b.worker(1, channel, "relay"),
                 left = b.worker(2, channel, "sink"), right = b.worker(3, channel, "sink");
  const auto edge = [&](WorkerId a, WorkerId c) {
    const RouteId route = b.route({links[draws.below(links.size())]}, Expression(0.0));
    return b.edge(a, c, draws.between(1, 4), 0.0, route, static_cast<TransferMode>(draws.below(3)));
  };
  const EdgeId in = edge(from, relay), out_left = edge(relay, left), out_right = edge(relay, right);
  for (std::uint32_t s = 0, slices = draws.between(1, 20); s < slices; ++s) {
    const std::uint64_t bytes = slice(draws, along);
    const bool to_left = draws.below(2);
    const auto kind = [&] { return kinds.all[draws.below(kinds.all.size())]; };
    b.operation(from, kind(), EdgeId{}, in, bytes);
    b.operation(relay, kind(), in, to_left ? out_left : out_right, bytes);
    b.operation(to_left ? left : right, kind(), to_left ? out_left : out_right, EdgeId{}, bytes);
  }
}

}  // namespace

Program random_program(std::uint64_t seed, std::uint32_t alike, std::uint64_t along) {
  ProgramBuilder b;
  Draws draws(seed);
  const Kinds kinds(b);
  std::vector<LinkId> links;
  for (std::uint32_t l = 0; l < 6; ++l)
    links.push_back(b.link("link", "link", static_cast<double>(draws.between(1, 9))));
  std::uint32_t channel = 0;
  for (std::uint32_t ring = 0, rings = draws.between(1, 3); ring < rings; ++ring)
    for (std::uint32_t copy = 0; copy < alike; ++copy)
      add_ring(b, kinds, links, channel++, along, Draws(hash64(seed, 6, ring)));
  if (draws.below(2))
    for (std::uint32_t copy = 0; copy < alike; ++copy)
      add_relay(b, kinds, links, channel++, along, Draws(hash64(seed, 6, 99)));
  return b.build();
}

}  // namespace caliper::testing
