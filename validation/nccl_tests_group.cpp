#include "validation/nccl_tests_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace caliper {
namespace {

constexpr double kFactorSlack = 0.004;  // of two numbers printed with an error of 0.17 % each

bool near(double a, double b) { return std::abs(a - b) <= kFactorSlack * b; }

bool continues(const ReadTable& first, const ReadTable& next) {
  if (!first.run.same_experiment(next.run) || first.header != next.header) return false;
  const bool named = first.run.facts().collective.has_value();
  if (!named && !first.programs.empty() && !next.programs.empty() && first.programs != next.programs)
    return false;
  if (first.kind && next.kind && *first.kind != *next.kind) return false;
  return !first.bus_factor || !next.bus_factor || near(*first.bus_factor, *next.bus_factor);
}

template <class T>
void move_behind(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void merge(ReadTable& first, ReadTable next) {
  if (!first.kind) first.kind = std::move(next.kind);
  if (!first.bus_factor) first.bus_factor = next.bus_factor;
  if (first.failure.empty()) first.failure = std::move(next.failure);
  if (first.out_of_bounds.empty()) first.out_of_bounds = std::move(next.out_of_bounds);
  first.closed = first.closed && next.closed;
  first.rows += next.rows;
  move_behind(first.ended_early, std::move(next.ended_early));
  move_behind(first.log.measurements, std::move(next.log.measurements));
  move_behind(first.log.skipped, std::move(next.log.skipped));
}

/// The collective of which a run itself does not speak, as far as it can be told.
void find_collective(ReadTable& table, const std::set<std::string>& programs, RunFacts& facts) {
  const std::set<std::string>& named = table.programs.empty() ? programs : table.programs;
  const bool factor_tells = table.bus_factor && facts.ranks && *facts.ranks > 2;
  const auto possible = [&](std::string_view collective) {
    return !factor_tells || near(*table.bus_factor, bus_factor(collective, *facts.ranks));
  };
  if (named.size() == 1 && possible(*named.begin())) {
    facts.collective = *named.begin();
    return;
  }
  const bool reduces = table.kind && !table.kind->redop.empty() && table.kind->redop != "none";
  const bool rooted = table.kind && !table.kind->root.empty() && table.kind->root != "-1";
  // Only these two reduce without a root; send and receive, which calls itself "sum", has factor 1.
  if (!factor_tells || !reduces || rooted) return;
  for (const std::string_view collective : {"all_reduce", "reduce_scatter"})
    if (possible(collective) && !near(bus_factor(collective, *facts.ranks), 1)) {
      facts.collective = collective;
      table.log.notes.push_back(
          fmt::format("the collective is not named: busbw / algbw = {:.3f} on {} ranks is {}",
                      *table.bus_factor, *facts.ranks, collective));
    }
}

void add_notes(ReadTable& table) {
  MeasurementLog& log = table.log;
  move_behind(log.notes, table.run.notes());
  if (log.facts.aggregated_iterations.value_or(1) > 1)
    log.notes.push_back(fmt::format("{} operations are launched as one group, times are per operation",
                                    *log.facts.aggregated_iterations));
  if (!table.closed)
    log.notes.emplace_back(
        "the run did not say that it ended ('# Out of bounds values'): it was cut, or failed");
  if (!table.failure.empty()) log.notes.push_back(fmt::format("the file says: {}", table.failure));
  if (!table.out_of_bounds.empty())
    log.notes.push_back(fmt::format("nccl-tests says: out of bounds values: {}", table.out_of_bounds));
  note_wrong_results(log);
}

MeasurementLog finished(ReadTable table, const std::set<std::string>& programs) {
  MeasurementLog& log = table.log;
  log.facts = table.run.facts();
  if (table.kind) log.facts.data_type = table.kind->type->name;
  if (!log.facts.collective) find_collective(table, programs, log.facts);
  // A half that no row has was not run; one that some rows lack was lost.
  if (table.closed && table.ended_early.size() == table.rows) {
    log.notes.emplace_back("rows have their out-of-place half only");
  } else {
    move_behind(log.skipped, std::move(table.ended_early));
    std::stable_sort(log.skipped.begin(), log.skipped.end(),
                     [](const Skipped& a, const Skipped& b) { return a.line < b.line; });
  }
  add_notes(table);
  return std::move(log);
}

}  // namespace

double bus_factor(std::string_view collective, std::uint32_t ranks) {
  constexpr std::array<std::string_view, 5> kOthersShare = {"all_gather", "reduce_scatter", "alltoall",
                                                            "gather", "scatter"};
  const double share = static_cast<double>(ranks - 1) / ranks;
  if (collective == "all_reduce") return 2 * share;
  return std::find(kOthersShare.begin(), kOthersShare.end(), collective) != kOthersShare.end() ? share : 1;
}

std::vector<MeasurementLog> experiment_groups(std::vector<ReadTable> tables,
                                              const std::set<std::string>& programs,
                                              std::vector<Skipped>& skipped) {
  std::vector<ReadTable> merged;
  for (ReadTable& table : tables) {
    if (table.rows == 0)
      skipped.push_back({table.log.line, table.failure.empty()
                                             ? "a table without rows"
                                             : fmt::format("a table without rows: {}", table.failure)});
    else if (!merged.empty() && continues(merged.back(), table))
      merge(merged.back(), std::move(table));
    else
      merged.push_back(std::move(table));
  }
  std::vector<MeasurementLog> groups;
  for (ReadTable& table : merged) {
    MeasurementLog log = finished(std::move(table), programs);
    if (!log.measurements.empty()) {
      groups.push_back(std::move(log));
      continue;
    }
    const Error reason = no_usable_time(log, "a table without any usable time");
    skipped.push_back({log.line, fmt::format("{} ({})", reason.what, reason.hint)});
  }
  return groups;
}

}  // namespace caliper
