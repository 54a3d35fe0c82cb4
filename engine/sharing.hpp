// Rates of the transfers of a run: each group of slots that share a link is kept in the way that suits it.
//   alone     a slot on links of its own: its rate never changes while a transfer is in it
//   pattern   a few slots: which of them are in use is a small number, and the rates of each such pattern are
//             solved once and remembered
//   large     anything else: progressive filling of the connected part that a change touches
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/max_min.hpp"
#include "engine/sharing_problem.hpp"

namespace caliper {

class Sharing {
 public:
  /// @param caps  bytes/s, distinct, > 0, may be infinite: those that transfers name by row
  Sharing(SharingProblem problem, std::vector<double> caps);

  /// Whether no other slot ever takes part of what the slot can get.
  bool alone(std::uint32_t slot) const { return part_[slot] == kAlone; }
  /// The first slot of those that it shares links with, itself or through others.
  std::uint32_t first_of_group(std::uint32_t slot) const { return group_[slot]; }
  /// Rate of a transfer in a slot that is alone, without start and stop.
  double lone_rate(std::uint32_t slot, double cap) const { return std::min(cap, lone_capacity_[slot]); }

  /// A transfer limited to caps[cap] occupies the slot, which must be free. Its rate is 0 until solve().
  void start(std::uint32_t slot, std::uint32_t cap);
  void stop(std::uint32_t slot);
  /// Brings all rates up to date. Returns the slots whose rate changed, valid until the next call; each of
  /// their old rates stands in previous_rate. Nothing is allocated.
  std::span<const std::uint32_t> solve();

  /// Hash of which slots were in use together, in which order, in each part.
  std::uint64_t decisions() const;

  double rate(std::uint32_t slot) const { return rate_[slot]; }
  double previous_rate(std::uint32_t slot) const { return previous_rate_[slot]; }

 private:
  static constexpr std::uint32_t kAlone = 0xffffffff, kLarge = 0xfffffffe;

  /// Slots that share links and are few.
  struct Part {
    std::uint32_t first, slots;       // rows of order_
    std::uint32_t first_link, links;  // rows of part_links_
    std::uint32_t first_key, keys;    // rows of keys_, a power of two
    std::uint32_t known = 0;          // patterns that are remembered
    std::uint64_t pattern = 0;        // bits_ a slot: cap + 1, or 0
    bool touched = false;
    std::uint64_t decisions = 0;
  };

  void split(const SharingProblem& problem);
  void make_part(const SharingProblem& problem, std::span<const std::uint32_t> slots);
  void change(std::uint32_t slot, std::uint64_t code);
  const double* rates_of(Part& part);
  void fill(const Part& part, double* rates);
  void set_rate(std::uint32_t slot, double rate);

  std::vector<double> caps_;
  std::uint32_t bits_;                       // of a slot in a pattern
  std::vector<std::uint32_t> group_;         // [slots]
  std::vector<std::uint32_t> part_, place_;  // [slots] row of parts_ or kAlone, kLarge; place in the part
  std::vector<double> lone_capacity_;        // [slots] share of its narrowest link, where alone
  std::vector<double> rate_, previous_rate_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> order_;  // slots by part
  // Crossings of a part's links, CSR by part_links_.
  std::vector<double> part_links_;             // capacity
  std::vector<std::uint32_t> crossing_first_;  // [part links + 1]
  std::vector<std::uint32_t> crossing_place_;  // place of the slot in its part
  std::vector<double> crossing_users_;
  // Remembered patterns: open addressing in [first_key, first_key + keys).
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> key_rates_;  // row of remembered_
  std::vector<double> remembered_;
  // Scratch.
  std::vector<std::uint32_t> touched_, changed_, lone_started_;
  std::vector<double> lone_started_rate_;  // [slots]
  std::vector<double> left_, users_, fresh_;
  std::vector<char> frozen_;
  std::optional<MaxMinSharing> large_;
  bool large_touched_ = false;
  std::uint64_t large_changes_ = 0, large_decisions_ = 0;  // since the last solve(), and all
};

}  // namespace caliper
