// Rates of transfers that share links: max-min fairness by progressive filling, kept up to date while
// transfers come and go. Only the connected components that a change touches are solved again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/sharing_problem.hpp"

namespace caliper {

/// Source: Bertsekas & Gallager, Data Networks (2nd ed.), section 6.5.2, with a cap per transfer.
class MaxMinSharing {
 public:
  explicit MaxMinSharing(SharingProblem problem);

  /// A transfer limited to `cap` (bytes/s, > 0, may be infinite) occupies the slot, which must be free. Its
  /// rate is 0 until solve().
  void start(std::uint32_t slot, double cap);
  void stop(std::uint32_t slot);
  /// Brings all rates up to date. Returns the slots whose rate changed, valid until the next call; each of
  /// their old rates stands in previous_rate. Nothing is allocated.
  std::span<const std::uint32_t> solve();

  double rate(std::uint32_t slot) const { return rate_[slot]; }
  double previous_rate(std::uint32_t slot) const { return previous_rate_[slot]; }

 private:
  std::uint32_t hops(std::uint32_t slot) const {
    return problem_.path_first[slot + 1] - problem_.path_first[slot];
  }
  void touch(std::uint32_t link);
  void collect_component(std::uint32_t seed_link);
  void fill_component();
  void freeze(std::uint32_t slot, double rate);

  SharingProblem problem_;
  std::vector<double> cap_, rate_, previous_rate_;  // [slots]
  // Active transfers of a link: hops, so that removing one finds its place. A hop is an index into
  // path_links.
  std::vector<std::uint32_t> member_first_;  // [links + 1]
  std::vector<std::uint32_t> members_;       // hops
  std::vector<std::uint32_t> member_count_;  // [links]
  std::vector<std::uint32_t> place_of_hop_;  // [hops]
  std::vector<std::uint32_t> slot_of_hop_;   // [hops]
  // Scratch of solve().
  std::vector<std::uint32_t> touched_links_, component_links_, component_slots_, changed_;
  std::vector<std::uint32_t> unlimited_;  // started since the last solve(), on no link that can fill
  std::vector<std::uint32_t> link_epoch_, slot_epoch_;
  std::vector<double> link_left_, link_users_;
  std::vector<char> link_touched_, frozen_;
  std::uint32_t epoch_ = 0;
};

}  // namespace caliper
