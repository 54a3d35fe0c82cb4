// What every record of an execution has to be, whatever the bytes were.
#pragma once

#include "captures/captured_parts.hpp"
#include "collectives/ring_order.hpp"
#include "scenarios/execution_record_file.hpp"
#include "tests/fuzz/measurements_fuzz.hpp"

namespace caliper::fuzz {

inline void must_fit(const CapturedCommunicator& one) {
  const auto fits = [&](std::uint32_t rank) { return one.ranks == 0 || rank < one.ranks; };
  for (const CapturedRing& ring : one.rings) {
    must(ring.order.empty() == (ring.rule == RingRule::none));
    must(ring.order.empty() || check_ring(ring.order, one.ranks, "").empty());
  }
  for (const CapturedTree& tree : one.trees) must(fits(tree.rank));
  for (const CapturedRank& member : one.members) must(fits(member.rank));
  for (const CapturedGap& gap : one.gaps) must(!gap.what.empty() && !gap.filled_by.empty());
}

/// Rings list every rank once, gaps have words, the file gives the record back, its parts are whole or named
/// as missing.
inline void check_record(const ExecutionRecord& record) {
  for (const CapturedCommunicator& one : record.communicators) {
    must_fit(one);
    const auto parts = captured_parts(record, one.name);
    if (!parts)
      check_problems(parts.problems());
    else
      must(parts->gpu_of_rank.size() == one.ranks && parts->rings.size() == one.rings.size());
  }
  const auto again = read_execution_record(execution_record_toml(record), "again.toml");
  must(bool(again));
  must(*again == record);
}

}  // namespace caliper::fuzz
