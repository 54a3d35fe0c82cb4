// The comparison as Markdown, for a terminal and for the README.
#include <algorithm>

#include <fmt/format.h>

#include "bench/comparison.hpp"

namespace caliper::bench {
namespace {

constexpr std::string_view kBegin = "<!-- bench:begin -->", kEnd = "<!-- bench:end -->";

using Row = std::vector<std::string>;

/// "64,512"
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// Three digits: "12.1 s", "99.4 ms", "530 us".
std::string duration(double seconds) {
  const auto three = [](double value, const char* unit) {
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
  };
  if (seconds >= 0.9995) return three(seconds, "s");
  if (seconds >= 0.9995e-3) return three(seconds * 1e3, "ms");
  return three(seconds * 1e6, "us");
}

/// "4.1", "37", "2,100"
std::string ratio(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value) : grouped(static_cast<std::uint64_t>(value + 0.5));
}

/// Rows of one width, the first with a rule under it; all columns but the first are numbers.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i ? fmt::format(" {:>{}} |", row[i], width[i]) : fmt::format("| {:<{}} |", row[i], width[i]);
    text += '\n';
    if (&row != &rows.front()) continue;
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i ? std::string(width[i] + 1, '-') + ":|" : "|" + std::string(width[i] + 2, '-') + "|";
    text += '\n';
  }
  return text;
}

std::string version_of(const Comparison& comparison, std::string_view simulator) {
  const auto found = std::ranges::find(comparison.runs, simulator, &RunRecord::simulator);
  return found == comparison.runs.end() ? std::string() : found->version;
}

std::vector<Row> rows_of(const Comparison& comparison) {
  const auto names = simulators(comparison.runs);
  std::vector<Row> rows = {{"work", "messages"}};
  for (const std::string& name : names) {
    if (name == kPeer) {
      rows.front().push_back("SimGrid");
    } else {
      rows.front().push_back(name);
      rows.front().push_back("times less");
    }
  }
  for (const Case& shown : cases_of(comparison.runs, kCases)) {
    Row& row = rows.emplace_back(Row{describe(shown.work), grouped(shown.messages)});
    const Entry* peer = shown.find(kPeer);
    for (const std::string& name : names) {
      const Entry* entry = shown.find(name);
      row.push_back(entry ? duration(entry->run_cpu_s) : "");
      if (name != kPeer) row.push_back(entry && peer ? ratio(peer->run_cpu_s / entry->run_cpu_s) : "");
    }
  }
  return rows;
}

/// Exponents of growth, a row per series; empty where there are none.
std::vector<Row> growth_rows(const Comparison& comparison) {
  const auto growth = growth_of(comparison.runs);
  const auto names = simulators(comparison.runs);
  std::vector<Row> rows;
  for (const Growth& line : growth) {
    const auto with = fmt::format("growth with {}", line.series);
    if (rows.empty() || rows.back().front() != with) {
      rows.push_back({with});
      rows.back().resize(1 + names.size());
    }
    const auto column = std::ranges::find(names, line.simulator) - names.begin();
    rows.back()[1 + static_cast<std::size_t>(column)] = fmt::format("{:.2f}", line.exponent);
  }
  if (rows.empty()) return rows;
  Row heading = {"CPU time ~ messages^x"};
  for (const std::string& name : names) heading.push_back(name == kPeer ? "SimGrid" : name);
  rows.insert(rows.begin(), heading);
  return rows;
}

/// "plain 2.1 to 4.0": how much less over the cases when building counts.
std::string with_building(const Comparison& comparison) {
  std::string text;
  for (const std::string& name : simulators(comparison.runs)) {
    std::vector<double> ratios;
    for (const Case& shown : cases_of(comparison.runs, kCases))
      if (const Entry* peer = shown.find(kPeer), *entry = shown.find(name); peer && entry && peer != entry)
        ratios.push_back((peer->run_cpu_s + peer->build_cpu_s) / (entry->run_cpu_s + entry->build_cpu_s));
    if (ratios.empty()) continue;
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", name, ratio(std::ranges::min(ratios)),
                        ratio(std::ranges::max(ratios)));
  }
  return text;
}

std::string notes(const Comparison& comparison) {
  const Setting& setting = comparison.setting;
  std::string text = fmt::format(
      "CPU time of the run alone on one core, without building platform or program; medians. SimGrid {}, an "
      "event-driven S4U program (`bench/simgrid_ring.cpp`). Completion times agree to {:.1g}.",
      version_of(comparison, kPeer), largest_difference(comparison.runs));
  if (const std::string whole = with_building(comparison); !whole.empty())
    text += fmt::format(" Times less with building counted on both sides: {}.", whole);
  text += fmt::format(" Measured {} on {}, {} cores, {:.0f} GiB, {}, {}, commit {}, load {:.1f} before.",
                      setting.date, setting.processor, setting.cores, setting.memory_gib, setting.system,
                      comparison.runs.back().compiler, setting.commit, setting.load_before);
  return text;
}

/// Lines of at most `width` characters, broken at blanks.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  while (text.size() > width) {
    std::size_t at = text.rfind(' ', width);
    if (at == std::string_view::npos) at = text.find(' ');
    if (at == std::string_view::npos) break;
    lines += std::string(text.substr(0, at)) + '\n';
    text.remove_prefix(at + 1);
  }
  return lines + std::string(text) + '\n';
}

}  // namespace

std::string table(const Comparison& comparison) {
  std::string text = aligned(rows_of(comparison)) + '\n';
  if (const auto rows = growth_rows(comparison); !rows.empty()) text += aligned(rows) + '\n';
  return text + wrapped(notes(comparison), 110);
}

Result<std::string> with_table(std::string_view markdown, const Comparison& comparison,
                               std::string_view picture, std::string_view where) {
  const std::size_t begin = markdown.find(kBegin), end = markdown.find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    return Error{std::string(where), "has no place for the table",
                 fmt::format("a line {} and below it a line {}", kBegin, kEnd)};
  return fmt::format("{}\n![Messages a second, and growth of time]({})\n\n{}{}",
                     markdown.substr(0, begin + kBegin.size()), picture, table(comparison),
                     markdown.substr(end));
}

}  // namespace caliper::bench
