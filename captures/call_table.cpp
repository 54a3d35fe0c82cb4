#include "captures/call_table.hpp"

#include <algorithm>
#include <set>

namespace caliper {
namespace {

/// Whether the size that is logged is that of one rank's share. Plans with channels (2.24) print count times
/// element, those before the size of the buffer.
bool is_of_a_rank(const CapturedCall& call) {
  const bool shares = call.collective == "AllGather" || call.collective == "ReduceScatter";
  return shares && (call.algorithm.empty() || call.first_channel);
}

}  // namespace

void CallTable::add(CapturedCall call, LineRef at) {
  call.at = at;
  const auto key = std::tuple(call.collective, call.bytes, call.algorithm, call.protocol, call.first_channel,
                              call.last_channel);
  CapturedCall& there = calls_.emplace(key, std::move(call)).first->second;
  ++there.times;
  there.at = std::min(there.at, at);
}

void CallTable::add(const TuningLine& line, LineRef at) {
  CapturedCall call;
  call.collective = line.collective;
  call.bytes = line.bytes;
  call.algorithm = line.algorithm;
  call.protocol = line.protocol;
  call.first_channel = line.first_channel;
  call.last_channel = line.last_channel;
  add(std::move(call), at);
}

void CallTable::add(const CallLine& line, LineRef at) {
  CapturedCall call;
  call.collective = line.collective;
  call.bytes = line.count * line.element_bytes;
  add(std::move(call), at);
}

CallTable::Calls CallTable::take(std::uint32_t ranks) {
  Calls taken;
  std::map<std::uint64_t, std::set<std::string>> collectives;
  for (auto& [key, call] : calls_) {
    const bool of_a_rank = is_of_a_rank(call);
    const bool small = ranks == 0 || call.bytes <= kMaxCapturedBytes / ranks;
    call.buffer_bytes = !of_a_rank ? call.bytes : small ? call.bytes * ranks : 0;
    if (!call.collective.empty() && call.algorithm.empty())
      collectives[call.buffer_bytes].insert(call.collective);
  }
  for (auto& [key, call] : calls_) {
    const auto found = collectives.find(call.buffer_bytes);
    if (call.collective.empty() && found != collectives.end() && found->second.size() == 1) {
      call.collective = *found->second.begin();
      taken.named = true;
    }
    taken.calls.push_back(std::move(call));
  }
  calls_.clear();
  return taken;
}

}  // namespace caliper
