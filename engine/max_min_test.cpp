#include "engine/max_min.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "base/random.hpp"

using namespace caliper;

namespace {

SharingProblem problem_of(std::vector<double> capacity, const std::vector<std::vector<std::uint32_t>>& paths,
                          std::vector<double> caps) {
  SharingProblem problem{std::move(capacity), {0}, {}, {}, std::move(caps)};
  for (const auto& path : paths) {
    problem.path_links.insert(problem.path_links.end(), path.begin(), path.end());
    problem.path_first.push_back(static_cast<std::uint32_t>(problem.path_links.size()));
  }
  problem.path_users.assign(problem.path_links.size(), 1);
  return problem;
}

std::vector<double> rates(const SharingProblem& problem, const std::vector<double>& caps) {
  MaxMinSharing sharing(problem);
  for (std::uint32_t slot = 0; slot < caps.size(); ++slot) sharing.start(slot, caps[slot]);
  sharing.solve();
  std::vector<double> result;
  for (std::uint32_t slot = 0; slot < caps.size(); ++slot) result.push_back(sharing.rate(slot));
  return result;
}

/// A random instance: `links` capacities, each slot on 1..4 of them, half of the slots with a cap.
struct Instance {
  SharingProblem problem;
  std::vector<double> caps;
};

Instance random_instance(std::uint64_t seed) {
  auto next = [&, n = std::uint64_t{0}](std::uint64_t below) mutable { return hash64(seed, 1, n++) % below; };
  const std::uint64_t links = 1 + next(12), slots = 1 + next(30);
  std::vector<double> capacity, caps;
  std::vector<std::vector<std::uint32_t>> paths;
  for (std::uint64_t l = 0; l < links; ++l) capacity.push_back(static_cast<double>(1 + next(20)));
  for (std::uint64_t s = 0; s < slots; ++s) {
    std::vector<std::uint32_t> path;
    for (std::uint64_t h = 0, hops = 1 + next(4); h < hops; ++h) {
      const auto link = static_cast<std::uint32_t>(next(links));
      if (std::ranges::find(path, link) == path.end()) path.push_back(link);
    }
    paths.push_back(path);
    caps.push_back(next(2) ? kInfinite : 0.25 * static_cast<double>(1 + next(40)));
  }
  Instance instance{problem_of(capacity, paths, caps), caps};
  return instance;
}

}  // namespace

TEST_CASE("max_min: a transfer limited elsewhere leaves its share to the other") {
  // links A = 3, B = 1; transfer 0 over A, transfer 1 over A and B. B fills first: r1 = 1; A leaves r0 = 3 -
  // 1 = 2.
  const auto r = rates(problem_of({3, 1}, {{0}, {0, 1}}, {kInfinite, kInfinite}), {kInfinite, kInfinite});
  CHECK(r == std::vector<double>{2, 1});
}

TEST_CASE(
    "max_min: a cap below the fair share leaves the rest to the others; without links the cap is the rate") {
  const auto r =
      rates(problem_of({9}, {{0}, {0}, {0}, {}}, {1, kInfinite, kInfinite, 7}), {1, kInfinite, kInfinite, 7});
  CHECK(r == std::vector<double>{1, 4, 4, 7});
}

TEST_CASE("max_min: a joint limit over two directions binds where their sum exceeds it") {
  // up = down = 10, joint = 14: one way alone gets 10, both ways 7 each.
  const auto problem = problem_of({10, 10, 14}, {{0, 2}, {1, 2}}, {kInfinite, kInfinite});
  MaxMinSharing sharing(problem);
  sharing.start(0, kInfinite);
  sharing.solve();
  CHECK(sharing.rate(0) == 10);
  sharing.start(1, kInfinite);
  CHECK(sharing.solve().size() == 2);
  CHECK(sharing.rate(0) == 7);
  CHECK(sharing.rate(1) == 7);
  CHECK(sharing.previous_rate(0) == 10);
  sharing.stop(0);
  sharing.solve();
  CHECK(sharing.rate(1) == 10);
}

TEST_CASE("max_min: the defining property on 3,000 random instances") {
  // Max-min: nobody exceeds its cap, no link is overfull, and each transfer below its cap crosses a full link
  // on which no other transfer is faster.
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Instance instance = random_instance(seed);
    const SharingProblem& p = instance.problem;
    const auto r = rates(p, instance.caps);
    std::vector<double> load(p.capacity.size(), 0), fastest(p.capacity.size(), 0);
    for (std::size_t s = 0; s < r.size(); ++s)
      for (std::uint32_t h = p.path_first[s]; h < p.path_first[s + 1]; ++h) {
        load[p.path_links[h]] += r[s];
        fastest[p.path_links[h]] = std::max(fastest[p.path_links[h]], r[s]);
      }
    for (std::size_t l = 0; l < load.size(); ++l) REQUIRE(load[l] <= p.capacity[l] * (1 + 1e-12));
    for (std::size_t s = 0; s < r.size(); ++s) {
      REQUIRE(r[s] > 0);
      REQUIRE(r[s] <= instance.caps[s]);
      bool justified = r[s] == instance.caps[s];
      for (std::uint32_t h = p.path_first[s]; h < p.path_first[s + 1]; ++h) {
        const std::uint32_t l = p.path_links[h];
        justified |= load[l] >= p.capacity[l] * (1 - 1e-12) && r[s] >= fastest[l] * (1 - 1e-12);
      }
      REQUIRE(justified);
    }
  }
}

TEST_CASE("max_min: pruning links that never fill changes no rate, whichever transfers run") {
  std::size_t pruned_links = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Instance instance = random_instance(seed);
    SharingProblem pruned = instance.problem;
    keep_links(pruned, links_that_can_fill(pruned));
    pruned_links += instance.problem.path_links.size() - pruned.path_links.size();
    MaxMinSharing full(instance.problem), less(pruned);
    for (std::uint32_t s = 0; s < instance.caps.size(); ++s) {
      if (hash64(seed, 2, s) % 3 == 0) continue;
      full.start(s, instance.caps[s]);
      less.start(s, instance.caps[s]);
    }
    full.solve();
    less.solve();
    for (std::uint32_t s = 0; s < instance.caps.size(); ++s)
      REQUIRE(less.rate(s) == doctest::Approx(full.rate(s)).epsilon(1e-12));
  }
  CHECK(pruned_links > 1000);
}

TEST_CASE("max_min: starts and stops one by one end where starting all at once ends") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Instance instance = random_instance(seed);
    MaxMinSharing sharing(instance.problem);
    std::vector<char> running(instance.caps.size(), 0);
    for (std::uint64_t step = 0; step < 60; ++step) {
      const auto s = static_cast<std::uint32_t>(hash64(seed, 3, step) % running.size());
      if (running[s])
        sharing.stop(s);
      else
        sharing.start(s, instance.caps[s]);
      running[s] ^= 1;
      sharing.solve();
    }
    MaxMinSharing fresh(instance.problem);
    for (std::uint32_t s = 0; s < running.size(); ++s)
      if (running[s]) fresh.start(s, instance.caps[s]);
    fresh.solve();
    for (std::uint32_t s = 0; s < running.size(); ++s)
      if (running[s]) REQUIRE(sharing.rate(s) == doctest::Approx(fresh.rate(s)).epsilon(1e-12));
  }
}
