#include "calibration/gp_fit.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <tbb/parallel_for.h>

#include "base/check.hpp"
#include "calibration/box_minimizer.hpp"

namespace caliper {

namespace {

struct LogNormalPrior {
  double log_mean, log_deviation;

  double log_mode() const { return log_mean - log_deviation * log_deviation; }
  // Of the lengthscale itself, without its constant; t is its logarithm.
  double log_density(double t) const {
    const double u = (t - log_mean) / log_deviation;
    return -t - 0.5 * u * u;
  }
  double slope(double t) const { return -1 - (t - log_mean) / (log_deviation * log_deviation); }
};

class Posterior {
 public:
  Posterior(const Eigen::MatrixXd& points, const Eigen::VectorXd& values, double noise_share)
      : points_(points),
        values_(values),
        noise_share_(noise_share),
        prior_{std::numbers::sqrt2 + 0.5 * std::log(static_cast<double>(points.rows())),
               std::numbers::sqrt3} {}

  const LogNormalPrior& prior() const { return prior_; }

  std::optional<GaussianProcess> process(const Eigen::VectorXd& log_lengthscales) const {
    auto process =
        GaussianProcess::condition(points_, values_, {log_lengthscales.array().exp(), 1, noise_share_, 0});
    if (process) process->profile_outputscale();
    return process;
  }

  // Minus the logarithm of the posterior density; NaN where the covariance cannot be factorised.
  double energy(const Eigen::VectorXd& log_lengthscales, Eigen::VectorXd* gradient) const {
    const auto fitted = process(log_lengthscales);
    if (!fitted) return std::numeric_limits<double>::quiet_NaN();
    double energy = -fitted->log_likelihood();
    if (gradient != nullptr) *gradient = -fitted->log_likelihood_gradient().log_lengthscales;
    for (Eigen::Index i = 0; i < log_lengthscales.size(); ++i) {
      energy -= prior_.log_density(log_lengthscales[i]);
      if (gradient != nullptr) (*gradient)[i] -= prior_.slope(log_lengthscales[i]);
    }
    return energy;
  }

 private:
  const Eigen::MatrixXd& points_;
  const Eigen::VectorXd& values_;
  double noise_share_;
  LogNormalPrior prior_;
};

// The most probable of a few equal lengthscales, as multiples of the prior's mode.
Eigen::VectorXd best_equal(const Posterior& posterior, const Eigen::VectorXd& mode, const Box& box) {
  Eigen::VectorXd best = mode;
  double least = std::numeric_limits<double>::infinity();
  for (const double factor : {0.3, 3.0, 10.0}) {
    const Eigen::VectorXd trial =
        (mode.array() + std::log(factor)).matrix().cwiseMax(box.lower).cwiseMin(box.upper);
    const double energy = posterior.energy(trial, nullptr);
    if (energy < least) {
      least = energy;
      best = trial;
    }
  }
  return best;
}

}  // namespace

std::optional<GaussianProcess> fit_gaussian_process(const Eigen::MatrixXd& points,
                                                    const Eigen::VectorXd& values,
                                                    const GpFitOptions& options) {
  CALIPER_CHECK(points.rows() > 0 && points.cols() == values.size() && values.size() > 0);
  const Posterior posterior(points, values, options.noise_share);
  const Eigen::VectorXd mode = Eigen::VectorXd::Constant(points.rows(), posterior.prior().log_mode());
  // Values that are all alike say nothing of lengthscales.
  if ((values.array() == 0).all()) return posterior.process(mode);

  const Box box{Eigen::VectorXd::Constant(points.rows(), std::log(options.shortest)),
                Eigen::VectorXd::Constant(points.rows(), std::log(options.longest))};
  const std::array<Eigen::VectorXd, 2> starts{mode, best_equal(posterior, mode, box)};
  std::array<BoxMinimum, 2> found;
  tbb::parallel_for(std::size_t{0}, starts.size(), [&](std::size_t i) {
    const auto energy = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
      return posterior.energy(x, &gradient);
    };
    found[i] = minimize_in_box(energy, starts[i], box, {options.evaluations, 1e-6});
  });
  return posterior.process(found[1].value < found[0].value ? found[1].point : found[0].point);
}

}  // namespace caliper
