#include "engine/max_min.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace caliper {
MaxMinSharing::MaxMinSharing(SharingProblem problem) : problem_(std::move(problem)) {
  const std::size_t links = problem_.capacity.size(), slots = problem_.largest_cap.size();
  const std::size_t all_hops = problem_.path_links.size();
  CALIPER_CHECK(problem_.path_first.size() == slots + 1);
  for (const double capacity : problem_.capacity) CALIPER_CHECK(capacity > 0);

  cap_.assign(slots, 0);
  rate_.assign(slots, 0);
  previous_rate_.assign(slots, 0);
  member_count_.assign(links, 0);
  member_first_.assign(links + 1, 0);
  for (const std::uint32_t link : problem_.path_links) ++member_first_[link + 1];
  for (std::size_t link = 0; link < links; ++link) member_first_[link + 1] += member_first_[link];
  members_.resize(all_hops);
  place_of_hop_.resize(all_hops);
  slot_of_hop_.resize(all_hops);
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop)
      slot_of_hop_[hop] = slot;

  touched_links_.reserve(links);
  component_links_.reserve(links);
  component_slots_.reserve(slots);
  changed_.reserve(slots);
  unlimited_.reserve(slots);
  link_epoch_.assign(links, 0);
  slot_epoch_.assign(slots, 0);
  link_users_.assign(links, 0);
  link_left_.assign(links, 0);
  link_touched_.assign(links, 0);
  frozen_.assign(slots, 0);
}

void MaxMinSharing::touch(std::uint32_t link) {
  if (link_touched_[link]) return;
  link_touched_[link] = 1;
  touched_links_.push_back(link);
}

void MaxMinSharing::start(std::uint32_t slot, double cap) {
  CALIPER_CHECK(cap_[slot] == 0 && cap > 0);
  cap_[slot] = cap;
  rate_[slot] = 0;
  if (hops(slot) == 0) {
    unlimited_.push_back(slot);
    return;
  }
  for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop) {
    const std::uint32_t link = problem_.path_links[hop];
    const std::uint32_t place = member_count_[link]++;
    members_[member_first_[link] + place] = hop;
    place_of_hop_[hop] = place;
    touch(link);
  }
}

void MaxMinSharing::stop(std::uint32_t slot) {
  cap_[slot] = 0;
  for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop) {
    const std::uint32_t link = problem_.path_links[hop];
    const std::uint32_t last = members_[member_first_[link] + --member_count_[link]];
    members_[member_first_[link] + place_of_hop_[hop]] = last;
    place_of_hop_[last] = place_of_hop_[hop];
    touch(link);
  }
}

void MaxMinSharing::collect_component(std::uint32_t seed_link) {
  component_links_.clear();
  component_slots_.clear();
  link_epoch_[seed_link] = epoch_;
  component_links_.push_back(seed_link);
  for (std::size_t next = 0; next < component_links_.size(); ++next) {
    const std::uint32_t link = component_links_[next];
    link_left_[link] = problem_.capacity[link];
    link_users_[link] = 0;
    for (std::uint32_t m = member_first_[link]; m < member_first_[link] + member_count_[link]; ++m) {
      const std::uint32_t slot = slot_of_hop_[members_[m]];
      link_users_[link] += problem_.path_users[members_[m]];
      if (slot_epoch_[slot] == epoch_) continue;
      slot_epoch_[slot] = epoch_;
      frozen_[slot] = 0;
      component_slots_.push_back(slot);
      for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop) {
        const std::uint32_t other = problem_.path_links[hop];
        if (link_epoch_[other] == epoch_) continue;
        link_epoch_[other] = epoch_;
        component_links_.push_back(other);
      }
    }
  }
}

void MaxMinSharing::freeze(std::uint32_t slot, double rate) {
  frozen_[slot] = 1;
  if (rate != rate_[slot]) {
    previous_rate_[slot] = rate_[slot];
    rate_[slot] = rate;
    changed_.push_back(slot);
  }
  for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop) {
    const std::uint32_t link = problem_.path_links[hop];
    link_left_[link] -= problem_.path_users[hop] * rate;
    link_users_[link] -= problem_.path_users[hop];
  }
}

void MaxMinSharing::fill_component() {
  while (!component_slots_.empty()) {
    double share = kInfinite;
    for (const std::uint32_t link : component_links_)
      share = std::min(share, link_left_[link] / link_users_[link]);
    double cap = kInfinite;
    for (const std::uint32_t slot : component_slots_) cap = std::min(cap, cap_[slot]);

    if (cap <= share) {
      for (const std::uint32_t slot : component_slots_)
        if (cap_[slot] == cap) freeze(slot, cap);
    } else {
      for (const std::uint32_t link : component_links_) {
        if (link_users_[link] == 0 || link_left_[link] / link_users_[link] != share) continue;
        for (std::uint32_t m = member_first_[link]; m < member_first_[link] + member_count_[link]; ++m) {
          const std::uint32_t slot = slot_of_hop_[members_[m]];
          if (!frozen_[slot]) freeze(slot, share);
        }
      }
    }
    std::erase_if(component_slots_, [&](std::uint32_t slot) { return frozen_[slot] != 0; });
    std::erase_if(component_links_, [&](std::uint32_t link) { return link_users_[link] == 0; });
  }
}

std::span<const std::uint32_t> MaxMinSharing::solve() {
  changed_.clear();
  for (const std::uint32_t slot : unlimited_) {
    previous_rate_[slot] = 0;
    rate_[slot] = cap_[slot];
    changed_.push_back(slot);
  }
  unlimited_.clear();
  ++epoch_;
  for (const std::uint32_t link : touched_links_) {
    link_touched_[link] = 0;
    if (link_epoch_[link] == epoch_ || member_count_[link] == 0) continue;
    collect_component(link);
    fill_component();
  }
  touched_links_.clear();
  return changed_;
}

}  // namespace caliper
