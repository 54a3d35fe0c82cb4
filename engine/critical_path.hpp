// What the completion time of a run is made of: the chain of waits that ends with what happened last, walked
// back to time 0, and the derivatives that follow from it.
//
// Each operation has recorded what it waited for last, so each moment of the chain is the end of exactly one
// thing that began at the moment before: an overhead, bytes of a cost, bytes over a rate, a latency. A
// transfer that waited for the one before it on its ordered edge goes on along that one. Of equal candidates
// it is, at the end, the first operation by worker and ordinal, its arrival before its cost; at the begin of
// an operation the worker before the data before the credit; of a transfer its own time before the transfer
// before it; of a rate the cap, then the link that comes first in the path.
//
// Exactness. Parts are recorded times apart: each begins at the very double at which the one before it ends,
// the first at 0. Their seconds are chosen such that begin + seconds, rounded, is that end, so that a plain
// sum in the order of the parts gives the completion time bit for bit. The rounded difference end - begin has
// this property (by Sterbenz's lemma it is exact where end <= 2 begin) but for one case, a tie of the
// rounding: there the part comes as two, which meet at end / 2; both differences are exact then.
//
// Derivatives. While the order of events stays, the completion time is the sum of the parts, each a known
// function of one expression: its value, bytes * value, bytes / value, bytes * users / value. So its
// derivative is exact as long as no transfer on the chain had a rate that changed on the way, or one that
// depends on more than capacity / users of one link (where others of the link's users are limited elsewhere);
// such parts are not `plain`: they take part with their limit alone, which neglects that the changes
// themselves move, and the derivative is an approximation. At a tie of candidates the completion time has a
// kink: what is given is the derivative of the chain that was chosen, a one-sided one or one between both
// sides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/run_result.hpp"

namespace caliper {

enum class PathCost : std::uint8_t {
  overhead,       ///< of a kind
  bytes,          ///< at a kind's seconds per byte
  rate_cap,       ///< bytes over the rate cap of a kind
  link,           ///< bytes over a link, or over its share of one
  route_latency,  ///< before a transfer takes bandwidth
  edge_latency,   ///< until the receiver sees the slice
};

struct PathPart {
  PathCost cost;
  bool plain;               ///< its derivative is exact
  ExpressionId expression;  ///< of Program::expressions: what its length depends on
  LinkId link;              ///< of Program::links, where the cost is `link`
  double begin;             ///< s
  double seconds;           ///< > 0
};

struct CriticalPath {
  double seconds;               ///< completion time
  std::vector<PathPart> parts;  ///< in the order of time; none of length 0
  /// d completion time / d value of each expression, [expressions]; length 0 does not keep a part out.
  std::vector<double> by_expression;
  double approximate_seconds;  ///< of parts that are not plain; 0: the derivatives are exact

  bool exact() const { return approximate_seconds == 0; }
};

/// @param program  plain, or of a Folding: parts name its links, and the same expressions. Both have the same
///                 parts, unless rounding, which may differ between them, decides a tie.
/// @param times    of a run of the program with these numbers that did not get stuck
/// Cost: O(operations * log), memory 16 B an operation. A program without operations has no parts.
CriticalPath critical_path(const Program& program, std::span<const double> numbers,
                           const OperationTimes& times);

/// d completion time / d parameter, [parameters].
std::vector<double> derivative_by_parameter(const Program& program, ParameterView parameters,
                                            const CriticalPath& path);

}  // namespace caliper
