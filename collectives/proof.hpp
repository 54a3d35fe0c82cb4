// A plan is executed symbolically before anything is simulated: does every rank end with the right data?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/plan.hpp"

namespace caliper {

enum class Violated : std::uint8_t {
  rings,         ///< a ring is no permutation, a tree no tree, or its crossings do not fit
  tiling,        ///< the chunks do not cover the buffer exactly once
  slices,        ///< the slices of a chunk do not add up to it or do not fit their slots
  matching,      ///< the j-th receive is not the j-th send of the rank before
  progress,      ///< every rank waits for data or a credit that another one gives only later
  data,          ///< a rank ends with a contribution missing, doubled or from elsewhere
  conservation,  ///< bytes sent are not 2(n-1)S for AllReduce, (n-1)S for AllGather and ReduceScatter
};
std::string_view name_of(Violated what);

struct Violation {
  Violated what;
  std::string text;
};

/// Nothing where the plan is right.
///
/// The ranks of a ring do the same steps up to rotation, so the ring is executed in the frame of one rank:
/// its neighbour's messages are its own, moved by one position. Loops work on different bytes in the same way
/// and are executed once. Trees are executed rank by rank. Cost: O(ranks) for each channel and each kind of
/// loop, whatever the size.
std::optional<Violation> prove(const Plan& plan);

}  // namespace caliper
