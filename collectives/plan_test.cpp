#include "collectives/plan.hpp"

#include <doctest/doctest.h>

#include "collectives/test_execution.hpp"

using namespace caliper;

TEST_CASE("plan: the count follows from the size; a remainder is dropped") {
  const Execution all_reduce = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 24);
  CHECK(make_plan(all_reduce, 3).count == 0);
  CHECK(make_plan(all_reduce, 7).count == 1);
  CHECK(make_plan(all_reduce, 7).buffer_bytes() == 4);
  const Execution all_gather = single_node_execution(Collective::all_gather, PartitionFamily::c, 3, 24);
  CHECK(make_plan(all_gather, 100).count == 8);
  CHECK(make_plan(all_gather, 100).buffer_bytes() == 96);
  CHECK(make_plan(all_gather, 11).count == 0);
}

TEST_CASE("plan: bytes sent: 2(n-1)S and (n-1)S") {
  const std::uint64_t size = 64u << 20;
  const auto sent = [&](Collective c) {
    const Execution execution = single_node_execution(c, PartitionFamily::c, 4, 24);
    return bytes_sent(make_plan(execution, size));
  };
  CHECK(sent(Collective::all_reduce) == 2 * 3 * size);
  CHECK(sent(Collective::all_gather) == 3 * size);
  CHECK(sent(Collective::reduce_scatter) == 3 * size);
}

TEST_CASE("plan: rows for people: 64 MiB over 24 channels is cut in two ways") {
  const Execution execution = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 24);
  const auto rows = chunk_rows(make_plan(execution, 64u << 20));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].first_channel == 0);
  CHECK(rows[0].last_channel == 22);
  CHECK(rows[0].loops == 1);
  CHECK(rows[0].chunk_bytes == 700416);
  CHECK(rows[0].full_chunks == 4);
  CHECK(rows[0].slices == std::array<std::uint64_t, 2>{350208, 350208});
  CHECK(rows[1].first_channel == 23);
  CHECK(rows[1].last_channel == 23);
  CHECK(rows[1].chunk_bytes == 667648);
}

TEST_CASE("plan: rows show the chunks at the end of a ring that are short or empty") {
  // Family B, 1 MiB, channel 23: 1 MiB - 23 * 45056 B = 12288 B left, rounded chunks of 4096 B: three of
  // four.
  const Execution execution = single_node_execution(Collective::all_reduce, PartitionFamily::b, 4, 24);
  const auto rows = chunk_rows(make_plan(execution, 1u << 20));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].chunk_bytes == 12288);  // 45056 = 3 * 12288 + 8192
  CHECK(rows[0].full_chunks == 3);
  CHECK(rows[0].last_chunk_bytes == 8192);
  CHECK(rows[0].empty_chunks == 0);
  CHECK(rows[1].chunk_bytes == 4096);
  CHECK(rows[1].full_chunks == 3);
  CHECK(rows[1].last_chunk_bytes == 0);
  CHECK(rows[1].empty_chunks == 1);
}

TEST_CASE("plan: its size does not depend on the bytes") {
  const Execution execution = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 24);
  const Plan plan = make_plan(execution, kMaxMessageBytes);
  for (const auto& runs : plan.table.channels) CHECK(runs.size() <= 2);
  CHECK(operation_count(plan) > 100'000'000);
}
