// The trivial baseline that a simulator has to beat: completion time as start-up plus bytes over bandwidth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace caliper {

/// What a ring does for one collective: serial steps, and bytes over the slowest link per byte of message.
/// Message sizes are nccl-tests' (full buffer), so the factor is the one between its algorithmic and bus
/// bandwidth.
struct RingTerms {
  double steps;
  double bus_factor;
};

/// all_reduce 2(n-1) steps and 2(n-1)/n; all_gather, reduce_scatter, alltoall n-1 and (n-1)/n; broadcast,
/// reduce n-1 and 1; sendrecv 1 and 1. Nothing for other names or fewer than two ranks.
std::optional<RingTerms> ring_terms(std::string_view collective, std::uint32_t ranks);

/// A measured point; the name of the collective outlives it.
struct CollectivePoint {
  std::string_view collective;
  std::uint32_t ranks;
  std::uint64_t bytes;
  double seconds;  ///< finite and > 0
};

/// T = alpha * steps + bytes * bus_factor / beta ("the plain alpha-beta fit of the same fit data").
///
/// Applies to other sizes, and by the ring terms to other collectives and scales, as far as one start-up per
/// step and one bandwidth hold for all of them: the same links are the bottleneck. That is so on one shape
/// (nodes x GPUs a node); from one node to several, or to another number of GPUs a node, it is a guess and
/// should be called one.
struct AlphaBeta {
  double alpha;         ///< s per ring step, >= 0
  double inverse_beta;  ///< s per byte over the bus, >= 0 (beta itself may be infinite)

  /// Seconds; nothing where ring_terms has nothing.
  std::optional<double> predict(std::string_view collective, std::uint32_t ranks, std::uint64_t bytes) const;
};

/// Least squares of the relative error, sum of ((T - t) / t)^2, over alpha >= 0 and 1/beta >= 0; exact (two
/// unknowns). Problems: fewer than two points that tell the terms apart, a collective or rank count without
/// ring terms.
Result<AlphaBeta> fit_alpha_beta(std::span<const CollectivePoint> points);

}  // namespace caliper
