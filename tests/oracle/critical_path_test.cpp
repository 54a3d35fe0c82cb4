// Critical paths: their parts add up to the completion time bit for bit, and their derivatives are what small
// changes of the numbers do to the completion time.
#include "engine/critical_path.hpp"

#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "base/random.hpp"
#include "collectives/derivation.hpp"
#include "collectives/lowering.hpp"
#include "collectives/test_machine.hpp"
#include "engine/flow_run.hpp"
#include "engine/fold.hpp"
#include "tests/support/cells_machine.hpp"
#include "tests/support/random_program.hpp"

using namespace caliper;

namespace {

CriticalPath path_of(const Program& program, std::span<const double> numbers) {
  OperationTimes times;
  const RunResult run = run_flow_level(program, numbers, &times);
  REQUIRE(!run.stuck);
  REQUIRE(run.seconds == run_flow_level(program, numbers).seconds);  // recording changes nothing
  CriticalPath path = critical_path(program, numbers, times);
  double sum = 0;
  bool follows = true;
  for (const PathPart& part : path.parts) {
    follows &= part.begin == sum;
    sum += part.seconds;
  }
  CHECK(follows);
  CHECK(sum == run.seconds);
  return path;
}

/// The completion time around a value x, by five points x * (1 + {-2h .. 2h}).
struct Around {
  double slope;  ///< x d time / dx
  double kink;   ///< jump of it at x or nearby, or what the curvature does
};

template <class TimeOf>
Around around(TimeOf time_of) {
  constexpr double kStep = 1e-5;
  const double t0 = time_of(1), p1 = time_of(1 + kStep), m1 = time_of(1 - kStep), p2 = time_of(1 + 2 * kStep),
               m2 = time_of(1 - 2 * kStep);
  const double near = (p1 - m1) / (2 * kStep), far = (p2 - m2) / (4 * kStep);
  // Of a smooth function the second difference grows fourfold with twice the step, of a kink twofold.
  const double jump = (4 * (p1 - 2 * t0 + m1) - (p2 - 2 * t0 + m2)) / (2 * kStep);
  return {near, std::max(std::abs(jump), std::abs(far - near))};
}

struct Counts {
  int programs = 0, exact_programs = 0, slopes = 0, kinks = 0, approximate = 0, approximate_kinks = 0;
  double worst = 0, approximate_error = 0;

  /// @param slope  x d time / dx as the path says
  void compare(const Around& found, double slope, const CriticalPath& path) {
    // Rounding of the five times leaves 1e-10 of the completion time.
    const double tolerance = 1e-6 * std::abs(found.slope) + 1e-9 * path.seconds;
    const bool kink = found.kink > tolerance;
    if (!path.exact()) {
      ++approximate;
      approximate_kinks += kink;
      if (!kink) approximate_error += std::abs(slope - found.slope) / path.seconds;
      return;
    }
    ++slopes;
    kinks += kink;
    if (kink) return;
    CHECK(std::abs(slope - found.slope) <= tolerance);
    if (std::abs(found.slope) > 1e-3 * path.seconds)
      worst = std::max(worst, std::abs(slope - found.slope) / std::abs(found.slope));
  }
  void count(const CriticalPath& path) {
    ++programs;
    exact_programs += path.exact();
  }
  void tell() const {
    MESSAGE("exact ", exact_programs, " of ", programs, " programs; ", slopes, " slopes, ", kinks,
            " at a kink, others within ", worst, "; flagged ", approximate, " slopes, ", approximate_kinks,
            " at a kink, elasticities of the others off by ",
            approximate_error / std::max(1, approximate - approximate_kinks), " on average");
  }
};

void check_by_number(const Program& program, const std::vector<double>& numbers, Counts& counts) {
  const CriticalPath path = path_of(program, numbers);
  counts.count(path);
  for (std::size_t e = 0; e < numbers.size(); ++e) {
    if (numbers[e] == 0 || std::isinf(numbers[e])) {
      CHECK((numbers[e] == 0 || path.by_expression[e] == 0));
      continue;
    }
    std::vector<double> changed = numbers;
    const Around found = around([&](double factor) {
      changed[e] = numbers[e] * factor;
      return run_flow_level(program, changed).seconds;
    });
    counts.compare(found, numbers[e] * path.by_expression[e], path);
  }
}

/// Numbers of a program of constants, a little larger each, so that nothing is equal by accident: then
/// rounding decides no tie.
std::vector<double> unlike_numbers(const Program& program, std::uint64_t seed) {
  std::vector<double> numbers = program.numbers({});
  for (std::size_t e = 0; e < numbers.size(); ++e) numbers[e] *= 1 + 0.3 * unit_draw(seed, 11, e);
  return numbers;
}

/// Seconds by what they are spent on and the number they depend on.
std::map<std::pair<PathCost, std::uint32_t>, double> sums(const CriticalPath& path) {
  std::map<std::pair<PathCost, std::uint32_t>, double> all;
  for (const PathPart& part : path.parts) all[{part.cost, part.expression.v}] += part.seconds;
  return all;
}

void check_alike(const CriticalPath& plain, const CriticalPath& folded) {
  CHECK(folded.exact() == plain.exact());
  const auto plain_sums = sums(plain), folded_sums = sums(folded);
  REQUIRE(plain_sums.size() == folded_sums.size());
  for (const auto& [key, seconds] : folded_sums)
    CHECK(plain_sums.at(key) == doctest::Approx(seconds).epsilon(1e-9));
  for (std::size_t e = 0; e < plain.by_expression.size(); ++e)
    CHECK(plain.by_expression[e] == doctest::Approx(folded.by_expression[e]).epsilon(1e-9));
}

}  // namespace

TEST_CASE("critical path: random programs add up, and their derivatives are differences") {
  Counts counts;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const Program program = testing::random_program(seed);
    check_by_number(program, program.numbers({}), counts);
  }
  counts.tell();
  CHECK(counts.exact_programs > 20);
  CHECK(counts.slopes > 2 * counts.kinks);
}

TEST_CASE("critical path: random programs in which little happens at once") {
  Counts counts;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const Program program = testing::random_program(seed);
    check_by_number(program, unlike_numbers(program, seed), counts);
  }
  counts.tell();
  CHECK(counts.exact_programs > 20);
  CHECK(counts.slopes > 10 * counts.kinks);
}

TEST_CASE("critical path: copies of rings, folded, have the parts of the plain program") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const FoldedProgram program(testing::random_program(seed, 2 + seed % 4));
    const std::vector<double> numbers = unlike_numbers(program.whole(), seed);
    check_alike(path_of(program.whole(), numbers), path_of(program.folding(numbers).program, numbers));
  }
}

TEST_CASE("critical path: NCCL's plans on 64 GPUs, folded as plain, and their derivatives by parameter") {
  const ParameterTable table = full_table();
  const std::vector<Machine> machines = [] {
    std::vector<Machine> all;
    all.push_back(a100_machine(16));
    all.push_back(testing::cells_machine({"a[0-7]", "b[0-7]"}, 8));
    all.push_back(testing::cells_machine({"a[0-8]", "b[0-6]"}, 9));
    all.push_back(testing::cells_machine({"a[00-15]"}, 5));
    return all;
  }();
  Counts counts;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    const auto draw = [&](std::uint64_t what, std::uint64_t below) { return hash64(seed, 12, what) % below; };
    const Machine& machine = machines[seed % machines.size()];
    const auto execution =
        derive_execution(machine, node_major(16, 4), static_cast<Collective>(draw(0, 3)), PartitionFamily::c,
                         4, static_cast<std::uint32_t>(1 + draw(1, 8)), static_cast<NicLayout>(draw(2, 3)));
    REQUIRE(execution);
    const std::uint64_t bytes =
        draw(3, 2) ? std::uint64_t{1} << (18 + draw(4, 6)) : 256 * (1 + draw(4, 1u << 14));
    const FoldedProgram program(lower(make_plan(*execution, bytes), machine, table));
    std::vector<double> values = table.defaults();
    // The defaults lie on a kink: four channels of 20 GB/s fill an NVLink of 80 GB/s.
    if (draw(5, 4) > 0)
      for (std::size_t p = 0; p < values.size(); ++p) values[p] *= 1 - 0.2 * unit_draw(seed, 13, p);
    const std::vector<double> numbers = program.whole().numbers(values);
    const CriticalPath plain = path_of(program.whole(), numbers);
    const Program& folded_program = program.folding(numbers).program;
    const CriticalPath folded = path_of(folded_program, numbers);
    counts.count(folded);
    check_alike(plain, folded);

    const std::vector<double> derivative = derivative_by_parameter(folded_program, values, folded);
    for (ParameterIndex p = 0; p < values.size(); ++p) {
      std::vector<double> changed = values;
      const Around found = around([&](double factor) {
        changed[p] = values[p] * factor;
        return program.run(changed).seconds;
      });
      counts.compare(found, values[p] * derivative[p], folded);
    }
  }
  counts.tell();
  CHECK(counts.exact_programs > 10);
}
