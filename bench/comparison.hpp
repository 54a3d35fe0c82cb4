// The runs of all simulators side by side: medians, ratios, growth, and whether they simulate the same thing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "bench/run_record.hpp"
#include "bench/setting.hpp"

namespace caliper::bench {

/// What is compared with; every ratio is over it.
inline constexpr std::string_view kPeer = "simgrid";
/// Series of the cases side by side, and of the growth that is drawn.
inline constexpr std::string_view kCases = "compare";
inline constexpr std::string_view kDrawnGrowth = "ranks, 1 channel";

struct Comparison {
  Setting setting;
  std::vector<RunRecord> runs;  ///< as they were made
};

/// All runs of one simulator on one work.
struct Entry {
  std::string simulator;
  std::uint32_t repeats = 0;
  double completion_us = 0;
  double run_cpu_s = 0, least_cpu_s = 0, most_cpu_s = 0;  ///< median and extremes
  double build_cpu_s = 0;                                 ///< median
  double peak_rss_mib = 0;                                ///< largest
  /// Largest; absent where no repeat has it.
  std::optional<double> program_bytes_per_operation, run_bytes_per_operation;
};

struct Case {
  RingWork work;
  std::uint64_t messages = 0;
  std::vector<Entry> entries;  ///< in the order of simulators()

  const Entry* find(std::string_view simulator) const;
  double messages_per_s(const Entry& entry) const;
};

/// How the time of one simulator grows with the messages over a series.
struct Growth {
  std::string series, simulator;
  std::vector<double> messages, run_cpu_s;  ///< [points], by messages
  double exponent = 0;                      ///< of run_cpu_s ~ messages^exponent
  double factor = 0;                        ///< s, of run_cpu_s = factor * messages^exponent
};

/// The peer first, then as they appear.
std::vector<std::string> simulators(std::span<const RunRecord> runs);
/// Cases of a series, in order of appearance.
std::vector<Case> cases_of(std::span<const RunRecord> runs, std::string_view series);
/// Every series but the cases, for every simulator that has three points or more.
std::vector<Growth> growth_of(std::span<const RunRecord> runs);

struct PowerLaw {
  double exponent, factor;
};
/// Least squares in logarithms. @pre x, y positive, of one length, two different x at least
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y);

/// Largest relative difference of a completion time from the peer's, over works that the peer has run.
double largest_difference(std::span<const RunRecord> runs);
/// Simulators that do not agree to `tolerance` (relative), and repeated runs that do not agree exactly.
Problems disagreements(std::span<const RunRecord> runs, double tolerance);

nlohmann::ordered_json to_json(const Comparison& comparison);
Result<Comparison> parse_comparison(std::string_view text, std::string_view file);
/// Records, a line each, as the programs print them.
Result<std::vector<RunRecord>> parse_runs(std::string_view text, std::string_view file);

/// Markdown: the cases, then what to know about the figures. Ends with a newline.
std::string table(const Comparison& comparison);
/// The same between the lines <!-- bench:begin --> and <!-- bench:end --> of a text, the picture in front.
Result<std::string> with_table(std::string_view markdown, const Comparison& comparison,
                               std::string_view picture, std::string_view where);

/// SVG: messages a second as bars, growth of time as lines. Readable on light and dark.
std::string chart(const Comparison& comparison);

}  // namespace caliper::bench
