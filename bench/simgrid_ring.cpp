// The ring work W(n, S, C) on SimGrid's S4U: the peer of the comparison, written to be fast. There are no
// actors; the completion of a message starts what it frees. Every correction that SimGrid makes for TCP is
// off, so a flow alone takes exactly the latencies of its path and bytes / bandwidth.
//
// Shares nothing with our engine: topology, ring order and dependencies are written a second time.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include "bench/measure_main.hpp"

namespace {

using namespace caliper;
using caliper::bench::Measurement;
using caliper::bench::RingWork;
using caliper::bench::RunRecord;
namespace s4u = simgrid::s4u;

constexpr std::uint32_t kGpus = 4, kPortsPerLeaf = 16;
constexpr double kLatency = 1e-6, kRate = 25e9, kNvlinkRate = 100e9;

/// Who follows whom on the ring of each channel.
class Rings {
 public:
  explicit Rings(const RingWork& work) : ranks_(work.ranks), next_(work.channels), previous_(work.channels) {
    const auto nodes = node_order(work);
    for (std::uint32_t c = 0; c < work.channels; ++c) {
      std::vector<std::uint32_t> order;
      for (const std::uint32_t node : nodes)
        for (std::uint32_t i = 0; i < kGpus; ++i) order.push_back(node * kGpus + (c + i) % kGpus);
      next_[c].resize(ranks_);
      previous_[c].resize(ranks_);
      for (std::uint32_t i = 0; i < ranks_; ++i) {
        const std::uint32_t from = order[i], to = order[(i + 1) % ranks_];
        next_[c][from] = to;
        previous_[c][to] = from;
      }
    }
  }
  std::uint32_t next(std::uint32_t channel, std::uint32_t rank) const { return next_[channel][rank]; }
  std::uint32_t previous(std::uint32_t channel, std::uint32_t rank) const { return previous_[channel][rank]; }

 private:
  /// Fisher-Yates with a 64-bit linear congruential generator.
  static std::vector<std::uint32_t> node_order(const RingWork& work) {
    std::vector<std::uint32_t> order(work.ranks / kGpus);
    std::iota(order.begin(), order.end(), 0u);
    std::uint64_t x = work.shuffle;
    for (std::size_t i = order.size(); work.shuffle && i-- > 1;) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      std::swap(order[i], order[(x >> 33) % (i + 1)]);
    }
    return order;
  }

  std::uint32_t ranks_;
  std::vector<std::vector<std::uint32_t>> next_, previous_;  // [channel][rank]
};

/// A host per GPU; links and routes of the pairs that are neighbours on a ring.
class Platform {
 public:
  Platform(const RingWork& work, const Rings& rings)
      : zone_(s4u::create_full_zone("fabric")), spines_(work.spines) {
    for (std::uint32_t gpu = 0; gpu < work.ranks; ++gpu) {
      hosts_.push_back(zone_->create_host(fmt::format("gpu{}", gpu), 1e9));
      up_.push_back(link(fmt::format("up{}", gpu), kRate));
      down_.push_back(link(fmt::format("down{}", gpu), kRate));
    }
    const std::uint32_t leaves = (work.ranks + kPortsPerLeaf - 1) / kPortsPerLeaf;
    for (std::uint32_t i = 0; leaves > 1 && i < leaves * spines_; ++i) {
      to_spine_.push_back(link(fmt::format("leaf-spine{}", i), kRate));
      to_leaf_.push_back(link(fmt::format("spine-leaf{}", i), kRate));
    }
    const std::uint32_t distinct = std::min(work.channels, kGpus);  // rings repeat after as many
    for (std::uint32_t gpu = 0; gpu < work.ranks; ++gpu) {
      std::vector<std::uint32_t> reached;
      for (std::uint32_t c = 0; c < distinct; ++c) {
        const std::uint32_t to = rings.next(c, gpu);
        if (std::find(reached.begin(), reached.end(), to) != reached.end()) continue;
        reached.push_back(to);
        zone_->add_route(hosts_[gpu]->get_netpoint(), hosts_[to]->get_netpoint(), nullptr, nullptr,
                         path(gpu, to), false);
      }
    }
    zone_->seal();
  }
  s4u::Host* host(std::uint32_t gpu) const { return hosts_[gpu]; }

 private:
  s4u::Link* link(const std::string& name, double rate) {
    return zone_->create_link(name, rate)->set_latency(kLatency)->seal();
  }

  std::vector<s4u::LinkInRoute> path(std::uint32_t from, std::uint32_t to) {
    std::vector<s4u::LinkInRoute> links;
    if (from / kGpus == to / kGpus) {
      links.emplace_back(link(fmt::format("nvlink{}-{}", from, to), kNvlinkRate));
      return links;
    }
    const std::uint32_t leaf = from / kPortsPerLeaf, other = to / kPortsPerLeaf, spine = to % spines_;
    links.emplace_back(up_[from]);
    if (leaf != other) {
      links.emplace_back(to_spine_[leaf * spines_ + spine]);
      links.emplace_back(to_leaf_[other * spines_ + spine]);
    }
    links.emplace_back(down_[to]);
    return links;
  }

  s4u::NetZone* zone_;
  std::uint32_t spines_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::Link*> up_, down_, to_spine_, to_leaf_;
};

/// The dependencies: message q = step * chunks + chunk of a rank starts when the one `chunks` before it has
/// come from the predecessor and fewer than `window` of its own are on the way.
class RingRun {
 public:
  RingRun(const RingWork& work, const Rings& rings, const Platform& platform)
      : work_(work), rings_(rings), platform_(platform), senders_(std::size_t{work.channels} * work.ranks) {
    const std::uint64_t per_channel = (work.bytes + work.channels - 1) / work.channels;
    const std::uint64_t per_step = (per_channel + work.ranks - 1) / work.ranks;
    const std::uint64_t chunks = caliper::bench::chunks_per_step(work);
    for (std::uint64_t j = 0; j < chunks; ++j)
      bytes_.push_back(per_step / chunks + (j < per_step % chunks ? 1 : 0));
    messages_ = 2 * (work.ranks - 1) * chunks;
  }

  void run(s4u::Engine& engine) {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { delivered(activity); });
    for (std::uint32_t c = 0; c < work_.channels; ++c)
      for (std::uint32_t rank = 0; rank < work_.ranks; ++rank) start(c, rank);
    engine.run();
  }
  std::uint64_t delivered() const { return delivered_; }

 private:
  struct Sender {
    std::uint64_t next = 0;  // message to start
    std::uint64_t delivered = 0;
  };
  /// Of a message on the way; SimGrid holds no reference of its own to the Comm.
  struct Flight {
    std::uint32_t channel, rank;
    s4u::CommPtr self;
  };
  Sender& sender(std::uint32_t channel, std::uint32_t rank) {
    return senders_[std::size_t{channel} * work_.ranks + rank];
  }

  void start(std::uint32_t channel, std::uint32_t rank) {
    Sender& own = sender(channel, rank);
    const Sender& before = sender(channel, rings_.previous(channel, rank));
    const std::uint64_t chunks = bytes_.size();
    while (own.next < messages_ && own.next - own.delivered < work_.window &&
           own.next < before.delivered + chunks) {
      auto comm = s4u::Comm::sendto_init(platform_.host(rank), platform_.host(rings_.next(channel, rank)));
      comm->set_payload_size(bytes_[own.next % chunks]);
      comm->set_data(new Flight{channel, rank, comm});
      comm->vetoable_start();
      ++own.next;
    }
  }

  void delivered(const s4u::Activity& activity) {
    std::unique_ptr<Flight> flight(static_cast<const s4u::Comm&>(activity).get_data<Flight>());
    last_ = std::move(flight->self);  // alive until the next completion: SimGrid still uses it
    ++sender(flight->channel, flight->rank).delivered;
    ++delivered_;
    start(flight->channel, flight->rank);
    start(flight->channel, rings_.next(flight->channel, flight->rank));
  }

  const RingWork& work_;
  const Rings& rings_;
  const Platform& platform_;
  std::vector<Sender> senders_;       // [channel * ranks + rank]
  std::vector<std::uint64_t> bytes_;  // [chunk]
  std::uint64_t messages_ = 0;        // of a rank on a ring
  std::uint64_t delivered_ = 0;
  s4u::CommPtr last_;
};

std::string simgrid_version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return patch ? fmt::format("{}.{}.{}", major, minor, patch) : fmt::format("{}.{}", major, minor);
}

Result<RunRecord> measure(s4u::Engine& engine, const Measurement& wanted) {
  for (const std::string& flag :
       {std::string("network/model:CM02"), std::string("network/TCP-gamma:0"),
        std::string("network/crosstraffic:0"), "surf/precision:" + wanted.precision})
    s4u::Engine::set_config(flag);

  RunRecord record;
  const auto start = bench::Clock::now();
  const Rings rings(wanted.work);
  const Platform platform(wanted.work, rings);
  const auto built = bench::Clock::now();
  RingRun ring(wanted.work, rings, platform);
  ring.run(engine);
  const auto done = bench::Clock::now();

  record.simulator = "simgrid";
  record.version = simgrid_version();
  record.settings = "surf/precision " + wanted.precision;
  record.messages = bench::message_count(wanted.work);
  record.completion_us = s4u::Engine::get_clock() * 1e6;
  record.build_cpu_s = built.cpu_s - start.cpu_s;
  record.run_cpu_s = record.first_run_cpu_s = done.cpu_s - built.cpu_s;
  record.run_wall_s = done.wall_s - built.wall_s;
  if (ring.delivered() != record.messages)
    return Error{"simgrid_ring",
                 fmt::format("{} of {} messages were delivered", ring.delivered(), record.messages), ""};
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  // SimGrid reads a command line of its own; it gets one without our options.
  std::vector<std::string> words = {argv[0], "--log=root.thres:error", "--log=xbt_cfg.thres:error"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  s4u::Engine engine(&count, pointers.data());

  return caliper::bench::measure_main(
      argc, argv, "Ring AllReduce W(n, S, C) on SimGrid", {}, true,
      [&engine](const Measurement& wanted) { return measure(engine, wanted); });
}
