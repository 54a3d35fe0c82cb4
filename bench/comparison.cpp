#include "bench/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace caliper::bench {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Entry entry_of(std::span<const RunRecord> runs, std::string_view simulator) {
  Entry entry;
  entry.simulator = simulator;
  std::vector<double> run, build;
  for (const RunRecord& record : runs) {
    run.push_back(record.run_cpu_s);
    build.push_back(record.build_cpu_s);
    entry.peak_rss_mib = std::max(entry.peak_rss_mib, record.peak_rss_mib);
    for (const auto& [to, from] :
         {std::pair{&entry.program_bytes_per_operation, &record.program_bytes_per_operation},
          std::pair{&entry.run_bytes_per_operation, &record.run_bytes_per_operation}})
      if (from->has_value()) *to = std::max(to->value_or(0), **from);
  }
  entry.repeats = static_cast<std::uint32_t>(runs.size());
  entry.completion_us = runs.front().completion_us;
  entry.run_cpu_s = median(run);
  entry.least_cpu_s = std::ranges::min(run);
  entry.most_cpu_s = std::ranges::max(run);
  entry.build_cpu_s = median(build);
  return entry;
}

/// Runs of each work, in order of appearance.
std::vector<std::vector<RunRecord>> by_work(std::span<const RunRecord> runs) {
  std::vector<std::vector<RunRecord>> groups;
  for (const RunRecord& record : runs) {
    auto group = std::ranges::find_if(
        groups, [&](const auto& other) { return same(other.front().work, record.work); });
    if (group == groups.end()) group = groups.insert(group, std::vector<RunRecord>{});
    group->push_back(record);
  }
  return groups;
}

double relative_difference(double value, double reference) { return std::abs(value - reference) / reference; }

}  // namespace

const Entry* Case::find(std::string_view simulator) const {
  const auto found = std::ranges::find(entries, simulator, &Entry::simulator);
  return found == entries.end() ? nullptr : &*found;
}

double Case::messages_per_s(const Entry& entry) const {
  return static_cast<double>(messages) / entry.run_cpu_s;
}

std::vector<std::string> simulators(std::span<const RunRecord> runs) {
  std::vector<std::string> names;
  for (const RunRecord& record : runs)
    if (std::ranges::find(names, record.simulator) == names.end())
      names.insert(record.simulator == kPeer ? names.begin() : names.end(), record.simulator);
  return names;
}

std::vector<Case> cases_of(std::span<const RunRecord> runs, std::string_view series) {
  std::vector<RunRecord> chosen;
  std::ranges::copy_if(runs, std::back_inserter(chosen),
                       [&](const RunRecord& record) { return record.series == series; });
  std::vector<Case> cases;
  for (const auto& group : by_work(chosen)) {
    Case& made = cases.emplace_back(group.front().work, group.front().messages, std::vector<Entry>{});
    for (const std::string& name : simulators(runs)) {
      std::vector<RunRecord> own;
      std::ranges::copy_if(group, std::back_inserter(own),
                           [&](const RunRecord& record) { return record.simulator == name; });
      if (!own.empty()) made.entries.push_back(entry_of(own, name));
    }
  }
  return cases;
}

std::vector<Growth> growth_of(std::span<const RunRecord> runs) {
  std::vector<std::string> series;
  for (const RunRecord& record : runs)
    if (record.series != kCases && std::ranges::find(series, record.series) == series.end())
      series.push_back(record.series);
  std::vector<Growth> found;
  for (const std::string& name : series) {
    auto cases = cases_of(runs, name);
    std::ranges::stable_sort(cases, {}, &Case::messages);
    for (const std::string& simulator : simulators(runs)) {
      Growth growth{name, simulator, {}, {}, 0, 0};
      for (const Case& point : cases)
        if (const Entry* entry = point.find(simulator)) {
          growth.messages.push_back(static_cast<double>(point.messages));
          growth.run_cpu_s.push_back(entry->run_cpu_s);
        }
      if (growth.messages.size() < 3 || growth.messages.front() == growth.messages.back()) continue;
      const PowerLaw law = fit_power_law(growth.messages, growth.run_cpu_s);
      growth.exponent = law.exponent;
      growth.factor = law.factor;
      found.push_back(std::move(growth));
    }
  }
  return found;
}

PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y) {
  CALIPER_CHECK(x.size() == y.size() && x.size() >= 2);
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  double covariance = 0, variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mean_x;
    covariance += dx * (std::log(y[i]) - mean_y);
    variance += dx * dx;
  }
  CALIPER_CHECK(variance > 0);
  const double exponent = covariance / variance;
  return {exponent, std::exp(mean_y - exponent * mean_x)};
}

double largest_difference(std::span<const RunRecord> runs) {
  double largest = 0;
  for (const auto& group : by_work(runs)) {
    const auto peer = std::ranges::find(group, kPeer, &RunRecord::simulator);
    if (peer == group.end()) continue;
    for (const RunRecord& record : group)
      largest = std::max(largest, relative_difference(record.completion_us, peer->completion_us));
  }
  return largest;
}

Problems disagreements(std::span<const RunRecord> runs, double tolerance) {
  Problems problems;
  for (const auto& group : by_work(runs)) {
    const auto peer = std::ranges::find(group, kPeer, &RunRecord::simulator);
    for (const RunRecord& record : group) {
      const auto& first = *std::ranges::find(group, record.simulator, &RunRecord::simulator);
      if (record.completion_us != first.completion_us && record.settings == first.settings)
        problems.push_back({describe(record.work),
                            fmt::format("{} gives {} us, and {} us in another run", record.simulator,
                                        record.completion_us, first.completion_us),
                            "the same input must give the same bits"});
      else if (&record == &first && peer != group.end() &&
               !(relative_difference(record.completion_us, peer->completion_us) <= tolerance))
        problems.push_back({describe(record.work),
                            fmt::format("{} gives {} us, {} gives {} us", record.simulator,
                                        record.completion_us, kPeer, peer->completion_us),
                            fmt::format("they have to agree to {:g}", tolerance)});
    }
  }
  return problems;
}

Result<std::vector<RunRecord>> parse_runs(std::string_view text, std::string_view file) {
  std::vector<RunRecord> runs;
  Problems problems;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const auto where = fmt::format("{}:{}", file, number);
    auto record = parse_run_record(nlohmann::ordered_json::parse(line, nullptr, false), where);
    if (record)
      runs.push_back(*std::move(record));
    else
      append(problems, record.problems());
  }
  if (runs.empty() && problems.empty()) problems.push_back({std::string(file), "holds no runs", ""});
  if (!problems.empty()) return problems;
  return runs;
}

}  // namespace caliper::bench
