#include "captures/captured_parts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr const char* kMoreLog =
    "a log of all ranks with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET,P2P,SHM";

class Parts {
 public:
  explicit Parts(const CapturedCommunicator& from) : from_(from) {}

  Result<CapturedParts> make() {
    place_ranks();
    if (problems_.empty()) take_rings();
    if (!problems_.empty()) return std::move(problems_);
    take_ranges();
    return std::move(made_);
  }

 private:
  void missing(std::string what) { problems_.push_back({from_.name, std::move(what), kMoreLog}); }

  void place_ranks() {
    if (from_.ranks == 0) return missing("the number of ranks is not known");
    std::map<std::string, std::uint32_t> node_of;
    std::uint32_t next = 0;
    for (const CapturedRank& member : from_.members) {
      if (member.rank != next || member.host.empty()) break;
      ++next;
      if (node_of.emplace(member.host, static_cast<std::uint32_t>(made_.hosts.size())).second)
        made_.hosts.push_back(member.host);
      made_.gpu_of_rank.push_back({node_of[member.host], 0});
    }
    if (next < from_.ranks) return missing(fmt::format("host of rank {} is not known", next));
    if (!number_gpus([](const CapturedRank& member) { return member.nvml_device; }) &&
        !number_gpus([](const CapturedRank& member) { return member.cuda_device; }) && !number_by_bus())
      missing("the GPUs of the ranks are not known");
  }

  /// False where a rank says none, or two ranks of a host say the same.
  template <class DeviceOf>
  bool number_gpus(DeviceOf device_of) {
    std::set<GpuAddress> taken;
    for (const CapturedRank& member : from_.members) {
      const std::optional<std::uint32_t> device = device_of(member);
      if (!device) return false;
      GpuAddress& gpu = made_.gpu_of_rank[member.rank];
      gpu.gpu = *device;
      if (!taken.insert(gpu).second) return false;
    }
    return true;
  }

  bool number_by_bus() {
    std::map<std::string, std::set<std::pair<std::size_t, std::string>>> on_host;
    const auto key = [](const CapturedRank& member) {
      return std::pair(member.bus_id.size(), member.bus_id);
    };
    for (const CapturedRank& member : from_.members)
      if (member.bus_id.empty() || !on_host[member.host].insert(key(member)).second) return false;
    for (const CapturedRank& member : from_.members) {
      const auto& buses = on_host[member.host];
      made_.gpu_of_rank[member.rank].gpu =
          static_cast<std::uint32_t>(std::distance(buses.begin(), buses.find(key(member))));
    }
    return true;
  }

  void take_rings() {
    for (const CapturedConnection& one : from_.connections)
      if (one.index == 0) opened_[{one.channel, one.from, one.to}] = &one;
    if (from_.rings.empty()) return missing("no ring is known");
    for (const CapturedRing& ring : from_.rings) {
      if (ring.order.empty())
        return missing(fmt::format("the ring of channel {:02} is not known", ring.channel));
      if (ring.channel != made_.rings.size())
        return missing(fmt::format("the ring of channel {:02} is not known", made_.rings.size()));
      made_.rings.push_back({ring.order, {}});
      for (std::size_t i = 0; i < ring.order.size() && problems_.empty(); ++i)
        take_edge(ring.channel, ring.order[i], ring.order[(i + 1) % ring.order.size()]);
      if (!problems_.empty()) return;
    }
  }

  void take_edge(std::uint32_t channel, std::uint32_t from, std::uint32_t to) {
    const GpuAddress sender = made_.gpu_of_rank[from];
    const GpuAddress receiver = made_.gpu_of_rank[to];
    const auto found = opened_.find({channel, from, to});
    const CapturedConnection* opened = found == opened_.end() ? nullptr : found->second;
    const bool over_net = opened && opened->kind == TransportKind::net;
    const std::string edge = fmt::format("rank {} to rank {} on channel {:02}", from, to, channel);
    if (sender.node == receiver.node) {
      if (over_net) missing(fmt::format("{} runs over the network inside a host", edge));
      return;
    }
    if (opened && !over_net)
      return missing(fmt::format("{} leaves the host, but not over the network", edge));
    if (!opened || !opened->send || !opened->receive)
      return missing(fmt::format("{}: the NIC of one or both ends is not known", edge));
    const std::uint32_t proxy = opened->send->proxy_rank.value_or(from);
    if (made_.gpu_of_rank[proxy].node != sender.node)
      return missing(fmt::format("{} is sent by rank {} of another host", edge, proxy));
    made_.rings.back().crossings.push_back({from,
                                            to,
                                            made_.gpu_of_rank[proxy],
                                            {sender.node, opened->send->device},
                                            {receiver.node, opened->receive->device}});
  }

  void take_ranges() {
    std::vector<CapturedRange> all;
    for (const CapturedCall& call : from_.calls)
      if (!call.algorithm.empty() && call.buffer_bytes > 0)
        all.push_back({call.collective, call.buffer_bytes, call.buffer_bytes, call.algorithm, call.protocol,
                       call.first_channel, call.last_channel});
    const auto key = [](const CapturedRange& range) { return std::tie(range.collective, range.first); };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (CapturedRange& range : all) {
      if (!made_.ranges.empty()) {
        CapturedRange grown = made_.ranges.back();
        grown.first = range.first;
        grown.last = range.last;
        if (grown == range) {
          made_.ranges.back().last = range.last;
          continue;
        }
      }
      made_.ranges.push_back(std::move(range));
    }
  }

  const CapturedCommunicator& from_;
  CapturedParts made_;
  Problems problems_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, const CapturedConnection*> opened_;
};

}  // namespace

Result<CapturedParts> captured_parts(const ExecutionRecord& record, std::string_view communicator) {
  std::vector<std::string> names;
  for (const CapturedCommunicator& one : record.communicators) {
    if (one.name == communicator) return Parts(one).make();
    names.push_back(one.name);
  }
  return Error{std::string(communicator), "no such communicator in the record",
               suggestion(communicator, names)};
}

}  // namespace caliper
