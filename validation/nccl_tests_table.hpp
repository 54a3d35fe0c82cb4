// The parts of nccl-tests' terminal output, line by line: settings, devices, table header, rows.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "validation/measurement_cells.hpp"

namespace caliper {

/// Columns of a table, from its header line.
struct TableHeader {
  bool redop = false;
  bool root = false;
  bool error_column = false;  ///< old `error` (a deviation) instead of `#wrong` (a count)
  std::size_t cells = 0;      ///< halves: out-of-place, in-place
};

/// The words after the first '#' of a line: its own lines carry one, with whatever a launcher put before.
std::vector<std::string_view> words_after_hash(std::string_view line);
std::optional<TableHeader> parse_table_header(const std::vector<std::string_view>& after_hash);

/// Open MPI's --tag-output puts "[1,0]<stdout>:" before every piece of a line that was written at once; here
/// blanks stand in its place, so that words stay apart.
std::string without_output_tags(std::string_view line);

/// A row of a table, cells as text. `cells` may be fewer than the header promises.
struct TableRow {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  const ElementType* type = nullptr;
  std::string_view redop;  ///< empty without such a column
  std::string_view root;
  std::vector<CellText> cells;  ///< an `error` within the limit of the type is left out
  std::string_view busbw;       ///< of the first cell
  std::string broken;           ///< why the row cannot be used; empty where it can
};

/// Nothing where the line holds no "size count type". Texts of the row point into `line`.
std::optional<TableRow> parse_table_row(std::string_view line, const TableHeader& header);

/// What a run says of itself before its table.
struct RunHeader {
  std::optional<std::string> collective;
  std::string settings;  ///< of the "# nThread" line, without sizes and validation
  std::optional<std::uint32_t> iterations;
  std::optional<std::uint32_t> warmups;
  std::set<std::uint32_t> ranks;
  std::set<std::string> hosts;
  std::uint32_t repeated_rank_line = 0;  ///< a rank listed twice: several runs print into one file

  void read_settings(const std::vector<std::string_view>& after_hash);
  void read_device(const std::vector<std::string_view>& after_hash, std::uint32_t line);
  std::optional<std::uint32_t> rank_count() const;  ///< highest rank + 1: lists are sometimes abridged
  std::optional<std::uint32_t> node_count() const;  ///< only of a complete list
};

/// nccl-tests' reductions, and "none".
bool is_reduction(std::string_view name);

}  // namespace caliper
