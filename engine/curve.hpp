// Completion time against size from few runs. Along a line in the space of slice sizes it is piecewise
// affine, and a segment that is known to be straight needs no further run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace caliper {

/// What is known of a computed point: RunResult's seconds, decisions, and that rates were not shared.
struct CurvePoint {
  double seconds = 0;           ///< NaN: no time; then every point is computed
  std::uint64_t decisions = 0;  ///< 0: none
  bool convex = false;          ///< the completion time is a maximum of sums that are affine in the sizes
};

/// Asks for runs in waves, so that the runs of a wave may go in parallel; what it asks for depends on the
/// answers alone. The points of the curve lie on one line: all slice sizes are affine in x.
///
/// A segment is straight, and no more of it is computed, when
///   its ends have made the same decisions: then all between have, and times are affine; or
///   the curve is convex (no rate depends on another transfer) and the middle lies on the chord.
/// Anything else is halved, as far as points that are asked for lie in it; where links are shared and four
/// halvings in a row proved nothing, these points are computed one by one. So a point's value depends on the
/// curve alone, not on what else is asked. Nothing is taken for straight because it looks so: where links are
/// shared, curves have dents that a few points do not see.
class CurveBisection {
 public:
  /// How far from its chord the middle of a convex segment may lie, relative to its value. All others then
  /// lie within twice that.
  static constexpr double kTolerance = 1e-10;

  /// @param x      ascending, at least one point
  /// @param asked  beside x: points whose value is wanted
  CurveBisection(std::vector<double> x, std::vector<char> asked);

  /// Points to be computed next, each once; none when the curve is known.
  const std::vector<std::size_t>& wanted() const { return wanted_; }
  /// Answers for wanted(), in its order.
  void give(const std::vector<CurvePoint>& points);

  bool known(std::size_t point) const { return known_[point]; }  ///< computed, not interpolated
  /// Seconds, of a point that was asked for, when nothing is wanted any more.
  double value(std::size_t point) const;
  std::size_t computed() const;

 private:
  struct Segment {
    std::size_t first, last;
    std::uint32_t failures;  // halvings in a row above it in which nothing was proved
    std::size_t middle() const { return first + (last - first) / 2; }
  };
  void want(std::size_t point);
  void want_asked(const Segment& segment);
  bool asked_inside(const Segment& segment) const;
  void consider(const Segment& segment);
  void accept(std::size_t first, std::size_t last);
  bool decided_alike(const Segment& segment) const;
  bool middle_on_chord(const Segment& segment) const;

  std::vector<double> x_;
  std::vector<CurvePoint> points_;
  std::vector<char> asked_, known_;
  std::vector<double> interpolated_;
  std::vector<Segment> open_;  // whose middle is wanted
  std::vector<std::size_t> wanted_;
  bool started_ = false;
};

}  // namespace caliper
