// What a thread block does in one loop: NCCL's primitives in order.
// Source: NCCL 2.28.9 device/all_reduce.h, all_gather.h, reduce_scatter.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/execution.hpp"

namespace caliper {

enum class Primitive : std::uint8_t {
  send,
  receive_reduce_send,
  receive_reduce_copy_send,
  receive_copy_send,
  receive,
  receive_reduce_copy,
};
inline constexpr std::uint32_t kPrimitives = 6;

std::string_view name_of(Primitive primitive);  ///< "receive-reduce-send"
constexpr bool receives(Primitive p) { return p != Primitive::send; }
constexpr bool sends(Primitive p) { return p != Primitive::receive && p != Primitive::receive_reduce_copy; }
constexpr bool reduces(Primitive p) {
  return p == Primitive::receive_reduce_send || p == Primitive::receive_reduce_copy_send ||
         p == Primitive::receive_reduce_copy;
}
/// Writes the user's output buffer (AllGather's own block is already in place there).
constexpr bool stores(Primitive p) { return p != Primitive::send && p != Primitive::receive_reduce_send; }

struct PrimitiveRun {
  Primitive primitive;
  std::uint32_t count;
};

/// One loop of every rank of a ring. Step p at ring position i (rank 0 is at 0) works on part (i + shift - p)
/// mod n: chunk of that number (AllReduce), block of the rank at that position (AllGather, ReduceScatter).
struct PrimitiveSequence {
  std::uint32_t ranks;
  std::uint32_t shift;
  std::vector<PrimitiveRun> runs;

  std::uint32_t steps() const;
  std::uint32_t sends() const;  ///< steps that send
  /// The part of `step` at a position; step < steps().
  std::uint32_t part(std::uint32_t position, std::uint32_t step) const {
    return static_cast<std::uint32_t>((std::uint64_t{position} + shift + std::uint64_t{ranks} * 2 - step) %
                                      ranks);
  }
};

/// AllReduce: 2n-1 steps, 2(n-1) of them send. AllGather and ReduceScatter: n steps, n-1 send. ranks >= 2.
PrimitiveSequence make_sequence(Collective collective, std::uint32_t ranks);

}  // namespace caliper
