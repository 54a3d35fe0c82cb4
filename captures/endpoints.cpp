#include "captures/endpoints.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace caliper {
namespace {

void merge(Endpoint& endpoint, const CommunicatorLine& line) {
  if (line.cuda_device) endpoint.cuda_device = line.cuda_device;
  if (line.nvml_device) endpoint.nvml_device = line.nvml_device;
  if (line.nodes) endpoint.nodes = *line.nodes;
  if (!line.bus_id.empty()) endpoint.bus_id = line.bus_id;
  if (!line.id.empty()) endpoint.id = line.id;
  if (line.kind == CommunicatorLine::Kind::complete) endpoint.complete = true;
  if (!line.parent) return;
  endpoint.parent = line.parent;
  endpoint.child = line.child;
  endpoint.color = line.color;
}

class Finder {
 public:
  Finder(const LogFacts& facts, const std::vector<std::string>& files) : facts_(facts), files_(files) {}

  Result<Endpoints> find() {
    collect();
    name_splits();
    group_by_id();
    group_the_rest();
    check_groups();
    if (!problems_.empty()) return std::move(problems_);
    return std::move(found_);
  }

 private:
  std::string where(LineRef at) const { return fmt::format("{}:{}", files_[at.file], at.line); }

  void collect() {
    found_.endpoint_of_fact.assign(facts_.facts.size(), Endpoints::kNone);
    for (std::size_t i = 0; i < facts_.facts.size(); ++i) {
      const SourcedFact& fact = facts_.facts[i];
      const auto* line = std::get_if<CommunicatorLine>(&fact.fact);
      if (!line || !fact.source) continue;
      if (line->kind == CommunicatorLine::Kind::end && !known(fact, *line)) continue;
      const std::uint32_t endpoint = endpoint_for(fact, *line);
      found_.endpoint_of_fact[i] = endpoint;
      if (line->kind != CommunicatorLine::Kind::end) found_.all[endpoint].threads.insert(fact.source->thread);
      merge(found_.all[endpoint], *line);
    }
    found_.communicator_of.assign(found_.all.size(), Endpoints::kNone);
  }

  using Key = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>;
  static Key key_of(const SourcedFact& fact, const CommunicatorLine& line) {
    return {fact.source->host, fact.source->process, line.pointer, line.rank, line.ranks};
  }
  bool known(const SourcedFact& fact, const CommunicatorLine& line) const {
    return by_key_.contains(key_of(fact, line));
  }

  /// An address is used again once a communicator is gone: another commId or split, or a second COMPLETE
  /// without either.
  static bool is_another(const Endpoint& endpoint, const CommunicatorLine& line) {
    if (!line.id.empty() && !endpoint.id.empty()) return line.id != endpoint.id;
    if (line.parent && endpoint.parent)
      return std::tuple(*line.parent, line.child, line.color) !=
             std::tuple(*endpoint.parent, endpoint.child, endpoint.color);
    const bool nameless = line.id.empty() && endpoint.id.empty() && !line.parent && !endpoint.parent;
    return nameless && endpoint.complete && line.kind == CommunicatorLine::Kind::complete;
  }

  std::uint32_t endpoint_for(const SourcedFact& fact, const CommunicatorLine& line) {
    std::vector<std::uint32_t>& same = by_key_[key_of(fact, line)];
    for (auto at = same.rbegin(); at != same.rend(); ++at) {
      const Endpoint& endpoint = found_.all[*at];
      if (!is_another(endpoint, line)) return *at;
    }
    const auto index = static_cast<std::uint32_t>(found_.all.size());
    same.push_back(index);
    Endpoint endpoint;
    endpoint.host = fact.source->host;
    endpoint.process = fact.source->process;
    endpoint.pointer = line.pointer;
    endpoint.rank = line.rank;
    endpoint.ranks = line.ranks;
    endpoint.at = fact.at;
    endpoint.instance = instances_[{endpoint.host, endpoint.process, endpoint.rank, endpoint.ranks}]++;
    by_address_[{endpoint.host, endpoint.process, endpoint.pointer}].push_back(index);
    found_.all.push_back(std::move(endpoint));
    return index;
  }

  /// A split is told by its parent, the how manieth child it is, and its color. A parent may be a split
  /// itself.
  void name_splits() {
    for (bool named = true; named;) {
      named = false;
      for (Endpoint& endpoint : found_.all) {
        if (!endpoint.parent || !endpoint.id.empty()) continue;
        const Endpoint* parent = parent_of(endpoint);
        if (!parent || parent->id.empty()) continue;
        endpoint.id = fmt::format("{}/child {}/color {}", parent->id, endpoint.child, endpoint.color);
        named = true;
      }
    }
    for (Endpoint& endpoint : found_.all)  // the parent's own line is lost
      if (endpoint.parent && endpoint.id.empty())
        endpoint.id = fmt::format("?/child {}/color {}", endpoint.child, endpoint.color);
  }

  const Endpoint* parent_of(const Endpoint& child) const {
    const auto candidates = by_address_.find({child.host, child.process, *child.parent});
    if (candidates == by_address_.end()) return nullptr;
    const Endpoint* found = nullptr;
    for (const std::uint32_t i : candidates->second)
      if (const Endpoint& one = found_.all[i]; &one != &child && (!found || one.at < child.at)) found = &one;
    return found;
  }

  /// A communicator of a single rank is one by itself.
  void group_by_id() {
    std::map<std::string, std::uint32_t> by_id;
    for (std::size_t i = 0; i < found_.all.size(); ++i) {
      const Endpoint& endpoint = found_.all[i];
      if (endpoint.ranks == 1) {
        found_.communicator_of[i] = found_.communicators++;
      } else if (!endpoint.id.empty()) {
        const auto [group, is_new] = by_id.emplace(endpoint.id, found_.communicators);
        if (is_new) ++found_.communicators;
        found_.communicator_of[i] = group->second;
      }
    }
  }

  void group_the_rest() {
    std::map<std::uint32_t, std::vector<std::size_t>> by_size;
    for (std::size_t i = 0; i < found_.all.size(); ++i)
      if (found_.communicator_of[i] == Endpoints::kNone) by_size[found_.all[i].ranks].push_back(i);
    for (const auto& [ranks, members] : by_size)
      if (!join_only_one(ranks, members)) group_of_size(ranks, members);
  }

  /// Ranks whose line with the commId is lost belong to the only communicator of their size.
  bool join_only_one(std::uint32_t ranks, const std::vector<std::size_t>& members) {
    std::set<std::uint32_t> groups, taken;
    for (std::size_t i = 0; i < found_.all.size(); ++i)
      if (found_.communicator_of[i] != Endpoints::kNone && found_.all[i].ranks == ranks) {
        groups.insert(found_.communicator_of[i]);
        taken.insert(found_.all[i].rank);
      }
    if (groups.size() != 1) return false;
    for (const std::size_t i : members)
      if (!taken.insert(found_.all[i].rank).second) return false;
    for (const std::size_t i : members) found_.communicator_of[i] = *groups.begin();
    return true;
  }

  void group_of_size(std::uint32_t ranks, const std::vector<std::size_t>& members) {
    const auto one = [](const Endpoint&) { return std::string(); };
    const auto by_instance = [](const Endpoint& endpoint) { return std::to_string(endpoint.instance); };
    const auto by_host = [](const Endpoint& endpoint) { return endpoint.host; };
    if (split_by(members, one) || split_by(members, by_instance) || split_by(members, by_host)) return;
    problems_.push_back(
        {where(found_.all[members.front()].at),
         fmt::format("several communicators of {} ranks, and nothing says which ranks belong together",
                     ranks),
         "NCCL prints a commId from 2.16 on; before, import one communicator a log"});
    for (const std::size_t i : members) found_.communicator_of[i] = found_.communicators;
    ++found_.communicators;
  }

  /// False where a rank would stand twice in a group.
  template <class Split>
  bool split_by(const std::vector<std::size_t>& members, Split split) {
    std::map<std::string, std::set<std::uint32_t>> groups;
    for (const std::size_t i : members)
      if (!groups[split(found_.all[i])].insert(found_.all[i].rank).second) return false;
    for (const std::size_t i : members) {
      const auto group = groups.find(split(found_.all[i]));
      found_.communicator_of[i] =
          found_.communicators + static_cast<std::uint32_t>(std::distance(groups.begin(), group));
    }
    found_.communicators += static_cast<std::uint32_t>(groups.size());
    return true;
  }

  void check_groups() {
    if (!problems_.empty()) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Endpoint*> taken;
    std::map<std::uint32_t, const Endpoint*> first;
    for (std::size_t i = 0; i < found_.all.size(); ++i) {
      const Endpoint& endpoint = found_.all[i];
      const std::uint32_t group = found_.communicator_of[i];
      const Endpoint& other = *first.emplace(group, &endpoint).first->second;
      const Endpoint& same = *taken.emplace(std::pair(group, endpoint.rank), &endpoint).first->second;
      if (other.ranks != endpoint.ranks)
        problems_.push_back(
            {where(endpoint.at),
             fmt::format("rank {} says that the communicator {} has {} ranks, rank {} says {} ({})",
                         endpoint.rank, endpoint.id, endpoint.ranks, other.rank, other.ranks,
                         where(other.at)),
             "logs of different runs do not go into one record"});
      else if (&same != &endpoint)
        problems_.push_back({where(endpoint.at),
                             fmt::format("rank {} of communicator {} stands twice: {}:{} and {}:{} ({})",
                                         endpoint.rank, endpoint.id, same.host, same.process, endpoint.host,
                                         endpoint.process, where(same.at)),
                             "one log of one run; every rank once"});
    }
  }

  const LogFacts& facts_;
  const std::vector<std::string>& files_;
  Endpoints found_;
  Problems problems_;
  std::map<Key, std::vector<std::uint32_t>> by_key_;
  std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> by_address_;
  std::map<std::tuple<std::string, std::uint64_t, std::uint32_t, std::uint32_t>, std::uint32_t> instances_;
};

}  // namespace

Result<Endpoints> find_endpoints(const LogFacts& facts, const std::vector<std::string>& files) {
  return Finder(facts, files).find();
}

}  // namespace caliper
