#include "calibration/sobol.hpp"

#include <numbers>
#include <vector>

#include <boost/math/special_functions/erf.hpp>
#include <boost/random/sobol.hpp>

#include "base/check.hpp"
#include "base/random.hpp"

namespace caliper {

namespace {

// Nested uniform scramble (Owen, MCQMC 1995): each bit is flipped by a coin that belongs to the bits above
// it. After 32 bits, which tell all points of any real design apart, the rest is one draw.
double scrambled(std::uint64_t bits, std::uint64_t axis_seed) {
  constexpr unsigned kNested = 32;
  std::uint64_t result = 0;
  for (unsigned level = 0; level < kNested; ++level) {
    const std::uint64_t above = level == 0 ? 0 : bits >> (64 - level);
    const std::uint64_t coin = hash64(axis_seed, level, above) & 1u;
    result = (result << 1) | (((bits >> (63 - level)) & 1u) ^ coin);
  }
  result = (result << kNested) | (hash64(axis_seed, kNested, bits >> kNested) >> kNested);
  return (static_cast<double>(result >> 12) + 0.5) * 0x1p-52;  // never 0 or 1
}

}  // namespace

Eigen::MatrixXd sobol_points(std::uint64_t seed, std::size_t dimensions, std::uint64_t first,
                             std::size_t count) {
  CALIPER_CHECK(dimensions >= 1 && dimensions <= kMaxSobolDimensions);
  Eigen::MatrixXd points(static_cast<Eigen::Index>(dimensions), static_cast<Eigen::Index>(count));
  boost::random::sobol sequence(dimensions);
  std::vector<std::uint64_t> bits(dimensions, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t index = first + i;
    // The library leaves out the first point of the sequence, the origin; without it no block would be
    // balanced.
    if (index > 0) {
      if (i == 0) sequence.seed(index - 1);
      sequence.generate(bits.begin(), bits.end());
    }
    for (std::size_t axis = 0; axis < dimensions; ++axis)
      points(static_cast<Eigen::Index>(axis), static_cast<Eigen::Index>(i)) =
          scrambled(bits[axis], hash64(seed, axis, 0));
  }
  return points;
}

std::vector<Eigen::VectorXd> sobol_list(std::uint64_t seed, std::size_t dimensions, std::uint64_t first,
                                        std::size_t count) {
  const Eigen::MatrixXd points = sobol_points(seed, dimensions, first, count);
  std::vector<Eigen::VectorXd> list;
  for (Eigen::Index i = 0; i < points.cols(); ++i) list.emplace_back(points.col(i));
  return list;
}

double normal_quantile(double p) {
  CALIPER_CHECK(p > 0 && p < 1);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

Eigen::MatrixXd sobol_normals(std::uint64_t seed, std::size_t dimensions, std::size_t count) {
  return sobol_points(seed, dimensions, 0, count).unaryExpr(&normal_quantile).transpose();
}

}  // namespace caliper
