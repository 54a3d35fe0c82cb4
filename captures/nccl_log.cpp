#include "captures/nccl_log.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "captures/communicator_record.hpp"
#include "captures/record_gaps.hpp"

namespace caliper {
namespace {

/// By host, net and device; the line with the rate and the list of names complete each other.
std::vector<CapturedNic> nics_of(const LogFacts& facts) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, CapturedNic> nics;
  for (const SourcedFact& fact : facts.facts) {
    const auto* line = std::get_if<NicsLine>(&fact.fact);
    if (!line || !fact.source) continue;
    for (CapturedNic nic : line->nics) {
      nic.host = fact.source->host;
      nic.at = fact.at;
      CapturedNic& there = nics.emplace(std::tuple(nic.host, nic.net, nic.device), nic).first->second;
      if (there.link.empty()) there.link = nic.link;
      if (!there.mbits) there.mbits = nic.mbits;
      there.at = std::min(there.at, nic.at);
    }
  }
  std::vector<CapturedNic> sorted;
  for (auto& [key, nic] : nics) sorted.push_back(std::move(nic));
  return sorted;
}

bool has_a_plan(const CapturedCommunicator& communicator) {
  return communicator.ranks > 0 || communicator.channels > 0 || !communicator.calls.empty();
}

/// Largest first; then by what does not depend on the order of lines.
void sort_and_name(std::vector<CapturedCommunicator>& communicators) {
  const auto key = [](const CapturedCommunicator& c) {
    std::vector<std::tuple<std::string, std::uint64_t, std::uint32_t>> members;
    for (const CapturedRank& member : c.members)
      members.emplace_back(member.host, member.process, member.rank);
    return std::tuple(~c.ranks, c.id, std::move(members));
  };
  std::stable_sort(communicators.begin(), communicators.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < communicators.size(); ++i)
    communicators[i].name = fmt::format("comm-{}", i + 1);
}

Problems keep_size(ExecutionRecord& record, std::uint32_t ranks) {
  std::set<std::uint32_t> sizes;
  for (const CapturedCommunicator& communicator : record.communicators) sizes.insert(communicator.ranks);
  if (!sizes.contains(ranks)) {
    sizes.erase(0);
    return {{record.files.front(), fmt::format("no communicator of {} ranks", ranks),
             sizes.empty() ? std::string("no line states the size of one")
                           : fmt::format("the log is of {} ranks", fmt::join(sizes, ", "))}};
  }
  std::erase_if(record.communicators, [&](const CapturedCommunicator& one) { return one.ranks != ranks; });
  return {};
}

/// Several communicators that look alike are told apart by the order of lines alone.
void note_unassigned(const SortedLines& sorted, const LogFacts& facts, ExecutionRecord& record) {
  if (sorted.unassigned > 0)
    record.notes.push_back(
        fmt::format("{} lines of plans belong to no communicator that could be told", sorted.unassigned));
  if (facts.broken.empty()) return;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min<std::size_t>(facts.broken.size(), 5); ++i)
    first.push_back(record.where(facts.broken[i]));
  record.notes.push_back(fmt::format("{} lines are torn or of a kind that is not read, and say nothing: {}{}",
                                     facts.broken.size(), fmt::join(first, ", "),
                                     facts.broken.size() > first.size() ? ", ..." : ""));
}

}  // namespace

Result<ExecutionRecord> read_nccl_log(std::span<const LogInput> inputs, std::optional<std::uint32_t> ranks) {
  ExecutionRecord record;
  for (const LogInput& input : inputs) record.files.push_back(input.name);
  if (record.files.empty()) return Error{"", "no log", "name one"};
  const LogFacts facts = read_log_facts(inputs);
  if (facts.messages == 0)
    return Error{record.files.front(), "no line of NCCL's log", "run with NCCL_DEBUG=INFO"};
  record.nics = nics_of(facts);
  const auto sorted = sort_lines(facts, record.files);
  if (!sorted) return sorted.problems();
  const StatedVersions versions = stated_versions(facts);
  Problems problems;
  for (const CommunicatorLines& lines : sorted->communicators) {
    auto communicator = record_communicator(lines, versions, record);
    if (!communicator) {
      append(problems, communicator.problems());
      continue;
    }
    if (!has_a_plan(*communicator)) continue;
    if (lines.presumed > 0)
      communicator->gaps.push_back(
          {fmt::format("communicator of {} lines", lines.presumed), "the log has only one"});
    add_gaps(*communicator, record);
    record.communicators.push_back(std::move(*communicator));
  }
  if (problems.empty() && record.communicators.empty())
    problems.push_back({record.files.front(), "NCCL prints, but no communicator, ring or call",
                        "the log ends before one is made, or NCCL_DEBUG is below INFO"});
  if (problems.empty() && ranks) problems = keep_size(record, *ranks);
  if (!problems.empty()) return problems;
  sort_and_name(record.communicators);
  note_unassigned(*sorted, facts, record);
  return record;
}

}  // namespace caliper
