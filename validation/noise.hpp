// How far measurements can be trusted: disagreement of repeats, and single points that lie off their
// neighbours.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "calibration/dataset.hpp"

namespace caliper {

/// Relative disagreement of repeats in one group: for each size with two repeats or more, the median of |ln(a
/// / b)| over its pairs of repeats; of these, the median over the sizes. NaN where no size has two.
///
/// For Gaussian scatter of relative standard deviation s a pair differs by 0.95 s in the median, so the
/// number reads as the standard deviation of one repeat, and fewer than half of the sizes (or repeats) being
/// disturbed does not move it much. It says nothing of what all repeats share, such as a slow allocation of
/// nodes. Of more than 512 repeats of a size 512 evenly spaced ones are compared.
double noise_floor(std::span<const Experiment> group);

/// How well the noise of one group is known.
struct NoiseEstimate {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double floor = kNone;      ///< noise_floor
  std::size_t repeated = 0;  ///< sizes with two repeats or more
  /// 95 % interval of `floor`: percentiles of kResamples bootstrap samples of the repeated sizes, of a fixed
  /// seed. NaN below three repeated sizes.
  std::pair<double, double> interval = {kNone, kNone};
  /// From a single time per size: median |second difference| of log T over log size, each divided by its
  /// standard deviation for independent scatter of 1, over 0.6745 (a Gaussian's median). A lower bound of
  /// what repeats would show, as far as neighbours share a disturbance; where sizes are far apart the bend of
  /// the curve itself adds to it. NaN below five sizes.
  double roughness = kNone;

  static constexpr std::size_t kResamples = 2000;
};
/// @param group  sorted by size, no size twice
NoiseEstimate estimate_noise(std::span<const Experiment> group);

struct Outlier {
  std::size_t index;  ///< into the span asked about
  double deviation;   ///< (measured - expected) / expected
};

/// Points of one group (sorted by size) that lie off the smooth curve of their neighbours. For someone to
/// look at: nothing is dropped.
///
/// Expected times come from straight lines of time over size, on which start-up plus bytes over bandwidth
/// lies exactly: through the two neighbours, the two points before and the two points after; where one side
/// has fewer than two, the second and third point of the other side stand in. A point is an outlier when it
/// is off *all* of these lines to the same side; its deviation is the smallest. So a step of the curve (a
/// protocol switch) is none, nor is the good neighbour of a bad point. Threshold: 5 % and four times the
/// median deviation of the five nearest points from the line through their neighbours, of lines that do not
/// touch the point itself: so a rough stretch elsewhere in the group hides nothing. Groups of fewer than five
/// points have none; two bad points side by side hide each other.
std::vector<Outlier> outliers(std::span<const Experiment> group);

/// Deviation of every outlier of every group, [Dataset::experiments]; NaN where a point is none.
std::vector<double> outlier_deviations(const Dataset& dataset);

}  // namespace caliper
