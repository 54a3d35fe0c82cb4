#include "calibration/sensitivity.hpp"

#include <cmath>
#include <functional>

#include <doctest/doctest.h>

using namespace caliper;
using doctest::Approx;

namespace {

using Model = std::function<double(ParameterView, std::uint64_t bytes)>;

struct ModelSimulator : Simulator {
  const Dataset& dataset;
  Model model;
  ModelSimulator(const Dataset& data, Model m) : dataset(data), model(std::move(m)) {}
  void evaluate(ParameterView p, std::span<const ExperimentId> ids,
                std::span<Outcome> outcomes) const override {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double seconds = model(p, dataset[ids[i]].bytes);
      outcomes[i] = seconds > 0 ? Outcome{OutcomeStatus::time, seconds, {}, ""}
                                : Outcome{OutcomeStatus::failure, 0, {}, "no"};
    }
  }
  std::string program_hash(ExperimentId id) const override { return std::to_string(dataset[id].bytes); }
};

AuxiliaryParameter row(const char* id, double lower, double upper, Scale scale) {
  return {id, Domain::scale_up, Dimension::number, lower, lower, upper, scale, "", ""};
}

/// One group of sizes 1..n, measured = model(truth) * (1 + error(size)).
struct ModelWorld {
  ParameterTable table;
  Dataset dataset;
  StageOptions stage;
  ModelSimulator simulator;
  EvaluationCache cache = EvaluationCache::in_memory();

  ModelWorld(ParameterTable rows, std::uint64_t n, const Model& model, const std::vector<double>& truth,
             const std::function<double(std::uint64_t)>& error, Loss loss = Loss::log_rmse)
      : table(std::move(rows)), simulator(dataset, model) {
    dataset.groups = {{"g", "all_reduce", 4, "A", 0}};
    for (std::uint64_t bytes = 1; bytes <= n; ++bytes)
      dataset.experiments.push_back({0, bytes, model(truth, bytes) * std::exp(error(bytes)), {}});
    stage.name = std::string("s");
    for (ParameterIndex i = 0; i < table.size(); ++i) stage.tuned.push_back(i);
    stage.fits = {{0, dataset.of_group(0)}};
    stage.loss = loss;
  }
  Sensitivity at(const std::vector<double>& optimum) {
    auto result = analyse_sensitivity({table, dataset, simulator, cache}, stage, optimum);
    if (!result) FAIL(describe(result.problems()));
    return *std::move(result);
  }
};

double none(std::uint64_t) { return 0; }
double x(std::uint64_t bytes) { return static_cast<double>(bytes); }

bool mentions(const ParameterEstimate& estimate, const std::string& words) {
  for (const std::string& doubt : estimate.doubts)
    if (doubt.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("sensitivity: a power law, all of it on paper") {
  // T = a * x^b, a logarithmic over [0.1, 10], b linear over [0, 4]. ln T = ln a + b ln x is linear in the
  // unit cube: J = [ln 100, 4 ln x], exactly, whatever the step. d lnT/dln a = 1, d lnT/dln b = b ln x. With
  // errors +-e the residual sum of squares is m e^2 at any optimum taken: s^2 = m e^2 / (m - 2).
  const std::uint64_t m = 10;
  const double e = 0.01;
  ModelWorld world(
      {{row("a", 0.1, 10, Scale::logarithmic), row("b", 0, 4, Scale::linear)}, {}}, m,
      [](ParameterView p, std::uint64_t bytes) { return p[0] * std::pow(x(bytes), p[1]); }, {2, 1.5},
      [&](std::uint64_t bytes) { return bytes % 2 ? e : -e; });
  const Sensitivity s = world.at({2, 1.5});
  double s11 = 0, s12 = 0, s22 = 0;
  for (std::uint64_t bytes = 1; bytes <= m; ++bytes) {
    const auto i = static_cast<Eigen::Index>(bytes - 1);
    const double j1 = std::log(100.0), j2 = 4 * std::log(x(bytes));
    CHECK(s.jacobian(i, 0) == Approx(j1));
    CHECK(s.jacobian(i, 1) == Approx(j2));
    CHECK(s.scaled(i, 0) == Approx(1));
    CHECK(s.scaled(i, 1) == Approx(1.5 * std::log(x(bytes))));
    s11 += j1 * j1;
    s12 += j1 * j2;
    s22 += j2 * j2;
  }
  const double variance = static_cast<double>(m) * e * e / static_cast<double>(m - 2);
  const double determinant = s11 * s22 - s12 * s12;
  CHECK(s.residual_sigma == Approx(std::sqrt(variance)));
  CHECK(s.rank == 2);
  CHECK(s.singular_values.prod() == Approx(std::sqrt(determinant)));
  CHECK(s.singular_values.squaredNorm() == Approx(s11 + s22));
  CHECK(s.condition_number == Approx(s.singular_values[0] / s.singular_values[1]));
  CHECK(s.correlation(0, 1) == Approx(-s12 / std::sqrt(s11 * s22)));
  CHECK(s.correlation(0, 0) == 1);

  // Student's t of 8 degrees of freedom, 97.5 %: 2.306004 (any table)
  const double sigma_a = std::sqrt(variance * s22 / determinant),
               sigma_b = std::sqrt(variance * s11 / determinant);
  REQUIRE(s.estimates[0].interval.has_value());
  CHECK(s.estimates[0].relative_sigma == Approx(sigma_a * std::log(100.0)));
  CHECK(s.estimates[0].interval->first == Approx(2 * std::exp(-2.306004 * sigma_a * std::log(100.0))));
  CHECK(s.estimates[0].interval->second == Approx(2 * std::exp(2.306004 * sigma_a * std::log(100.0))));
  CHECK(s.estimates[1].interval->first == Approx(1.5 - 2.306004 * sigma_b * 4));
  CHECK(s.estimates[1].relative_sigma == Approx(sigma_b * 4 / 1.5));
  for (const ParameterEstimate& estimate : s.estimates) CHECK(estimate.identified());
}

TEST_CASE("sensitivity: 95 % intervals cover the truth in about 95 % of noisy repetitions") {
  // ln T = ln a + b ln x with normal errors: a linear model, whose least squares and intervals are exact.
  const std::uint64_t m = 12;
  const Model model = [](ParameterView p, std::uint64_t bytes) { return p[0] * std::pow(x(bytes), p[1]); };
  int covered = 0;
  const int repetitions = 400;
  std::uint64_t state = 1;
  const auto uniform = [&] {  // Lehmer's generator modulo 2^31 - 1
    state = state * 48271 % 2147483647;
    return static_cast<double>(state) / 2147483647.0;
  };
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    ModelWorld world({{row("a", 0.1, 10, Scale::logarithmic), row("b", 0, 4, Scale::linear)}, {}}, m, model,
                     {2, 1.5}, [&](std::uint64_t) {
                       return 0.02 * std::sqrt(-2 * std::log(uniform())) *
                              std::cos(6.283185307179586 * uniform());
                     });
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (const Experiment& row_of : world.dataset.experiments) {
      const double u = std::log(x(row_of.bytes)), y = std::log(row_of.seconds);
      sx += u, sy += y, sxx += u * u, sxy += u * y;
    }
    const double n = static_cast<double>(m), b = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    const Sensitivity s = world.at({std::exp((sy - b * sx) / n), b});
    covered += s.estimates[1].interval->first <= 1.5 && 1.5 <= s.estimates[1].interval->second;
  }
  // binomial: 380 expected, standard deviation 4.4
  CHECK(covered >= 380 - 14);
  CHECK(covered <= 380 + 14);
}

TEST_CASE("sensitivity: no effect, no interval, and the others keep theirs") {
  ModelWorld world(
      {{row("a", 0.1, 10, Scale::logarithmic), row("idle", 0, 1, Scale::linear)}, {}}, 6,
      [](ParameterView p, std::uint64_t bytes) { return p[0] * x(bytes); }, {2, 0.5},
      [](std::uint64_t bytes) { return bytes % 2 ? 0.01 : -0.01; });
  const Sensitivity s = world.at({2, 0.5});
  CHECK(s.rank == 1);
  CHECK(std::isinf(s.condition_number));
  CHECK(s.estimates[0].identified());
  CHECK(s.estimates[0].interval.has_value());
  CHECK_FALSE(s.estimates[1].interval.has_value());
  CHECK(mentions(s.estimates[1], "has no effect on any fitted experiment"));
  CHECK(std::isnan(s.correlation(0, 1)));
  CHECK(s.weakest_words == "+1.00 idle");
}

TEST_CASE("sensitivity: of two factors only the product is determined") {
  ModelWorld world(
      {{row("a", 0.1, 10, Scale::logarithmic), row("b", 0.1, 10, Scale::logarithmic),
        row("c", 0.5, 2, Scale::linear)},
       {}},
      8, [](ParameterView p, std::uint64_t bytes) { return p[0] * p[1] * std::pow(x(bytes), p[2]); },
      {2, 3, 1}, [](std::uint64_t bytes) { return bytes % 2 ? 0.01 : -0.01; });
  const Sensitivity s = world.at({2, 3, 1});
  CHECK(s.rank == 2);
  CHECK(mentions(s.estimates[0], "cannot be told apart from b: merge them, or fix one"));
  CHECK(mentions(s.estimates[1], "cannot be told apart from a: merge them, or fix one"));
  CHECK_FALSE(s.estimates[0].interval.has_value());
  CHECK(s.estimates[2].identified());
  CHECK(std::abs(s.weakest_direction[0] + s.weakest_direction[1]) < 1e-6);
  CHECK(std::abs(s.weakest_direction[2]) < 1e-6);
}

TEST_CASE("sensitivity: strong correlation and large uncertainty are doubts with an interval") {
  // a + b * x over sizes 1..8 with a tiny against b: its value drowns in the errors.
  ModelWorld small(
      {{row("a", 1e-4, 10, Scale::logarithmic), row("b", 0.1, 10, Scale::logarithmic)}, {}}, 8,
      [](ParameterView p, std::uint64_t bytes) { return p[0] + p[1] * x(bytes); }, {1e-3, 1},
      [](std::uint64_t bytes) { return bytes % 2 ? 0.05 : -0.05; });
  const Sensitivity s = small.at({1e-3, 1});
  CHECK(s.estimates[0].interval.has_value());
  CHECK(mentions(s.estimates[0], "its standard deviation is"));
  CHECK(s.estimates[0].interval->first == 1e-4);  // clipped to the bounds
  CHECK(s.estimates[0].interval->second == 10);
  CHECK(s.estimates[1].identified());

  // a + b * (x + 100): constant and slope are nearly one.
  ModelWorld twins(
      {{row("a", 0.1, 1000, Scale::logarithmic), row("b", 0.1, 10, Scale::logarithmic)}, {}}, 8,
      [](ParameterView p, std::uint64_t bytes) { return p[0] + p[1] * (x(bytes) + 100); }, {100, 1},
      [](std::uint64_t bytes) { return bytes % 2 ? 1e-6 : -1e-6; });
  const Sensitivity t = twins.at({100, 1});
  CHECK(t.rank == 2);
  CHECK(t.correlation(0, 1) < -0.99);
  for (std::size_t i : {0u, 1u}) CHECK(mentions(t.estimates[i], "can hardly be told apart from"));
}

TEST_CASE("sensitivity: too few experiments give no interval, and say so") {
  for (const std::uint64_t m : {1u, 2u}) {
    ModelWorld world(
        {{row("a", 0.1, 10, Scale::logarithmic), row("b", 0, 4, Scale::linear)}, {}}, m,
        [](ParameterView p, std::uint64_t bytes) { return p[0] * std::pow(1 + x(bytes), p[1]); }, {2, 1.5},
        none);
    const Sensitivity s = world.at({2, 1.5});
    CHECK(s.rank == static_cast<int>(m));
    CHECK(std::isnan(s.residual_sigma));
    for (const ParameterEstimate& estimate : s.estimates) {
      CHECK_FALSE(estimate.interval.has_value());
      CHECK(mentions(estimate, "too few for 2 parameters"));
    }
  }
}

TEST_CASE("sensitivity: one-sided at a bound and beside failures; a failure on both sides is said") {
  const ParameterTable table({row("a", 0.1, 10, Scale::logarithmic)}, {});
  const auto jitter = [](std::uint64_t bytes) { return bytes % 2 ? 0.01 : -0.01; };
  const Model line = [](ParameterView p, std::uint64_t bytes) { return p[0] * x(bytes); };
  for (const double at : {0.1, 10.0}) {
    ModelWorld world(table, 6, line, {at}, jitter);
    const Sensitivity s = world.at({at});
    CHECK(s.scaled(0, 0) == Approx(1));
    CHECK(s.estimates[0].interval.has_value());
    CHECK((at < 1 ? s.estimates[0].interval->first == 0.1 : s.estimates[0].interval->second == 10));
  }
  ModelWorld beside(
      table, 6, [&](ParameterView p, std::uint64_t b) { return p[0] > 2 ? -1 : line(p, b); }, {2}, jitter);
  CHECK(beside.at({2}).jacobian(3, 0) == Approx(std::log(100.0)));
  ModelWorld between(
      table, 6, [&](ParameterView p, std::uint64_t b) { return p[0] != 2 ? -1 : line(p, b); }, {2}, jitter);
  CHECK(mentions(between.at({2}).estimates[0], "fails on both sides"));

  ModelWorld failing(
      table, 6, [&](ParameterView p, std::uint64_t b) { return p[0] > 5 ? -1 : line(p, b); }, {2}, jitter);
  const auto result = analyse_sensitivity({failing.table, failing.dataset, failing.simulator, failing.cache},
                                          failing.stage, std::vector<double>{7});
  REQUIRE_FALSE(result);
  CHECK(describe(result.problems()).starts_with("stage 's': the simulator fails at the optimum"));
}

TEST_CASE("sensitivity: takes two runs an axis and the optimum, and none the second time") {
  ModelWorld world(
      {{row("a", 0.1, 10, Scale::logarithmic), row("b", 0, 4, Scale::linear)}, {}}, 5,
      [](ParameterView p, std::uint64_t bytes) { return p[0] * std::pow(x(bytes), p[1]); }, {2, 1.5}, none,
      Loss::rmse);
  const Sensitivity first = world.at({2, 1.5});
  CHECK(*world.cache.size() == 5 * 5);
  const Sensitivity second = world.at({2, 1.5});
  CHECK(*world.cache.size() == 5 * 5);
  CHECK(first.jacobian == second.jacobian);
  // rmse: d (T - y) / d u = T * d ln T / d u, to the error of central differences
  CHECK(first.jacobian(2, 0) == Approx(2 * std::pow(3, 1.5) * std::log(100.0)).epsilon(1e-3));
  CHECK(first.residual_sigma == 0);
  CHECK(first.estimates[0].interval->first == Approx(2));
  CHECK(first.estimates[0].relative_sigma == 0);
}
