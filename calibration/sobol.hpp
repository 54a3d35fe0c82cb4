// Scrambled Sobol points and normal samples, as functions of (seed, index).
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace caliper {

inline constexpr std::size_t kMaxSobolDimensions = 3667;  ///< of Joe and Kuo's table

/// Points first .. first + count - 1 of a Sobol sequence (Joe and Kuo's directions) under Owen's nested
/// uniform scramble, in the open unit cube; [dimensions x count], a point a column. Each point alone is
/// uniform, and each aligned block of 2^k points puts one into every one of 2^k equal slices of each axis.
/// @param dimensions  1 .. kMaxSobolDimensions
Eigen::MatrixXd sobol_points(std::uint64_t seed, std::size_t dimensions, std::uint64_t first,
                             std::size_t count);

/// The same points one by one, the shape in which an Optimizer hands them out.
std::vector<Eigen::VectorXd> sobol_list(std::uint64_t seed, std::size_t dimensions, std::uint64_t first,
                                        std::size_t count);

/// Where the standard normal's distribution is p, 0 < p < 1.
double normal_quantile(double p);

/// The same points as samples of the standard normal; [count x dimensions].
Eigen::MatrixXd sobol_normals(std::uint64_t seed, std::size_t dimensions, std::size_t count);

}  // namespace caliper
