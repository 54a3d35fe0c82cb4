// The table that nccl-tests prints, line by line: its header, its rows, also those that other output tore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  bool cpu_time = false;      ///< -C: time that the CPU takes to launch, not that of the collective
  std::size_t cells = 0;      ///< halves: out-of-place, in-place
  bool operator==(const TableHeader&) const = default;
};

/// The words after a '#'.
using HashWords = std::vector<std::string_view>;
std::optional<TableHeader> parse_table_header(const HashWords& after_hash);

/// Time, bandwidths and check of one half, as printed.
struct TableCell {
  CellText text;  ///< an `error` within the limit of the type is left out
  std::string_view busbw;
};

/// A row of a table. Texts point into its line.
struct TableRow {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  const ElementType* type = nullptr;
  std::string_view redop;  ///< empty without such a column
  std::string_view root;
  std::vector<TableCell> cells;  ///< may be fewer than the header promises
  /// Cells from here on stand behind other output on the line: they have to prove that they belong to the
  /// row.
  std::size_t first_torn = 0;
  bool kind_known = true;  ///< false: other output stands where redop and root are due
  std::string broken;      ///< why the row cannot be used; empty where it can
};

/// Nothing where the line holds no "size count type".
std::optional<TableRow> parse_table_row(std::string_view line, const TableHeader& header);

/// The cells that a line ends with, exactly `count` or none: the rest of a row whose begin stood on a line
/// before.
std::vector<TableCell> cells_at_end(std::string_view line, std::size_t count, const TableHeader& header,
                                    const ElementType& type);

}  // namespace caliper
