// Which sizes of an execution lie on one line: the same steps, and every slice grows in proportion.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "collectives/plan.hpp"

namespace caliper {

/// Whether the slices of b lie on the straight line from a to c by bytes: the same channels, loops and number
/// of chunks, and every slice of b is exactly (integers) the interpolation of those of a and c. a.bytes <
/// b.bytes < c.bytes.
bool on_one_line(const Plan& a, const Plan& b, const Plan& c);

/// Splits sizes, ascending, into runs [first, last] of which all lie on one line. A run of one or two is one
/// by nature. Plans are of one execution. Cost: O(plans * ranks * channels).
std::vector<std::pair<std::size_t, std::size_t>> lines_of(std::span<const Plan> plans);

}  // namespace caliper
