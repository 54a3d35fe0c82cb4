#include "captures/communicator_record.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"
#include "captures/call_table.hpp"
#include "captures/ring_assembly.hpp"
#include "collectives/ring_order.hpp"

namespace caliper {
namespace {

/// x of "2.x.y"; 0: not known.
std::uint64_t minor_of(const std::string& version) {
  const auto parts = split(version, '.');
  return parts.size() < 2 ? 0 : parse_uint(parts[1]).value_or(0);
}

class Recorder {
 public:
  Recorder(const CommunicatorLines& lines, const StatedVersions& versions, const ExecutionRecord& record)
      : lines_(lines), versions_(versions), record_(record) {}

  Result<CapturedCommunicator> make() {
    made_.id = lines_.id;
    made_.ranks = lines_.ranks;
    take_members();
    take_version();
    for (const SourcedFact* fact : lines_.facts) take(*fact);
    for (auto& [key, connection] : connections_) made_.connections.push_back(std::move(connection));
    for (auto& [key, tree] : trees_) made_.trees.push_back(std::move(tree));
    if (problems_.empty()) find_size();
    take_calls();
    if (problems_.empty()) find_members();
    if (problems_.empty()) find_channels();
    if (problems_.empty()) assemble_rings();
    if (!problems_.empty()) return std::move(problems_);
    return std::move(made_);
  }

 private:
  void report(LineRef at, std::string what, std::string hint) {
    problems_.push_back({record_.where(at), std::move(what), std::move(hint)});
  }
  void gap(std::string what, std::string filled_by) {
    made_.gaps.push_back({std::move(what), std::move(filled_by)});
  }

  void take_members() {
    for (const Endpoint& endpoint : lines_.endpoints) {
      made_.members.push_back({endpoint.rank, endpoint.host, endpoint.process, endpoint.cuda_device,
                               endpoint.nvml_device, endpoint.bus_id, endpoint.at});
      made_.nodes = std::max(made_.nodes, endpoint.nodes);
    }
  }

  /// Of its own processes; of the log where it has only one. Up to 2.22 rank 0 alone prints it.
  void take_version() {
    std::set<std::string> own;
    for (const Endpoint& endpoint : lines_.endpoints)
      if (const auto found = versions_.of_process.find({endpoint.host, endpoint.process});
          found != versions_.of_process.end())
        own.insert(found->second.begin(), found->second.end());
    if (own.size() == 1) {
      made_.version = *own.begin();
    } else if (own.size() > 1) {
      gap(fmt::format("NCCL version: ranks say {}", fmt::join(own, " and ")), "nothing");
    } else if (versions_.all.size() == 1) {
      made_.version = *versions_.all.begin();
      if (!lines_.endpoints.empty())
        gap("NCCL version of these processes", "the only version that the log names");
    } else {
      gap("NCCL version", "nothing");
    }
  }

  void take(const SourcedFact& fact) {
    std::visit([&](const auto& line) { take_line(line, fact); }, fact.fact);
  }
  template <class Other>
  void take_line(const Other&, const SourcedFact&) {}

  void take_line(const RingListLine& line, const SourcedFact& fact) {
    seen_channel(line.channel);
    if (line.channels) state_channels(*line.channels, fact.at);
    const std::uint64_t minor = minor_of(made_.version);
    const bool may_be_cut = line.cut || (line.order.size() == 20 && (minor == 0 || minor < 23));
    evidence_[line.channel].lists.push_back({line.order, may_be_cut, fact.at});
  }
  void take_line(const NeighbourLine& line, const SourcedFact& fact) {
    seen_channel(line.channel);
    evidence_[line.channel].neighbours.push_back({line.before, line.rank, line.after, fact.at});
    saw_rank(line.rank, fact);
  }
  void take_line(const ChannelCountLine& line, const SourcedFact& fact) {
    state_channels(line.channels, fact.at);
  }
  void take_line(const ThresholdsLine& line, const SourcedFact&) { thresholds_.insert(line.ring_ll); }

  void take_line(const TreesLine& line, const SourcedFact& fact) {
    saw_rank(line.trees.front().rank, fact);
    for (CapturedTree tree : line.trees) {
      tree.at = fact.at;
      seen_channel(tree.channel);
      const auto [there, is_new] = trees_.emplace(std::pair(tree.channel, tree.rank), tree);
      if (!is_new && (there->second.up != tree.up || there->second.down != tree.down))
        report(fact.at,
               fmt::format("rank {} has two places in the tree of channel {:02}, here and at {}", tree.rank,
                           tree.channel, record_.where(there->second.at)),
               "lines that contradict each other belong to different communicators or runs");
      else if (!is_new)
        there->second.at = std::min(there->second.at, fact.at);
    }
  }

  void take_line(const ConnectionLine& line, const SourcedFact& fact) {
    CapturedConnection said = line.connection;
    if (said.index == 0) seen_channel(said.channel);
    for (auto* end : {&said.send, &said.receive})
      if (*end) (*end)->at = fact.at;
    if (line.end == ConnectionLine::End::whole) said.at = fact.at;
    saw_rank(printing_rank(line), fact);
    const bool sends = line.end != ConnectionLine::End::receive;
    remember_device(printing_rank(line), sends ? line.from_device : line.to_device);
    const auto key = std::tuple(said.channel, said.index, said.from, said.to);
    const auto [there, is_new] = connections_.emplace(key, said);
    if (!is_new) merge(there->second, said, fact.at);
    if (said.index == 0 && opened_.emplace(key, sends).second)
      evidence_[said.channel].opened.push_back({said.from, said.to, sends});
  }

  static bool same_end(const NetEnd& a, const NetEnd& b) {
    return a.device == b.device && a.gdrdma == b.gdrdma && a.proxy_rank == b.proxy_rank;
  }

  /// The two ends of a connection, or the same line once more.
  void merge(CapturedConnection& there, const CapturedConnection& said, LineRef at) {
    bool agrees = there.kind == said.kind && there.detail == said.detail;
    for (const auto end : {&CapturedConnection::send, &CapturedConnection::receive}) {
      if (!(said.*end)) continue;
      if (!(there.*end))
        there.*end = said.*end;
      else if (same_end(*(there.*end), *(said.*end)))
        (there.*end)->at = std::min((there.*end)->at, (said.*end)->at);
      else
        agrees = false;
    }
    if (said.at && there.at) there.at = std::min(*there.at, *said.at);
    if (agrees) return;
    const LineRef other =
        there.at ? *there.at : (there.send && there.send->at != at ? there.send->at : there.receive->at);
    report(at,
           fmt::format("the connection of rank {} to rank {} on channel {:02} runs another way at {}",
                       said.from, said.to, said.channel, record_.where(other)),
           "lines that contradict each other belong to different communicators or runs");
  }

  void take_line(const TuningLine& line, const SourcedFact& fact) { calls_.add(line, fact.at); }
  void take_line(const CallLine& line, const SourcedFact& fact) { calls_.add(line, fact.at); }

  void take_calls() {
    CallTable::Calls taken = calls_.take(made_.ranks);
    made_.calls = std::move(taken.calls);
    if (taken.named) gap("collective of plans", "the only collective that is called with as many bytes");
  }

  void seen_channel(std::uint32_t channel) { seen_channels_ = std::max(seen_channels_, channel + 1); }

  void state_channels(std::uint32_t channels, LineRef at) {
    if (made_.channels == 0) {
      made_.channels = channels;
      channels_at_ = at;
    } else if (made_.channels != channels) {
      report(at,
             fmt::format("{} channels, at {} there are {}", channels, record_.where(channels_at_),
                         made_.channels),
             "lines that contradict each other belong to different communicators or runs");
    }
  }

  void saw_rank(std::uint32_t rank, const SourcedFact& fact) {
    const auto [seen, is_new] = seen_ranks_.emplace(rank, &fact);
    if (!is_new && fact.source && (!seen->second->source || fact.at < seen->second->at)) seen->second = &fact;
  }
  void remember_device(std::uint32_t rank, const std::string& device) {
    if (!device.empty()) devices_[rank] = device;
  }

  /// What stands in for a size that no line states.
  void find_size() {
    if (made_.ranks > 0) return;
    std::set<std::uint32_t> ranks;
    std::set<std::size_t> lengths;
    for (const auto& [channel, evidence] : evidence_)
      for (const RingEvidence::List& list : evidence.lists)
        if (!list.may_be_cut) lengths.insert(list.order.size());
    for (const auto& [rank, fact] : seen_ranks_) ranks.insert(rank);
    for (const auto& [key, connection] : connections_) {
      ranks.insert(connection.from);
      ranks.insert(connection.to);
    }
    std::string rule;
    if (lengths.size() == 1) {
      made_.ranks = static_cast<std::uint32_t>(*lengths.begin());
      rule = "the length of the rings that rank 0 lists";
    } else if (thresholds_.size() == 1 && *thresholds_.begin() % 8 == 0 && *thresholds_.begin() > 0) {
      made_.ranks = *thresholds_.begin() / 8;
      rule = "an eighth of the threshold of Ring/LL, NCCL's default";
    } else if (ranks.size() > 1 && *ranks.rbegin() + 1 == ranks.size() &&
               opened_rings_close(*ranks.rbegin() + 1)) {
      made_.ranks = static_cast<std::uint32_t>(ranks.size());
      rule = "the ranks that lines name: on every channel their connections are one closed ring";
    }
    gap("number of ranks", rule.empty() ? "nothing" : rule);
    if (made_.ranks > kMaxCapturedRanks) made_.ranks = 0;
  }

  /// Whether the connections of each channel are one ring over these ranks and nothing else.
  bool opened_rings_close(std::uint32_t ranks) const {
    for (const auto& [channel, evidence] : evidence_) {
      std::vector<std::uint32_t> next(ranks, ranks);
      for (const RingEvidence::Opened& opened : evidence.opened) {
        if (next[opened.from] != ranks && next[opened.from] != opened.to) return false;
        next[opened.from] = opened.to;
      }
      if (!ring_from_successors(next, "")) return false;
    }
    return !evidence_.empty();
  }

  /// Ranks whose line is lost show in what they print.
  void find_members() {
    std::set<std::uint32_t> stated, found;
    for (CapturedRank& member : made_.members) {
      stated.insert(member.rank);
      if (!member.nvml_device && !member.cuda_device && member.bus_id.empty()) take_device(member);
    }
    for (const auto& [rank, fact] : seen_ranks_) {
      if (stated.contains(rank) || (made_.ranks > 0 && rank >= made_.ranks)) continue;
      CapturedRank member;
      member.rank = rank;
      member.at = fact->at;
      if (fact->source) {
        member.host = fact->source->host;
        member.process = fact->source->process;
      }
      take_device(member);
      made_.members.push_back(std::move(member));
      found.insert(rank);
    }
    std::sort(made_.members.begin(), made_.members.end(),
              [](const CapturedRank& a, const CapturedRank& b) { return a.rank < b.rank; });
    if (!found.empty())
      gap(fmt::format("line that states the process of rank {}", ranges_of(found)),
          "the process that prints its connections");
  }

  /// What stands in the brackets of its connections: by version a CUDA device, a bus id, an NVML device.
  void take_device(CapturedRank& member) const {
    const auto device = devices_.find(member.rank);
    const std::uint64_t minor = minor_of(made_.version);
    if (device == devices_.end() || minor == 0) return;
    if (minor >= 18)
      member.nvml_device = number_of(device->second);
    else if (minor == 4)
      member.cuda_device = number_of(device->second);
    else
      member.bus_id = device->second;
  }

  static std::optional<std::uint32_t> number_of(const std::string& text) {
    const auto number = parse_uint(text);
    if (!number || *number > 1024) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
  }

  void find_channels() {
    if (made_.channels > 0) {
      for (const CapturedCall& call : made_.calls)
        if ((call.algorithm == "ring" || call.algorithm == "tree") &&
            call.last_channel.value_or(0) >= made_.channels)
          report(call.at,
                 fmt::format("a call runs on channel {:02}, but there are {} channels", *call.last_channel,
                             made_.channels),
                 "lines of different communicators");
      if (seen_channels_ > made_.channels)
        report(channels_at_,
               fmt::format("{} channels, but lines of channel {:02}", made_.channels, seen_channels_ - 1),
               "channels count from 0; lines of different communicators");
      return;
    }
    made_.channels = seen_channels_;
    if (seen_channels_ > 0) gap("number of channels", "the channels that lines name");
  }

  /// No line names a rank that the communicator does not have.
  void check_ranks() {
    const auto check = [&](std::uint32_t rank, LineRef at) {
      if (rank < made_.ranks || !problems_.empty()) return;
      report(at, fmt::format("rank {} in a communicator of {} ranks", rank, made_.ranks),
             "lines of different communicators, or a damaged line");
    };
    for (const auto& [rank, fact] : seen_ranks_) check(rank, fact->at);
    for (const CapturedTree& tree : made_.trees) {
      check(std::max(tree.rank, tree.up.value_or(0)), tree.at);
      for (const std::uint32_t child : tree.down) check(child, tree.at);
    }
    for (const CapturedConnection& one : made_.connections) {
      check(std::max(one.from, one.to), one.at ? *one.at : one.send ? one.send->at : one.receive->at);
      if (one.send) check(one.send->proxy_rank.value_or(0), one.send->at);
      if (one.receive) check(one.receive->proxy_rank.value_or(0), one.receive->at);
    }
  }

  void assemble_rings() {
    if (made_.ranks == 0) {
      for (std::uint32_t channel = 0; channel < made_.channels; ++channel)
        made_.rings.push_back({channel, RingRule::none, {}, {}});
      return;
    }
    check_ranks();
    if (!problems_.empty()) return;
    for (std::uint32_t channel = 0; channel < made_.channels; ++channel) {
      auto ring = assemble_ring(channel, made_.ranks, evidence_[channel], record_);
      if (ring)
        made_.rings.push_back(std::move(*ring));
      else
        append(problems_, ring.problems());
    }
  }

  const CommunicatorLines& lines_;
  const StatedVersions& versions_;
  const ExecutionRecord& record_;
  CapturedCommunicator made_;
  Problems problems_;
  std::map<std::uint32_t, RingEvidence> evidence_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CapturedTree> trees_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, CapturedConnection>
      connections_;
  std::set<std::pair<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, bool>> opened_;
  CallTable calls_;
  std::map<std::uint32_t, const SourcedFact*> seen_ranks_;
  std::map<std::uint32_t, std::string> devices_;
  std::set<std::uint32_t> thresholds_;
  std::uint32_t seen_channels_ = 0;
  LineRef channels_at_;
};

}  // namespace

StatedVersions stated_versions(const LogFacts& facts) {
  StatedVersions versions;
  for (const SourcedFact& fact : facts.facts)
    if (const auto* line = std::get_if<VersionLine>(&fact.fact)) {
      versions.all.insert(line->version);
      if (fact.source) versions.of_process[{fact.source->host, fact.source->process}].insert(line->version);
    }
  return versions;
}

std::string ranges_of(const std::set<std::uint32_t>& numbers, std::size_t most) {
  std::vector<std::string> parts;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::uint32_t first = *at;
    std::uint32_t last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    if (parts.size() == most) {
      parts.push_back("...");
      break;
    }
    parts.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<CapturedCommunicator> record_communicator(const CommunicatorLines& lines,
                                                 const StatedVersions& versions,
                                                 const ExecutionRecord& record) {
  return Recorder(lines, versions, record).make();
}

}  // namespace caliper
