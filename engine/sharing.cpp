#include "engine/sharing.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kMostPatterns = 64;  // that a part remembers; lockstep needs a handful
/// No sum of a few of these is by accident the sum of a few others.
constexpr std::uint64_t scattered(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// Slots joined by the links of their paths: the first of each slot's set.
std::vector<std::uint32_t> connected(const SharingProblem& problem) {
  std::vector<std::uint32_t> parent(problem.slots());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t slot) {
    while (parent[slot] != slot) slot = parent[slot] = parent[parent[slot]];
    return slot;
  };
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> first_on(problem.capacity.size(), kNone);
  for (std::uint32_t slot = 0; slot < problem.slots(); ++slot)
    for (std::uint32_t hop = problem.path_first[slot]; hop < problem.path_first[slot + 1]; ++hop) {
      std::uint32_t& first = first_on[problem.path_links[hop]];
      if (first == kNone)
        first = slot;
      else
        parent[std::max(root(slot), root(first))] = std::min(root(slot), root(first));
    }
  for (std::uint32_t slot = 0; slot < problem.slots(); ++slot) parent[slot] = root(slot);
  return parent;
}

}  // namespace

Sharing::Sharing(SharingProblem problem, std::vector<double> caps)
    : caps_(std::move(caps)),
      bits_(static_cast<std::uint32_t>(std::bit_width(caps_.size()))),
      group_(connected(problem)),
      part_(problem.slots(), kAlone),
      place_(problem.slots(), 0),
      lone_capacity_(problem.slots(), kInfinite),
      rate_(problem.slots(), 0),
      previous_rate_(problem.slots(), 0) {
  for (const double capacity : problem.capacity) CALIPER_CHECK(capacity > 0);
  for (const double cap : caps_) CALIPER_CHECK(cap > 0);
  crossing_first_.push_back(0);
  split(problem);
  touched_.reserve(parts_.size());
  lone_started_.reserve(problem.slots());
  lone_started_rate_.resize(problem.slots(), 0);
  changed_.reserve(problem.slots());
  if (std::ranges::find(part_, kLarge) == part_.end()) return;
  // The slots of small parts stay, with an empty path, so that numbers of slots are the same everywhere.
  SharingProblem rest;
  rest.capacity = std::move(problem.capacity);
  rest.path_first.push_back(0);
  for (std::uint32_t slot = 0; slot < problem.slots(); ++slot) {
    const bool large = part_[slot] == kLarge;
    for (std::uint32_t hop = problem.path_first[slot]; large && hop < problem.path_first[slot + 1]; ++hop) {
      rest.path_links.push_back(problem.path_links[hop]);
      rest.path_users.push_back(problem.path_users[hop]);
    }
    rest.path_first.push_back(static_cast<std::uint32_t>(rest.path_links.size()));
  }
  rest.largest_cap = std::move(problem.largest_cap);
  large_.emplace(std::move(rest));
}

void Sharing::split(const SharingProblem& problem) {
  std::vector<std::uint32_t> by_group(problem.slots());
  std::iota(by_group.begin(), by_group.end(), 0u);
  std::ranges::stable_sort(by_group, {}, [&](std::uint32_t slot) { return group_[slot]; });
  for (std::size_t begin = 0; begin < by_group.size();) {
    std::size_t end = begin + 1;
    while (end < by_group.size() && group_[by_group[end]] == group_[by_group[begin]]) ++end;
    const auto slots = std::span<const std::uint32_t>(by_group).subspan(begin, end - begin);
    if (slots.size() * bits_ > 64)
      for (const std::uint32_t slot : slots) part_[slot] = kLarge;
    else if (slots.size() > 1)
      make_part(problem, slots);
    else
      for (std::uint32_t hop = problem.path_first[slots[0]]; hop < problem.path_first[slots[0] + 1]; ++hop)
        lone_capacity_[slots[0]] = std::min(
            lone_capacity_[slots[0]], problem.capacity[problem.path_links[hop]] / problem.path_users[hop]);
    begin = end;
  }
}

void Sharing::make_part(const SharingProblem& problem, std::span<const std::uint32_t> slots) {
  struct Crossing {
    std::uint32_t link, place, users;
    auto operator<=>(const Crossing&) const = default;
  };
  Part part{};
  part.first = static_cast<std::uint32_t>(order_.size());
  part.slots = static_cast<std::uint32_t>(slots.size());
  std::vector<Crossing> crossings;
  for (std::uint32_t place = 0; place < slots.size(); ++place) {
    const std::uint32_t slot = slots[place];
    part_[slot] = static_cast<std::uint32_t>(parts_.size());
    place_[slot] = place;
    order_.push_back(slot);
    for (std::uint32_t hop = problem.path_first[slot]; hop < problem.path_first[slot + 1]; ++hop)
      crossings.push_back({problem.path_links[hop], place, problem.path_users[hop]});
  }
  std::ranges::sort(crossings);
  part.first_link = static_cast<std::uint32_t>(part_links_.size());
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    if (i == 0 || crossings[i].link != crossings[i - 1].link) {
      part_links_.push_back(problem.capacity[crossings[i].link]);
      crossing_first_.push_back(crossing_first_.back());
    }
    ++crossing_first_.back();
    crossing_place_.push_back(crossings[i].place);
    crossing_users_.push_back(crossings[i].users);
  }
  part.links = static_cast<std::uint32_t>(part_links_.size()) - part.first_link;
  left_.resize(std::max<std::size_t>(left_.size(), part.links));
  users_.resize(left_.size());
  fresh_.resize(std::max<std::size_t>(fresh_.size(), part.slots));
  frozen_.resize(fresh_.size());

  // Room for twice as many patterns as there can be, or as are remembered.
  std::uint64_t possible = 1;
  for (std::uint32_t place = 0; place < part.slots && possible < kMostPatterns; ++place)
    possible *= caps_.size() + 1;
  part.keys = 2 * static_cast<std::uint32_t>(std::bit_ceil(std::min<std::uint64_t>(possible, kMostPatterns)));
  part.first_key = static_cast<std::uint32_t>(keys_.size());
  keys_.resize(keys_.size() + part.keys, 0);
  for (std::uint32_t k = 0; k < part.keys; ++k)
    key_rates_.push_back(remembered_.size() + std::size_t{k} * part.slots);
  remembered_.resize(remembered_.size() + std::size_t{part.keys} * part.slots);
  parts_.push_back(part);
}

void Sharing::change(std::uint32_t slot, std::uint64_t code) {
  Part& part = parts_[part_[slot]];
  const std::uint32_t shift = place_[slot] * bits_;
  const std::uint64_t mask = ((std::uint64_t{1} << bits_) - 1) << shift;
  CALIPER_CHECK(((part.pattern & mask) == 0) != (code == 0));
  part.pattern = (part.pattern & ~mask) | code << shift;
  if (part.touched) return;
  part.touched = true;
  touched_.push_back(part_[slot]);
}

void Sharing::start(std::uint32_t slot, std::uint32_t cap) {
  rate_[slot] = 0;
  if (part_[slot] < kLarge) return change(slot, cap + std::uint64_t{1});
  if (part_[slot] == kAlone) {
    // Its rate is known at once, but told with the others.
    lone_started_.push_back(slot);
    lone_started_rate_[slot] = lone_rate(slot, caps_[cap]);
    return;
  }
  large_->start(slot, caps_[cap]);
  large_touched_ = true;
  large_changes_ += scattered(slot * (caps_.size() + 1) + cap + 1);
}

void Sharing::stop(std::uint32_t slot) {
  if (part_[slot] < kLarge) return change(slot, 0);
  if (part_[slot] == kAlone) return;
  large_->stop(slot);
  large_touched_ = true;
  large_changes_ += scattered(slot * (caps_.size() + 1));
}

void Sharing::set_rate(std::uint32_t slot, double rate) {
  if (rate == rate_[slot]) return;
  previous_rate_[slot] = rate_[slot];
  rate_[slot] = rate;
  changed_.push_back(slot);
}

const double* Sharing::rates_of(Part& part) {
  const std::uint64_t hash = part.pattern * 0x9e3779b97f4a7c15u;
  std::uint32_t at = static_cast<std::uint32_t>(hash >> 32) & (part.keys - 1);
  while (keys_[part.first_key + at] != 0) {
    if (keys_[part.first_key + at] == part.pattern) return &remembered_[key_rates_[part.first_key + at]];
    at = (at + 1) & (part.keys - 1);
  }
  if (part.known >= part.keys / 2) {
    fill(part, fresh_.data());
    return fresh_.data();
  }
  ++part.known;
  keys_[part.first_key + at] = part.pattern;
  double* rates = &remembered_[key_rates_[part.first_key + at]];
  fill(part, rates);
  return rates;
}

/// Progressive filling; rates of slots that are not in use are 0.
void Sharing::fill(const Part& part, double* rates) {
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
  const auto cap_of = [&](std::uint32_t place) {
    const std::uint64_t code = part.pattern >> (place * bits_) & mask;
    return code == 0 ? 0.0 : caps_[code - 1];
  };
  std::uint32_t unfrozen = 0;
  for (std::uint32_t place = 0; place < part.slots; ++place) {
    rates[place] = 0;
    frozen_[place] = cap_of(place) == 0;
    unfrozen += !frozen_[place];
  }
  const auto for_crossings = [&](std::uint32_t link, auto fn) {
    for (std::uint32_t c = crossing_first_[part.first_link + link];
         c < crossing_first_[part.first_link + link + 1]; ++c)
      fn(crossing_place_[c], crossing_users_[c]);
  };
  for (std::uint32_t link = 0; link < part.links; ++link) {
    left_[link] = part_links_[part.first_link + link];
    users_[link] = 0;
    for_crossings(link,
                  [&](std::uint32_t place, double users) { users_[link] += frozen_[place] ? 0 : users; });
  }
  while (unfrozen > 0) {
    double share = kInfinite, cap = kInfinite;
    for (std::uint32_t link = 0; link < part.links; ++link)
      if (users_[link] > 0) share = std::min(share, left_[link] / users_[link]);
    for (std::uint32_t place = 0; place < part.slots; ++place)
      if (!frozen_[place]) cap = std::min(cap, cap_of(place));
    const double rate = std::min(cap, share);
    // Who is limited is decided before anything is subtracted.
    for (std::uint32_t place = 0; place < part.slots; ++place)
      if (!frozen_[place] && cap_of(place) <= share && cap_of(place) == cap) rates[place] = rate;
    if (share < cap)
      for (std::uint32_t link = 0; link < part.links; ++link)
        if (users_[link] > 0 && left_[link] / users_[link] == share)
          for_crossings(link, [&](std::uint32_t place, double) {
            if (!frozen_[place]) rates[place] = rate;
          });
    for (std::uint32_t link = 0; link < part.links; ++link)
      for_crossings(link, [&](std::uint32_t place, double users) {
        if (frozen_[place] || rates[place] == 0) return;
        left_[link] -= users * rate;
        users_[link] -= users;
      });
    for (std::uint32_t place = 0; place < part.slots; ++place)
      if (!frozen_[place] && rates[place] != 0) {
        frozen_[place] = 1;
        --unfrozen;
      }
  }
}

std::uint64_t Sharing::decisions() const {
  std::uint64_t hash = large_decisions_;
  for (const Part& part : parts_) hash = (hash + part.decisions) * 0x9e3779b97f4a7c15u;
  return hash;
}

std::span<const std::uint32_t> Sharing::solve() {
  changed_.clear();
  for (const std::uint32_t slot : lone_started_) set_rate(slot, lone_started_rate_[slot]);
  lone_started_.clear();
  for (const std::uint32_t p : touched_) {
    Part& part = parts_[p];
    part.touched = false;
    part.decisions = (part.decisions + part.pattern + 1) * 0x9e3779b97f4a7c15u;
    if (part.pattern == 0) continue;
    const double* rates = rates_of(part);
    for (std::uint32_t place = 0; place < part.slots; ++place)
      if (rates[place] != 0) set_rate(order_[part.first + place], rates[place]);
  }
  touched_.clear();
  if (!std::exchange(large_touched_, false)) return changed_;
  large_decisions_ = (large_decisions_ + large_changes_) * 0x9e3779b97f4a7c15u;
  large_changes_ = 0;
  for (const std::uint32_t slot : large_->solve()) set_rate(slot, large_->rate(slot));
  return changed_;
}

}  // namespace caliper
