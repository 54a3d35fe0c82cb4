// Links and the transfers that may cross them, without the numbers that change while they do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"

namespace caliper {

/// As CSR over slots. A slot is room for one transfer at a time; its path is fixed.
struct SharingProblem {
  std::vector<double> capacity;           ///< bytes/s, [links], > 0
  std::vector<std::uint32_t> path_first;  ///< [slots + 1]
  std::vector<std::uint32_t> path_links;  ///< no link twice in a path
  /// Beside path_links: transfers that cross one such link when the slot is in use (of a folded program, more
  /// than one); >= 1.
  std::vector<std::uint32_t> path_users;
  std::vector<double> largest_cap;  ///< bytes/s, [slots]: no transfer in the slot is ever faster

  std::uint32_t slots() const { return static_cast<std::uint32_t>(largest_cap.size()); }
};

/// Transfers that may cross a path at the same time.
struct PathLoad {
  std::uint32_t path;
  std::uint32_t transfers;
  double largest_cap;  ///< bytes/s: none of them is ever faster
};

/// Which links can be full at all, [links]. Of the others it is certain: whatever runs, what enters them is
/// limited by caps and by the other links of the paths to at most their capacity, so that rates are the same
/// without them. All users are 1: two classes of a folded program that cross the same class of gates may
/// cross different ones. Cost: O(loads * path length^2).
/// @param path_first, path_links  CSR by path
std::vector<char> links_that_can_fill(std::span<const double> capacity,
                                      std::span<const std::uint32_t> path_first,
                                      std::span<const std::uint32_t> path_links,
                                      std::span<const PathLoad> loads);
std::vector<char> links_that_can_fill(const SharingProblem& problem);

/// Takes the links that cannot fill out of all paths.
void keep_links(SharingProblem& problem, const std::vector<char>& keep);

}  // namespace caliper
