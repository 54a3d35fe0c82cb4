#include "captures/record_gaps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "captures/communicator_record.hpp"
#include "collectives/execution.hpp"

namespace caliper {
namespace {

using Ranks = std::set<std::uint32_t>;
constexpr const char* kNothing = "nothing";

class Gaps {
 public:
  Gaps(CapturedCommunicator& communicator, const ExecutionRecord& record)
      : communicator_(communicator), record_(record) {
    for (const CapturedRank& member : communicator.members) host_of_[member.rank] = member.host;
  }

  void find() {
    ranks();
    devices();
    rings();
    trees();
    transports();
    calls();
    rates();
    nodes();
    partition();
  }

 private:
  void gap(std::string what, std::string filled_by) {
    communicator_.gaps.push_back({std::move(what), std::move(filled_by)});
  }

  void ranks() {
    Ranks hostless;
    std::vector<std::string> missing;
    std::uint32_t next = 0;  // a line may claim a million ranks: ranges, not numbers
    const auto skip_to = [&](std::uint32_t rank) {
      if (rank == next + 1) missing.push_back(fmt::format("{}", next));
      if (rank > next + 1) missing.push_back(fmt::format("{}-{}", next, rank - 1));
      next = rank + 1;
    };
    for (const auto& [rank, host] : host_of_) {
      skip_to(rank);
      if (host.empty()) hostless.insert(rank);
    }
    if (communicator_.ranks > 0) skip_to(communicator_.ranks);
    if (missing.size() > 8) {
      missing.resize(9);
      missing.back() = "...";
    }
    if (!missing.empty()) gap(fmt::format("lines of rank {}", fmt::join(missing, ", ")), kNothing);
    if (!hostless.empty()) gap(fmt::format("host of rank {}", ranges_of(hostless)), kNothing);
  }

  void devices() {
    Ranks none;
    for (const CapturedRank& member : communicator_.members)
      if (!member.cuda_device && !member.nvml_device && member.bus_id.empty()) none.insert(member.rank);
    if (!none.empty()) gap(fmt::format("GPU of rank {}", ranges_of(none)), kNothing);
  }

  void rings() {
    std::map<RingRule, Ranks> channels;
    for (const CapturedRing& ring : communicator_.rings) channels[ring.rule].insert(ring.channel);
    if (communicator_.rings.empty()) gap("rings", kNothing);
    for (const auto& [rule, of_rule] : channels) {
      const std::string what = fmt::format("order of the ring of channel {}", ranges_of(of_rule));
      if (rule == RingRule::connections)
        gap(what, "the only order that the opened connections allow, if none of their lines is lost");
      else if (rule == RingRule::sequence)
        gap(what, "the connection that each rank opens first on the channel; it closes over all ranks");
      else if (rule == RingRule::none)
        gap(what, kNothing);
    }
  }

  void trees() {
    if (communicator_.ranks < 2) return;
    std::map<std::uint32_t, Ranks> said;
    for (const CapturedTree& tree : communicator_.trees) said[tree.channel].insert(tree.rank);
    Ranks none, some;
    for (std::uint32_t channel = 0; channel < communicator_.channels; ++channel) {
      const std::size_t ranks = said.contains(channel) ? said[channel].size() : 0;
      if (ranks == 0)
        none.insert(channel);
      else if (ranks < communicator_.ranks)
        some.insert(channel);
    }
    if (!none.empty()) gap(fmt::format("trees of channel {}", ranges_of(none)), kNothing);
    if (!some.empty())
      gap(fmt::format("places of some ranks in the trees of channel {}", ranges_of(some)), kNothing);
  }

  void transports() {
    Ranks closed, no_sender, no_receiver;
    std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, const CapturedConnection*>
        opened;
    for (const CapturedConnection& one : communicator_.connections)
      if (one.index == 0) opened[{one.channel, {one.from, one.to}}] = &one;
    for (const CapturedRing& ring : communicator_.rings) {
      const std::size_t n = ring.order.size();
      for (std::size_t i = 0; n > 1 && i < n; ++i) {
        const auto found = opened.find({ring.channel, {ring.order[i], ring.order[(i + 1) % n]}});
        if (found == opened.end()) {
          closed.insert(ring.channel);
        } else if (found->second->kind == TransportKind::net) {
          if (!found->second->send) no_sender.insert(ring.channel);
          if (!found->second->receive) no_receiver.insert(ring.channel);
        }
      }
    }
    if (!closed.empty())
      gap(fmt::format("transport of some connections of the ring of channel {}", ranges_of(closed)),
          kNothing);
    if (!no_sender.empty())
      gap(fmt::format("NIC by which some ranks send on channel {}", ranges_of(no_sender)), kNothing);
    if (!no_receiver.empty())
      gap(fmt::format("NIC by which some ranks receive on channel {}", ranges_of(no_receiver)), kNothing);
  }

  void calls() {
    const bool planned = std::any_of(communicator_.calls.begin(), communicator_.calls.end(),
                                     [](const CapturedCall& call) { return !call.algorithm.empty(); });
    if (!planned) {
      gap("algorithm and protocol of the calls (NCCL_DEBUG_SUBSYS=TUNING from 2.20 on)", kNothing);
      return;
    }
    if (std::any_of(communicator_.calls.begin(), communicator_.calls.end(),
                    [](const CapturedCall& call) { return call.collective.empty(); }))
      gap("collective of some calls", kNothing);
  }

  void rates() {
    std::set<std::pair<std::string, std::uint32_t>> unknown;
    for (const CapturedConnection& one : communicator_.connections) {
      if (one.kind != TransportKind::net) continue;
      if (one.send) note_rate(one.from, one.detail, one.send->device, unknown);
      if (one.receive) note_rate(one.to, one.detail, one.receive->device, unknown);
    }
    if (!unknown.empty()) gap(fmt::format("rate of {} NICs in use", unknown.size()), kNothing);
  }

  void note_rate(std::uint32_t rank, const std::string& net, std::uint32_t device,
                 std::set<std::pair<std::string, std::uint32_t>>& unknown) const {
    const auto host = host_of_.find(rank);
    const std::string name = host == host_of_.end() ? std::string() : host->second;
    for (const CapturedNic& nic : record_.nics)
      if (nic.host == name && nic.net == net && nic.device == device && nic.mbits) return;
    unknown.emplace(name, device);
  }

  void nodes() {
    if (communicator_.nodes > 0) return;
    Ranks known;
    std::set<std::string> hosts;
    for (const auto& [rank, host] : host_of_)
      if (!host.empty()) {
        hosts.insert(host);
        known.insert(rank);
      }
    if (communicator_.ranks == 0 || known.size() < communicator_.ranks) {
      gap("number of nodes", kNothing);
      return;
    }
    communicator_.nodes = static_cast<std::uint32_t>(hosts.size());
    gap("number of nodes", "the hosts that print lines");
  }

  void partition() {
    const auto family = family_of_version(communicator_.version);
    gap("chunks and slices of a buffer",
        family ? fmt::format("the rules of partition family {}, by the version", name_of(*family))
               : std::string(kNothing));
  }

  CapturedCommunicator& communicator_;
  const ExecutionRecord& record_;
  std::map<std::uint32_t, std::string> host_of_;
};

}  // namespace

void add_gaps(CapturedCommunicator& communicator, const ExecutionRecord& record) {
  Gaps(communicator, record).find();
}

}  // namespace caliper
