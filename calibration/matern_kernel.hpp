// Matern 5/2 kernel with one lengthscale per dimension. A set of points is a matrix [d x n], a point a
// column.
#pragma once

#include <Eigen/Core>

namespace caliper {

/// sqrt(5) |(x - y) / lengthscales| of every x in `a` [d x n] with every y in `b` [d x m]; [n x m].
/// From differences, not from products: close points keep all digits of their distance.
Eigen::ArrayXXd matern_distances(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                                 const Eigen::VectorXd& lengthscales);

/// Correlation at such a distance: (1 + t + t^2/3) exp(-t); 1 at t = 0.
Eigen::ArrayXXd matern_correlation(const Eigen::ArrayXXd& distances);

/// 5/3 (1 + t) exp(-t). With the differences u = x - y it gives both derivatives of the correlation, without
/// a division by the distance: by x_i it is -slope u_i / l_i^2, by ln l_i it is slope (u_i / l_i)^2.
Eigen::ArrayXXd matern_slope(const Eigen::ArrayXXd& distances);

}  // namespace caliper
