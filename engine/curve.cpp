#include "engine/curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kMostFailures = 4;

}  // namespace

CurveBisection::CurveBisection(std::vector<double> x, std::vector<char> asked)
    : x_(std::move(x)),
      points_(x_.size()),
      asked_(std::move(asked)),
      known_(x_.size(), 0),
      interpolated_(x_.size(), 0) {
  CALIPER_CHECK(!x_.empty() && asked_.size() == x_.size());
  CALIPER_CHECK(std::ranges::is_sorted(x_, std::ranges::less_equal{}));
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

bool CurveBisection::asked_inside(const Segment& s) const {
  return std::any_of(asked_.begin() + static_cast<std::ptrdiff_t>(s.first + 1),
                     asked_.begin() + static_cast<std::ptrdiff_t>(s.last),
                     [](char asked) { return asked != 0; });
}

void CurveBisection::want_asked(const Segment& s) {
  for (std::size_t point = s.first; point <= s.last; ++point)
    if (asked_[point]) want(point);
}

/// What lies between is on the chord.
void CurveBisection::accept(std::size_t first, std::size_t last) {
  for (std::size_t point = first + 1; point < last; ++point) {
    const double along = (x_[point] - x_[first]) / (x_[last] - x_[first]);
    interpolated_[point] = points_[first].seconds + along * (points_[last].seconds - points_[first].seconds);
  }
}

/// Both ends of the segment are known.
void CurveBisection::consider(const Segment& segment) {
  if (segment.last - segment.first < 2 || !asked_inside(segment)) return;
  if (decided_alike(segment)) return accept(segment.first, segment.last);
  if (segment.failures >= kMostFailures && !points_[segment.first].convex) return want_asked(segment);
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
  const std::vector<Segment> before = std::exchange(open_, {});
  if (!std::ranges::all_of(points, [](const CurvePoint& p) { return std::isfinite(p.seconds); }))
    return want_asked({0, x_.size() - 1, 0});
  if (!started_) consider({0, x_.size() - 1, 0});
  started_ = true;
  for (const Segment& segment : before) {
    const std::size_t middle = segment.middle();
    const bool convex =
        points_[segment.first].convex && points_[middle].convex && points_[segment.last].convex;
    if (convex && middle_on_chord(segment)) {
      accept(segment.first, middle);
      accept(middle, segment.last);
      continue;
    }
    Segment left{segment.first, middle, 0}, right{middle, segment.last, 0};
    if (!decided_alike(left) && !decided_alike(right)) left.failures = right.failures = segment.failures + 1;
    consider(left);
    consider(right);
  }
}

double CurveBisection::value(std::size_t point) const {
  CALIPER_CHECK(wanted_.empty() && asked_[point]);
  return known_[point] ? points_[point].seconds : interpolated_[point];
}

std::size_t CurveBisection::computed() const {
  return static_cast<std::size_t>(std::ranges::count(known_, 1));
}

}  // namespace caliper
