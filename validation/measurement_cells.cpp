#include "validation/measurement_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A number as printed lies anywhere within half a unit of its last digit.
struct Interval {
  double low;
  double high;
};

std::optional<Interval> parse_printed(std::string_view text) {
  const auto value = parse_double(text);
  if (!value) return std::nullopt;
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const auto point = mantissa.find('.');
  double unit =
      point == std::string_view::npos ? 1 : std::pow(10, -static_cast<double>(mantissa.size() - point - 1));
  if (mantissa.size() < text.size()) {
    std::string_view exponent = text.substr(mantissa.size() + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    unit *= std::pow(10, parse_double(exponent).value_or(0));
  }
  return Interval{*value - unit / 2, *value + unit / 2};
}

/// Whether `algbw` (GB/s) can be bytes / time (us), both within their printed digits and `slack`.
bool agrees(double bytes, const Interval& time, const Interval& algbw, double slack) {
  const double low = bytes / (time.high * 1e3);
  const double high = time.low > 0 ? bytes / (time.low * 1e3) : std::numeric_limits<double>::infinity();
  return algbw.high >= low * (1 - slack) && algbw.low <= high * (1 + slack);
}

/// Of a number without exponent, leading zeros not counted.
std::size_t significant_digits(std::string_view text) {
  const auto first = text.find_first_of("123456789");
  if (first == std::string_view::npos) return 0;
  return static_cast<std::size_t>(
      std::count_if(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(), is_digit));
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  // nccl-tests 2.0 to 2.10, common.cu: deltaMaxValue, 1e-2 half, 1e-5 float, 1e-12 double, 1e-200 integers.
  using Row = std::pair<std::string_view, ElementType>;
  static constexpr std::array kTypes = {Row{"float", {"float32", 4, 1e-5}},
                                        Row{"float32", {"float32", 4, 1e-5}},
                                        Row{"half", {"float16", 2, 1e-2}},
                                        Row{"float16", {"float16", 2, 1e-2}},
                                        Row{"double", {"float64", 8, 1e-12}},
                                        Row{"float64", {"float64", 8, 1e-12}},
                                        Row{"bfloat16", {"bfloat16", 2, 1e-2}},
                                        Row{"int8", {"int8", 1, 1e-200}},
                                        Row{"char", {"int8", 1, 1e-200}},
                                        Row{"uint8", {"uint8", 1, 1e-200}},
                                        Row{"int32", {"int32", 4, 1e-200}},
                                        Row{"int", {"int32", 4, 1e-200}},
                                        Row{"uint32", {"uint32", 4, 1e-200}},
                                        Row{"int64", {"int64", 8, 1e-200}},
                                        Row{"uint64", {"uint64", 8, 1e-200}},
                                        Row{"f8e4m3", {"float8_e4m3", 1, 1e-2}},
                                        Row{"fp8_e4m3", {"float8_e4m3", 1, 1e-2}},
                                        Row{"float8_e4m3", {"float8_e4m3", 1, 1e-2}},
                                        Row{"f8e5m2", {"float8_e5m2", 1, 1e-2}},
                                        Row{"fp8_e5m2", {"float8_e5m2", 1, 1e-2}},
                                        Row{"float8_e5m2", {"float8_e5m2", 1, 1e-2}}};
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const Row& row) { return row.first == name; });
  return found == kTypes.end() ? nullptr : &found->second;
}

CellReading read_cell(std::uint64_t bytes, const CellText& cell,
                      const std::vector<std::uint32_t>& bandwidth_shares) {
  const auto no = [](std::string why, bool wrong = false) { return CellReading{0, std::move(why), wrong}; };
  if (bytes == 0) return no("zero size");
  if (cell.time_us == "N/A") return no("time is N/A");
  const auto time = parse_double(cell.time_us);
  if (!time) return no(fmt::format("time '{}' is not a number", cell.time_us));
  const double seconds = *time * 1e-6;
  if (!(seconds > 0)) return no(fmt::format("time {} us is not above zero", cell.time_us));
  if (!cell.wrong.empty() && cell.wrong != "N/A") {
    const auto wrong = parse_double(cell.wrong);
    if (cell.wrong == "nan" || cell.wrong == "-nan" || (wrong && *wrong != 0))
      return no(fmt::format("wrong results ({})", cell.wrong), true);
    if (!wrong) return no(fmt::format("column of wrong results '{}' is not a number", cell.wrong));
  }
  if (cell.algbw.empty()) return {seconds, {}, false};
  const auto algbw = parse_printed(cell.algbw);
  if (!algbw) return no(fmt::format("bandwidth '{}' is not a number", cell.algbw));
  const Interval printed = *parse_printed(cell.time_us);
  constexpr double kSlack = 0.01;
  const bool fits = std::any_of(bandwidth_shares.begin(), bandwidth_shares.end(), [&](std::uint32_t share) {
    return agrees(static_cast<double>(bytes) / share, printed, *algbw, kSlack);
  });
  if (!fits)
    return no(fmt::format("{} B in {} us are {:.4g} GB/s, not the {} printed", bytes, cell.time_us,
                          static_cast<double>(bytes) / *time * 1e-3, cell.algbw));
  return {seconds, {}, false};
}

bool proves_itself(std::uint64_t bytes, const CellText& cell,
                   const std::vector<std::uint32_t>& bandwidth_shares) {
  constexpr std::size_t kEnoughDigits = 3;
  const auto time = parse_printed(cell.time_us), algbw = parse_printed(cell.algbw);
  return time && algbw && significant_digits(cell.algbw) >= kEnoughDigits &&
         significant_digits(cell.time_us) >= kEnoughDigits &&
         std::any_of(bandwidth_shares.begin(), bandwidth_shares.end(), [&](std::uint32_t share) {
           return agrees(static_cast<double>(bytes) / share, *time, *algbw, 0);
         });
}

void keep_cell(MeasurementLog& log, std::uint64_t bytes, Buffers buffers, std::uint32_t line,
               const CellText& cell, const std::vector<std::uint32_t>& bandwidth_shares) {
  const CellReading reading = read_cell(bytes, cell, bandwidth_shares);
  if (reading.why_not.empty())
    log.measurements.push_back({bytes, reading.seconds, buffers, line});
  else
    log.skipped.push_back(
        {line, fmt::format("{}: {}", name_of(buffers), reading.why_not), reading.wrong_results});
}

void note_wrong_results(MeasurementLog& log) {
  std::vector<std::uint32_t> lines;
  std::size_t cells = 0;
  for (const Skipped& skipped : log.skipped) {
    if (!skipped.wrong_results) continue;
    ++cells;
    if (lines.empty() || lines.back() != skipped.line) lines.push_back(skipped.line);
  }
  if (cells == 0) return;
  const std::size_t count = lines.size();
  constexpr std::size_t kShown = 5;
  lines.resize(std::min(count, kShown));
  log.notes.push_back(fmt::format("{} {} left out because nccl-tests found wrong results ({} {}{})", cells,
                                  cells == 1 ? "time" : "times", count == 1 ? "line" : "lines",
                                  fmt::join(lines, ", "), count > kShown ? ", ..." : ""));
}

Error no_usable_time(const MeasurementLog& log, std::string what) {
  return {log.line > 0 ? fmt::format("{}:{}", log.file, log.line) : log.file, std::move(what),
          log.skipped.empty()
              ? ""
              : fmt::format("line {}: {}", log.skipped.front().line, log.skipped.front().reason)};
}

std::string_view name_of(Buffers buffers) {
  return buffers == Buffers::in_place ? "in-place" : "out-of-place";
}

std::optional<std::string> find_version(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = digits_from(at);
    const std::size_t start = std::exchange(at, end);
    int parts = 1;
    while (parts < 3 && end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
      end = digits_from(end + 1);
      ++parts;
    }
    if (parts > 1) return std::string(text.substr(start, end - start));
  }
  return std::nullopt;
}

std::string version_of_code(std::uint64_t code) {
  const std::uint64_t major = code >= 10000 ? code / 10000 : code / 1000;
  const std::uint64_t minor = code >= 10000 ? code / 100 % 100 : code / 100 % 10;
  return fmt::format("{}.{}.{}", major, minor, code % 100);
}

std::optional<std::string> collective_of_program(std::string_view program) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
      "alltoall",   "sendrecv",   "gather",         "scatter",   "hypercube"};
  constexpr std::string_view kSuffix = "_perf";
  program = program.substr(program.find_last_of('/') + 1);
  if (!program.ends_with(kSuffix)) return std::nullopt;
  program.remove_suffix(kSuffix.size());
  const auto found = std::find(kNames.begin(), kNames.end(), program);
  return found == kNames.end() ? std::nullopt : std::optional(std::string(*found));
}

}  // namespace caliper
