#include "engine/curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace caliper {

CurveBisection::CurveBisection(std::vector<double> x)
    : x_(std::move(x)), points_(x_.size()), known_(x_.size(), 0) {
  CALIPER_CHECK(!x_.empty() && std::ranges::is_sorted(x_, std::ranges::less_equal{}));
  want(0);
  want(x_.size() - 1);
}

void CurveBisection::want(std::size_t point) {
  if (!known_[point] && std::ranges::find(wanted_, point) == wanted_.end()) wanted_.push_back(point);
}

bool CurveBisection::decided_alike(const Segment& s) const {
  const std::uint64_t decisions = points_[s.first].decisions;
  return decisions != 0 && decisions == points_[s.last].decisions;
}

bool CurveBisection::middle_on_chord(const Segment& s) const {
  const CurvePoint &first = points_[s.first], &middle = points_[s.middle()], &last = points_[s.last];
  const double along = (x_[s.middle()] - x_[s.first]) / (x_[s.last] - x_[s.first]);
  const double chord = first.seconds + along * (last.seconds - first.seconds);
  return std::abs(middle.seconds - chord) <= kTolerance * std::abs(middle.seconds);
}

/// Both ends of the segment are known.
void CurveBisection::consider(const Segment& segment) {
  if (segment.last - segment.first < 2 || decided_alike(segment)) return;
  want(segment.middle());
  open_.push_back(segment);
}

void CurveBisection::give(const std::vector<CurvePoint>& points) {
  CALIPER_CHECK(points.size() == wanted_.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    points_[wanted_[i]] = points[i];
    known_[wanted_[i]] = 1;
  }
  wanted_.clear();
  if (!std::ranges::all_of(points, [](const CurvePoint& p) { return std::isfinite(p.seconds); })) {
    open_.clear();
    for (std::size_t point = 0; point < x_.size(); ++point) want(point);
    return;
  }
  if (computed() == x_.size()) {
    open_.clear();
    return;
  }
  const std::vector<Segment> before = std::exchange(open_, {});
  if (before.empty()) consider({0, x_.size() - 1});
  for (const Segment& segment : before) {
    const bool convex =
        points_[segment.first].convex && points_[segment.middle()].convex && points_[segment.last].convex;
    if (convex && middle_on_chord(segment)) continue;
    consider({segment.first, segment.middle()});
    consider({segment.middle(), segment.last});
  }
}

double CurveBisection::value(std::size_t point) const {
  CALIPER_CHECK(wanted_.empty());
  if (known_[point]) return points_[point].seconds;
  std::size_t left = point, right = point;
  while (!known_[left]) --left;
  while (!known_[right]) ++right;
  const double along = (x_[point] - x_[left]) / (x_[right] - x_[left]);
  return points_[left].seconds + along * (points_[right].seconds - points_[left].seconds);
}

std::size_t CurveBisection::computed() const {
  return static_cast<std::size_t>(std::ranges::count(known_, 1));
}

}  // namespace caliper
