// Whether what is left between simulation and measurement is scatter, or a part of the machine that the model
// lacks: residuals in order of size, their signs, their smooth part.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace caliper {

/// ln(simulated / measured) of one size: above 0 the simulator is too slow. A span of them is ascending in
/// size, no size twice, values finite.
struct SizedResidual {
  std::uint64_t bytes;
  double value;
};

/// Wald-Wolfowitz: of n1 signs + and n2 signs -, in random order, the probability of `runs` runs or fewer
/// (a run: neighbours of one sign). Exact for any count: P(R = 2k) = 2 C(n1-1,k-1) C(n2-1,k-1) / C(n1+n2,n1),
/// P(R = 2k+1) = [C(n1-1,k) C(n2-1,k-1) + C(n1-1,k-1) C(n2-1,k)] / C(n1+n2,n1). Source: Wald and Wolfowitz,
/// Ann. Math. Statist. 11, 1940.
double probability_of_runs_up_to(std::uint64_t positive, std::uint64_t negative, std::uint64_t runs);

struct RunsTest {
  std::uint64_t positive = 0, negative = 0, runs = 0;  ///< residuals of exactly 0 are left out
  /// One-sided, for clustering: few runs mean that neighbours err to the same side. 1 where all signs agree:
  /// then the bias speaks.
  double p = 1;
};
RunsTest runs_test(std::span<const SizedResidual> residuals);

/// Mean square of the residuals = bias^2 + structured^2 + scatter^2, to rounding.
struct ResidualStructure {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;
  double rms = kNone;
  double bias = kNone;  ///< mean, signed
  /// Root of what the variance has beyond the scatter: a smooth function of the size.
  double structured = kNone;
  /// Root mean square of what neighbours do not share: second differences over log size, each divided by its
  /// standard deviation for independent scatter of 1 (von Neumann's estimator, for uneven steps); at most the
  /// standard deviation. NaN of fewer than three sizes, as is `structured`.
  double scatter = kNone;
  /// Lag 1 in order of size; NaN of fewer than three sizes or where all are equal.
  double autocorrelation = kNone;
  RunsTest runs;

  /// Root of bias^2 + structured^2 (all of rms where the two cannot be told from scatter).
  double systematic() const;
};
ResidualStructure residual_structure(std::span<const SizedResidual> residuals);

/// Rule by which a residual is called structured, from kFewestSizes sizes on: the runs test has p <
/// kRareRuns, or the systematic part exceeds kTimesNoise times the noise. Noise is the larger of the
/// residuals' own scatter and the disagreement of repeats.
inline constexpr std::size_t kFewestSizes = 5;
inline constexpr double kRareRuns = 0.01;
inline constexpr double kTimesNoise = 3;

/// The reason in words, "runs test p = 0.004" or "systematic part of 2.1 % over a noise of 0.3 %"; empty
/// where it is not structured.
/// @param repeats  noise floor of the group, fraction; NaN where nothing is repeated
std::string why_structured(const ResidualStructure& found, double repeats);

/// "too slow up to 32 MiB (+3.1 %), too fast above (-1.2 %)": stretches of one sign, each with its mean. A
/// stretch has to outweigh its cost of a tenth of all |residuals|, so that single points do not break it.
/// Empty of no residuals.
std::string sign_pattern(std::span<const SizedResidual> residuals);

}  // namespace caliper
