#include "validation/alpha_beta.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"

namespace caliper {
namespace {

double dot(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}
double sum(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

}  // namespace

std::optional<RingTerms> ring_terms(std::string_view collective, std::uint32_t ranks) {
  if (ranks < 2) return std::nullopt;
  const double n = ranks;
  if (collective == "all_reduce") return RingTerms{2 * (n - 1), 2 * (n - 1) / n};
  if (collective == "all_gather" || collective == "reduce_scatter" || collective == "alltoall")
    return RingTerms{n - 1, (n - 1) / n};
  if (collective == "broadcast" || collective == "reduce") return RingTerms{n - 1, 1};
  if (collective == "sendrecv") return RingTerms{1, 1};
  return std::nullopt;
}

std::optional<double> AlphaBeta::predict(std::string_view collective, std::uint32_t ranks,
                                         std::uint64_t bytes) const {
  const auto terms = ring_terms(collective, ranks);
  if (!terms) return std::nullopt;
  return alpha * terms->steps + inverse_beta * terms->bus_factor * static_cast<double>(bytes);
}

Result<AlphaBeta> fit_alpha_beta(std::span<const CollectivePoint> points) {
  // A point divided by its time is a row (a, b) of a system whose right side is 1 everywhere.
  std::vector<double> a, b;
  for (const CollectivePoint& point : points) {
    CALIPER_CHECK(std::isfinite(point.seconds) && point.seconds > 0);
    const auto terms = ring_terms(point.collective, point.ranks);
    if (!terms)
      return Error{"alpha-beta fit",
                   fmt::format("no ring terms for {} over {} ranks", point.collective, point.ranks), ""};
    a.push_back(terms->steps / point.seconds);
    b.push_back(terms->bus_factor * static_cast<double>(point.bytes) / point.seconds);
  }
  const double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
  // The part of b that a does not explain, which determines the bandwidth; orthogonalised row by row because
  // aa * bb - ab * ab cancels.
  std::vector<double> rest(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) rest[i] = b[i] - a[i] * (ab / aa);
  const double rest_squared = dot(rest, rest);
  if (!(rest_squared > 1e-16 * bb))
    return Error{"alpha-beta fit", "start-up and bandwidth cannot be told apart by these points",
                 "fit at least two sizes"};

  const double inverse_beta = sum(rest) / rest_squared;
  const double alpha = (sum(a) - inverse_beta * ab) / aa;
  // The sum of squares is convex, so the constrained optimum lies on the bound that the free one crosses; it
  // crosses one at most, because all terms and the right side are positive.
  if (alpha < 0) return AlphaBeta{0, sum(b) / bb};
  if (inverse_beta < 0) return AlphaBeta{sum(a) / aa, 0};
  return AlphaBeta{alpha, inverse_beta};
}

}  // namespace caliper
