// What the operations of a lowered collective cost, as kinds and latencies of a program.
#pragma once

#include <array>

#include "base/parameters.hpp"
#include "collectives/primitives.hpp"
#include "engine/program_builder.hpp"

namespace caliper {

/// Every cost of a program, resolved once. Sizes of operations are wire bytes, and so are the bytes of rates:
/// a block stores what a link carries.
struct ProgramCosts {
  KindId launch, proxy;
  std::array<KindId, kPrimitives> over_nvlink;  ///< [primitive]
  std::array<KindId, kPrimitives> in_place;     ///< [primitive]; for primitives that do not send the same
  ExpressionId none, nvlink_latency, message_latency;

  /// @param whole_block  the thread block does one thing; else it is split in two halves, each of which sends
  ///                     at gpu.tree_share of the rate
  /// Kinds of halves are named as such: a program may have both.
  ProgramCosts(const ParameterTable& table, ProgramBuilder& builder, Protocol protocol,
               bool whole_block = true);
};

}  // namespace caliper
