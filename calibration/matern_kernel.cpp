#include "calibration/matern_kernel.hpp"

#include "base/check.hpp"

namespace caliper {

Eigen::ArrayXXd matern_distances(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                                 const Eigen::VectorXd& lengthscales) {
  CALIPER_CHECK(a.rows() == lengthscales.size() && b.rows() == lengthscales.size());
  Eigen::ArrayXXd squares = Eigen::ArrayXXd::Zero(a.cols(), b.cols());
  Eigen::ArrayXd scaled(a.cols());
  for (Eigen::Index i = 0; i < lengthscales.size(); ++i) {
    const double inverse = 1 / lengthscales[i];
    scaled = a.row(i).transpose().array() * inverse;
    for (Eigen::Index j = 0; j < b.cols(); ++j) squares.col(j) += (scaled - b(i, j) * inverse).square();
  }
  return (5 * squares).sqrt();
}

Eigen::ArrayXXd matern_correlation(const Eigen::ArrayXXd& distances) {
  return (1 + distances * (1 + distances / 3)) * (-distances).exp();
}

Eigen::ArrayXXd matern_slope(const Eigen::ArrayXXd& distances) {
  return (5.0 / 3) * (1 + distances) * (-distances).exp();
}

}  // namespace caliper
