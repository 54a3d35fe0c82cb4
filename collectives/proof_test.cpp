#include "collectives/proof.hpp"

#include <set>

#include <doctest/doctest.h>

#include "collectives/test_execution.hpp"

using namespace caliper;

namespace {

constexpr auto kCollectives = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter};
constexpr auto kFamilies = {PartitionFamily::a, PartitionFamily::b, PartitionFamily::c};

void check_proved(const Execution& execution, std::uint64_t bytes) {
  CAPTURE(name_of(execution.collective));
  CAPTURE(name_of(execution.family));
  CAPTURE(execution.ranks());
  CAPTURE(execution.channels());
  CAPTURE(bytes);
  const auto violation = prove(make_plan(execution, bytes));
  INFO((violation ? violation->text : std::string()));
  REQUIRE_FALSE(violation.has_value());
}

/// Contributions to each part at each position, executed rank by rank with queues between them: what the
/// proof shows in the frame of one rank. Empty where a rank waits for ever or gets another part than it
/// expects.
std::vector<std::vector<std::multiset<std::uint32_t>>> execute(Collective collective,
                                                               const PrimitiveSequence& sequence) {
  struct Message {
    std::uint32_t part;
    std::multiset<std::uint32_t> content;
  };
  const std::uint32_t n = sequence.ranks;
  std::vector<Primitive> steps;
  for (const PrimitiveRun& run : sequence.runs) steps.insert(steps.end(), run.count, run.primitive);
  std::vector<std::vector<Message>> to(n);  // messages for a position
  std::vector<std::size_t> taken(n, 0), at(n, 0);
  std::vector<std::vector<std::multiset<std::uint32_t>>> output(n,
                                                                std::vector<std::multiset<std::uint32_t>>(n));
  if (collective == Collective::all_gather)
    for (std::uint32_t i = 0; i < n; ++i) output[i][i] = {i};
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (at[i] == steps.size()) continue;
      const Primitive p = steps[at[i]];
      const std::uint32_t part = sequence.part(i, static_cast<std::uint32_t>(at[i]));
      std::multiset<std::uint32_t> content{i};
      if (receives(p)) {
        if (taken[i] == to[i].size()) continue;
        const Message& message = to[i][taken[i]++];
        if (message.part != part) return {};
        if (!reduces(p)) content.clear();
        content.insert(message.content.begin(), message.content.end());
      }
      if (stores(p)) output[i][part] = content;
      if (sends(p)) to[(i + 1) % n].push_back({part, content});
      ++at[i];
      moved = true;
    }
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (at[i] != steps.size() || taken[i] != to[i].size()) return {};
  return output;
}

}  // namespace

TEST_CASE("proof: rank by rank, every rank ends with the right data") {
  for (std::uint32_t n = 2; n <= 17; ++n) {
    std::multiset<std::uint32_t> everyone;
    for (std::uint32_t i = 0; i < n; ++i) everyone.insert(i);
    for (const auto collective : kCollectives) {
      const auto output = execute(collective, make_sequence(collective, n));
      REQUIRE(output.size() == n);
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t part = 0; part < n; ++part) {
          if (collective == Collective::reduce_scatter && part != i) continue;
          const auto& wanted =
              collective == Collective::all_gather ? std::multiset<std::uint32_t>{part} : everyone;
          REQUIRE(output[i][part] == wanted);
        }
    }
  }
}

TEST_CASE("proof: holds for all sizes around the edges, ranks 1 to 17, 48 and 96") {
  std::vector<std::uint32_t> ranks{48, 96};
  for (std::uint32_t n = 1; n <= 17; ++n) ranks.push_back(n);
  const std::uint64_t two_31 = std::uint64_t{1} << 31;
  for (const std::uint32_t n : ranks)
    for (const auto collective : kCollectives)
      for (const auto family : kFamilies)
        for (const std::uint32_t element : {1u, 4u})
          for (const std::uint32_t channels : {1u, 2u, 8u, 24u}) {
            const Execution execution = single_node_execution(collective, family, n, channels, element);
            const std::uint64_t unit = element * (collective == Collective::all_reduce ? 1 : n);
            // In elements of the count, then in bytes of the buffer.
            for (const std::uint64_t count : {0u, n - 1, n, n + 1}) check_proved(execution, count * unit);
            for (const std::uint64_t bytes :
                 {std::uint64_t{n}, std::uint64_t{1} << 20, two_31 - 1, two_31, two_31 + 1, 4 * two_31 + 7})
              check_proved(execution, bytes);
          }
}

TEST_CASE("proof: holds for every number of channels and many sizes between") {
  for (const auto collective : kCollectives)
    for (const auto family : kFamilies)
      for (std::uint32_t channels = 1; channels <= 24; ++channels) {
        const Execution execution = single_node_execution(collective, family, 6, channels);
        std::uint64_t bytes = 1;
        for (int i = 0; i < 60; ++i) {
          bytes += bytes * 3 / 5 + 1;
          check_proved(execution, bytes);
        }
      }
}

TEST_CASE("proof: holds at the largest size and for many ranks") {
  for (const auto collective : kCollectives)
    for (const auto family : kFamilies)
      check_proved(single_node_execution(collective, family, 4096, 8), kMaxMessageBytes);
}

namespace {

std::optional<Violated> violated(const Plan& plan) {
  const auto violation = prove(plan);
  return violation ? std::optional(violation->what) : std::nullopt;
}

}  // namespace

TEST_CASE("proof: a plan whose chunks do not tile the buffer is refused") {
  for (const auto family : kFamilies) {
    const Execution execution = single_node_execution(Collective::all_reduce, family, 4, 8);
    const Plan good = make_plan(execution, 200u << 20);
    REQUIRE_FALSE(violated(good));
    const auto broken = [&](auto&& change) {
      Plan plan = good;
      change(plan.table);
      return violated(plan);
    };
    CHECK(broken([](ChunkTable& t) { t.channels.pop_back(); }) == Violated::tiling);
    CHECK(broken([](ChunkTable& t) { t.channels[3][0].offset += 4; }) == Violated::tiling);
    CHECK(broken([](ChunkTable& t) { t.channels[3][0].loops += 1; }) == Violated::tiling);
    CHECK(broken([](ChunkTable& t) { t.channels[3][0].extent -= 4; }) == Violated::tiling);
    CHECK(broken([](ChunkTable& t) { t.channels[3][0].chunk /= 2; }) == Violated::tiling);
    CHECK(broken([](ChunkTable& t) { t.channels[3] = t.channels[2]; }) == Violated::tiling);
  }
}

TEST_CASE("proof: a chunk whose slices are larger than a slot is refused") {
  const Execution execution = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 1);
  Plan plan = make_plan(execution, 16u << 20);
  plan.table.channels[0] = {{1, 0, 16u << 20, 4u << 20, 16u << 20}};
  CHECK(violated(plan) == Violated::slices);
}

TEST_CASE("proof: a corrupted sequence is refused, and the rank-by-rank execution agrees") {
  using enum Primitive;
  const auto run = [](Collective collective, const PrimitiveSequence& sequence) {
    const Execution execution = single_node_execution(collective, PartitionFamily::c, sequence.ranks, 1);
    Plan plan = make_plan(execution, 1u << 20);
    plan.sequence = sequence;
    return violated(plan);
  };
  // One reduce too few: the sum lacks a contribution and the parts of the last steps do not fit.
  CHECK(run(Collective::all_reduce, {5,
                                     4,
                                     {{send, 1},
                                      {receive_reduce_send, 2},
                                      {receive_reduce_copy_send, 1},
                                      {receive_copy_send, 4},
                                      {receive, 1}}}) == Violated::data);
  // Copying where it should reduce.
  CHECK(run(Collective::all_reduce, {5,
                                     4,
                                     {{send, 1},
                                      {receive_reduce_send, 2},
                                      {receive_copy_send, 1},
                                      {receive_reduce_copy_send, 1},
                                      {receive_copy_send, 3},
                                      {receive, 1}}}) == Violated::data);
  // One reduce too many: the own contribution would be there twice.
  CHECK(run(Collective::reduce_scatter,
            {3, 2, {{send, 1}, {receive_reduce_send, 2}, {receive_reduce_copy, 1}}}) == Violated::data);
  // A receive without a send before it.
  CHECK(run(Collective::all_gather, {3, 0, {{receive, 1}, {send, 1}, {receive_copy_send, 1}}}) ==
        Violated::progress);
  // A send that nobody receives.
  CHECK(run(Collective::all_gather, {3, 0, {{send, 1}, {receive_copy_send, 2}}}) == Violated::matching);
  // AllGather that starts with another rank's block.
  CHECK(run(Collective::all_gather, {3, 1, {{send, 1}, {receive_copy_send, 1}, {receive, 1}}}) ==
        Violated::data);
  // ReduceScatter that ends with another rank's block.
  CHECK(run(Collective::reduce_scatter,
            {3, 0, {{send, 1}, {receive_reduce_send, 1}, {receive_reduce_copy, 1}}}) == Violated::data);
  // The rank-by-rank execution sees the same two failures of waiting.
  CHECK(execute(Collective::all_gather, {3, 0, {{receive, 1}, {send, 1}, {receive_copy_send, 1}}}).empty());
  CHECK(execute(Collective::all_gather, {3, 0, {{send, 1}, {receive_copy_send, 2}}}).empty());
}

TEST_CASE("proof: a window of a single chunk lets all ranks wait for each other") {
  const Execution execution = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 1);
  Plan plan = make_plan(execution, 1u << 20);
  plan.window = 3;
  CHECK_FALSE(violated(plan));
  plan.window = 2;
  CHECK(violated(plan) == Violated::progress);
}

TEST_CASE("proof: broken rings and a loop counted for too few ranks are refused") {
  Execution execution = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 2);
  Plan plan = make_plan(execution, 1u << 20);
  execution.rings[1].order = {0, 1, 1, 3};
  CHECK(violated(plan) == Violated::rings);
  execution.rings.pop_back();
  CHECK(violated(plan) == Violated::rings);  // two channels used, one ring left

  const Execution whole = single_node_execution(Collective::all_reduce, PartitionFamily::c, 4, 1);
  Plan single = make_plan(whole, 1u << 20);
  single.table = {1, {{{1, 0, 1u << 20, 1u << 20, 1u << 20}}}};
  CHECK(violated(single) == Violated::conservation);
}
