#include "validation/residual_structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/units.hpp"

namespace caliper {
namespace {

constexpr double kCostOfStretch = 0.1;  // share of the sum of |residuals|

/// ln C(n, k); minus infinity where there is no way.
double log_choose(double n, double k) {
  if (k < 0 || k > n) return -std::numeric_limits<double>::infinity();
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double square(double x) { return x * x; }

/// Mean square of second differences over log size, in units of independent scatter. Of three sizes or more.
double mean_square_of_second_differences(std::span<const SizedResidual> residuals) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < residuals.size(); ++i) {
    const auto size = [&](std::size_t k) { return std::log(static_cast<double>(residuals[k].bytes)); };
    const double right = (size(i) - size(i - 1)) / (size(i + 1) - size(i - 1)), left = 1 - right;
    const double off = residuals[i].value - left * residuals[i - 1].value - right * residuals[i + 1].value;
    sum += square(off) / (1 + square(left) + square(right));
  }
  return sum / static_cast<double>(residuals.size() - 2);
}

/// A stretch of residuals that err to one side.
struct Stretch {
  std::size_t begin, end;
  bool slow;
};

/// The signs that agree most with the residuals, less the cost of every change: dynamic programming over the
/// two signs of each point.
std::vector<Stretch> stretches(std::span<const SizedResidual> residuals) {
  double cost = 0;
  for (const SizedResidual& residual : residuals) cost += kCostOfStretch * std::abs(residual.value);
  std::vector<std::array<bool, 2>> changed(residuals.size());  // [point][slow]: sign differs before it
  std::array<double, 2> best = {0, 0};
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    std::array<double, 2> next;
    for (const std::size_t slow : {std::size_t{0}, std::size_t{1}}) {
      changed[i][slow] = i > 0 && best[1 - slow] - cost > best[slow];
      next[slow] = (changed[i][slow] ? best[1 - slow] - cost : best[slow]) +
                   (slow == 1 ? residuals[i].value : -residuals[i].value);
    }
    best = next;
  }
  std::vector<Stretch> found;
  bool slow = best[1] >= best[0];
  std::size_t end = residuals.size();
  for (std::size_t i = residuals.size(); i-- > 0;)
    if (i == 0 || changed[i][slow ? 1 : 0]) {
      found.insert(found.begin(), {i, end, slow});
      end = i;
      slow = !slow;
    }
  return found;
}

}  // namespace

double probability_of_runs_up_to(std::uint64_t positive, std::uint64_t negative, std::uint64_t runs) {
  CALIPER_CHECK(positive + negative > 0);
  const auto a = static_cast<double>(positive), b = static_cast<double>(negative);
  if (positive == 0 || negative == 0) return runs >= 1 ? 1 : 0;
  const double all = log_choose(a + b, a);
  double sum = 0;
  for (std::uint64_t r = 2; r <= std::min(runs, positive + negative); ++r) {
    const auto k = static_cast<double>(r / 2);
    if (r % 2 == 0) {
      sum += 2 * std::exp(log_choose(a - 1, k - 1) + log_choose(b - 1, k - 1) - all);
    } else {
      sum += std::exp(log_choose(a - 1, k) + log_choose(b - 1, k - 1) - all);
      sum += std::exp(log_choose(a - 1, k - 1) + log_choose(b - 1, k) - all);
    }
  }
  return std::min(sum, 1.0);
}

RunsTest runs_test(std::span<const SizedResidual> residuals) {
  RunsTest test;
  double last = 0;
  for (const SizedResidual& residual : residuals) {
    if (residual.value == 0) continue;
    (residual.value > 0 ? test.positive : test.negative) += 1;
    if (last == 0 || (residual.value > 0) != (last > 0)) ++test.runs;
    last = residual.value;
  }
  if (test.runs > 0) test.p = probability_of_runs_up_to(test.positive, test.negative, test.runs);
  return test;
}

double ResidualStructure::systematic() const {
  return std::isfinite(structured) ? std::hypot(bias, structured) : rms;
}

ResidualStructure residual_structure(std::span<const SizedResidual> residuals) {
  ResidualStructure found;
  found.count = residuals.size();
  found.runs = runs_test(residuals);
  if (residuals.empty()) return found;
  const auto count = static_cast<double>(residuals.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    CALIPER_CHECK(std::isfinite(residuals[i].value));
    CALIPER_CHECK(i == 0 || (residuals[i - 1].bytes > 0 && residuals[i - 1].bytes < residuals[i].bytes));
    sum += residuals[i].value;
    squares += square(residuals[i].value);
  }
  found.bias = sum / count;
  found.rms = std::sqrt(squares / count);
  if (residuals.size() < 3) return found;
  double variance = 0, products = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    variance += square(residuals[i].value - found.bias);
    if (i > 0) products += (residuals[i - 1].value - found.bias) * (residuals[i].value - found.bias);
  }
  if (variance > 0) found.autocorrelation = products / variance;
  variance /= count;
  const double scatter = std::min(variance, mean_square_of_second_differences(residuals));
  found.scatter = std::sqrt(scatter);
  found.structured = std::sqrt(variance - scatter);
  return found;
}

std::string why_structured(const ResidualStructure& found, double repeats) {
  if (found.count < kFewestSizes) return "";
  std::string why;
  if (found.runs.p < kRareRuns) why = fmt::format("runs test p = {:.2g}", found.runs.p);
  const double noise = std::isfinite(repeats) ? std::max(repeats, found.scatter) : found.scatter;
  const double systematic = found.systematic();
  if (systematic > kTimesNoise * noise)
    why += fmt::format("{}systematic part of {:.2g} % over a noise of {:.2g} %", why.empty() ? "" : ", ",
                       100 * systematic, 100 * noise);
  return why;
}

std::string sign_pattern(std::span<const SizedResidual> residuals) {
  const std::vector<Stretch> found = residuals.empty() ? std::vector<Stretch>() : stretches(residuals);
  std::string text;
  for (const Stretch& stretch : found) {
    double sum = 0;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) sum += residuals[i].value;
    const double mean = sum / static_cast<double>(stretch.end - stretch.begin);
    const bool first = stretch.begin == 0, last = stretch.end == residuals.size();
    const std::string to = format_bytes(residuals[stretch.end - 1].bytes);
    const std::string where = first && last ? "at all sizes" : last ? "above" : "up to " + to;
    text += fmt::format("{}{} {} ({:+.2f} %)", first ? "" : ", ", stretch.slow ? "too slow" : "too fast",
                        where, 100 * std::expm1(mean));
  }
  return text;
}

}  // namespace caliper
