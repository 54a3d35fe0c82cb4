#include "engine/event_queue.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;

TEST_CASE("event_queue: by time, and within a time in the order of scheduling") {
  EventQueue queue(5);
  queue.schedule(3, 2.0);
  queue.schedule(1, 1.0);
  queue.schedule(0, 2.0);
  queue.schedule(2, 1.0);
  queue.schedule(4, 2.0);
  queue.cancel(0);
  CHECK(queue.pending(3));
  CHECK(!queue.pending(0));
  CHECK(queue.time_of(4) == 2.0);
  REQUIRE(queue.next_time() == 1.0);
  CHECK(queue.pop_at(1.0) == 1);
  queue.schedule(1, 1.0);  // again, at the time that is now
  CHECK(queue.pop_at(1.0) == 2);
  CHECK(queue.pop_at(1.0) == 1);
  CHECK(queue.pop_at(1.0) == EventQueue::kNone);
  queue.shift(0.5);
  REQUIRE(queue.next_time() == 2.5);
  CHECK(queue.pop_at(2.5) == 3);
  CHECK(queue.pop_at(2.5) == 4);
  CHECK(queue.pop_at(2.5) == EventQueue::kNone);
  CHECK(queue.empty());
}

TEST_CASE("event_queue: as a sorted table, whatever is scheduled, cancelled and taken") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto nodes = static_cast<std::uint32_t>(1 + hash64(seed, 0, 0) % 40);
    const std::uint64_t times = 1 + hash64(seed, 0, 1) % 100;  // few: many events of one time
    EventQueue queue(nodes);
    std::map<double, std::vector<std::uint32_t>> expected;
    double now = 0;
    std::uint64_t taken = 0, scheduled = 0;
    for (std::uint64_t step = 0; step < 2000; ++step) {
      const auto node = static_cast<std::uint32_t>(hash64(seed, 1, step) % nodes);
      if (queue.pending(node) && hash64(seed, 2, step) % 3 == 0) {
        std::erase(expected[queue.time_of(node)], node);
        queue.cancel(node);
      } else if (!queue.pending(node)) {
        const double time = now + 0.1 * static_cast<double>(hash64(seed, 3, step) % times);
        queue.schedule(node, time);
        expected[time].push_back(node);
        ++scheduled;
      }
      std::erase_if(expected, [](const auto& at) { return at.second.empty(); });
      REQUIRE(queue.empty() == expected.empty());
      if (queue.empty() || hash64(seed, 4, step) % 4 != 0) continue;
      auto& [time, due] = *expected.begin();
      REQUIRE(queue.next_time() == time);
      now = time;
      const bool all = hash64(seed, 5, step) % 2 == 0;
      for (bool more = true; more; more = all) {
        const std::uint32_t popped = queue.pop_at(now);
        if (popped == EventQueue::kNone) break;
        REQUIRE(popped == due.front());
        due.erase(due.begin());
        ++taken;
      }
    }
    CHECK(taken > 100);
    CHECK(scheduled >= taken);
  }
}
