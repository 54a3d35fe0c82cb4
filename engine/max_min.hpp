// Rates of transfers that share links: max-min fairness by progressive filling, kept up to date while
// transfers come and go. Only the connected components that a change touches are solved again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace caliper {

/// Links and the transfers that may cross them, as CSR. A slot is room for one transfer at a time; its path
/// is fixed.
struct SharingProblem {
  std::vector<double> capacity;           ///< bytes/s, [links], > 0
  std::vector<std::uint32_t> path_first;  ///< [slots + 1]
  std::vector<std::uint32_t> path_links;  ///< no link twice in a path
  std::vector<double> largest_cap;        ///< bytes/s, [slots]: no transfer in the slot is ever faster
};

/// Removes from all paths the links that can never be full: whatever runs, what enters them is limited by
/// caps and by the other links of the paths to at most their capacity. The rates that follow are the same.
/// Cost: O(slots * path length^2).
void prune_links_that_never_fill(SharingProblem& problem);

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
  std::vector<std::uint32_t> link_epoch_, slot_epoch_, link_users_;
  std::vector<double> link_left_;
  std::vector<char> link_touched_, frozen_;
  std::uint32_t epoch_ = 0;
};

}  // namespace caliper
