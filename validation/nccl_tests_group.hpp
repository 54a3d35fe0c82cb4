// From the tables of a log to its experiment groups: what belongs together, and what is known of it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "validation/nccl_tests_run.hpp"
#include "validation/nccl_tests_table.hpp"

namespace caliper {

/// What is the same for all rows of one experiment group.
struct RowKind {
  const ElementType* type;
  std::string redop;
  std::string root;
  bool operator==(const RowKind&) const = default;
};

/// Rows of one kind under one header line.
struct ReadTable {
  RunHeader run;
  TableHeader header;
  std::optional<RowKind> kind;       ///< nothing before the first row
  std::set<std::string> programs;    ///< collectives whose programs the lines before the table name
  std::optional<double> bus_factor;  ///< busbw / algbw where both are printed with enough digits
  std::size_t rows = 0;
  std::vector<Skipped> ended_early;  ///< halves that their rows do not have
  bool closed = false;               ///< the run said "# Out of bounds values" or "# Avg bus bandwidth"
  std::string failure;               ///< a line that says that something failed
  std::string out_of_bounds;         ///< "8 FAILED" where nccl-tests says so
  MeasurementLog log;                ///< measurements and what was skipped
};

/// busbw / algbw by nccl-tests' doc/PERFORMANCE.md: 2(n-1)/n for AllReduce, (n-1)/n for AllGather,
/// ReduceScatter and AllToAll, 1 for the rest.
double bus_factor(std::string_view collective, std::uint32_t ranks);

/// Consecutive tables that can differ in nothing but sizes and repeats become one group each; facts and notes
/// are completed. Tables without rows or without a usable time go to the file's `skipped`.
/// @param programs  collectives whose programs the whole file names
std::vector<MeasurementLog> experiment_groups(std::vector<ReadTable> tables,
                                              const std::set<std::string>& programs,
                                              std::vector<Skipped>& skipped);

}  // namespace caliper
