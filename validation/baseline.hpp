// What a scenario predicted when its baseline was taken, what it predicts now, and which of the differences
// are regressions. Plain values: nothing here reads a file or runs a simulation.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "calibration/split.hpp"
#include "validation/error_statistics.hpp"

namespace caliper {

/// What has a tolerance. `time` and `parameter` are relative shifts in either direction; the others are how
/// much an error, a fraction, may grow.
enum class Metric : std::uint8_t { time, mean, p50, p95, max, parameter };
inline constexpr std::array kMetrics = {Metric::time, Metric::mean, Metric::p50,
                                        Metric::p95,  Metric::max,  Metric::parameter};
std::string_view name_of(Metric metric);  ///< "p95"

/// How far each metric may move, by Metric.
using Tolerances = std::array<double, kMetrics.size()>;
inline constexpr Tolerances kDefaultTolerances = {0.001, 0.001, 0.001, 0.001, 0.001, 0.01};
/// What a group says of its own; the rest is the baseline's.
using ToleranceOverrides = std::array<std::optional<double>, kMetrics.size()>;

struct BaselineTime {
  std::uint64_t bytes;
  double us;
  Set set;
};

/// Errors of one set of a group against its measurements.
struct BaselineErrors {
  Set set;                ///< calibration or validation
  ErrorStatistics error;  ///< mean, p50, p95 and max are read
};

struct BaselineGroup {
  std::string name;
  std::string program;  ///< hash of what is executed over all sizes
  ToleranceOverrides tolerances = {};
  std::vector<BaselineErrors> errors;  ///< at most one a set
  std::vector<BaselineTime> times;     ///< ascending in size
};

struct BaselineParameter {
  std::string id;
  Dimension dimension;
  double value;  ///< SI
};

/// Why a baseline was taken anew, and what had moved.
struct BaselineUpdate {
  std::string date;  ///< "2026-12-01"
  std::string reason;
  std::string moved;  ///< the largest move; empty: none beyond its tolerance
};

struct Baseline {
  std::string title;
  std::string made_by;
  std::string scenario_sha256;  ///< of the file; said, not compared: comments may change
  Tolerances tolerances = kDefaultTolerances;
  std::vector<BaselineUpdate> updates;  ///< oldest first
  std::vector<BaselineParameter> parameters;
  std::vector<BaselineGroup> groups;
};

/// Times are compared to so many significant digits, errors and parameters too: those that a file says.
inline constexpr int kTimeDigits = 10, kErrorDigits = 6, kParameterDigits = 6;

enum class Verdict : std::uint8_t {
  same,    ///< within its tolerance
  better,  ///< an error has fallen by more than its tolerance: said, no regression
  worse,   ///< an error has grown by more than its tolerance
  moved,   ///< a time, a parameter, an execution, a set is another one
  gone,    ///< only the baseline has it
  added,   ///< the baseline does not have it
};
std::string_view name_of(Verdict verdict);
bool is_regression(Verdict verdict);

/// One value that was compared.
struct CheckRow {
  std::string group;          ///< "parameters" for parameters
  std::string metric;         ///< "time", "held-out mean", "execution", "set", or a parameter's id
  std::string subject;        ///< size of a time or set, "64 MiB"; else empty
  std::string baseline, now;  ///< with unit; empty where there is none
  double change = std::numeric_limits<double>::quiet_NaN();     ///< relative, or of errors the difference
  double tolerance = std::numeric_limits<double>::quiet_NaN();  ///< NaN where any change is too much
  bool relative = true;  ///< change is a share of the baseline, not a difference of two shares
  Verdict verdict = Verdict::same;
};

/// Every value of either side, in the order of the baseline, then what is new. Tolerances are the baseline's.
std::vector<CheckRow> compare(const Baseline& baseline, const Baseline& now);

/// "ar-1x4 time at 64 MiB: baseline 512.3 us, now 520.1 us (+1.522 %, tolerance 0.1 %): moved"
std::string describe(const CheckRow& row);

bool has_regression(std::span<const CheckRow> rows);
/// "ar-1x4 time at 64 MiB: +1.23 %" of the regression that is the most times beyond its tolerance, before it
/// whatever has no tolerance; empty without regression.
std::string largest_move(std::span<const CheckRow> rows);

/// Group, metric, baseline, now, change, tolerance, verdict as texts: a header, then the rows that are not
/// the same.
std::vector<std::vector<std::string>> check_table(std::span<const CheckRow> rows);

}  // namespace caliper
