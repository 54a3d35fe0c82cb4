// Reader of what nccl-tests prints on the terminal, as it ends up in job logs.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

/// Whether any line looks like nccl-tests' own: its settings line, or the header of its table.
bool is_nccl_tests_text(std::string_view content);

/// Formats of nccl-tests 2.0 to 2.19: last column `error` or `#wrong`, with and without the columns redop and
/// root, one or both halves, times of the CPU (-C; left out: they are not those of the collective). Whatever
/// stands before a line (a launcher's tag, a rank number, a time, Markdown) does not matter, nor do lines of
/// other programs.
///
/// A row is kept cell by cell when it is whole and agrees with itself: size is count times element size
/// (times ranks), bandwidth is size / time; else it is skipped with the reason. Where other output broke into
/// a row, cells behind it (on the line, or on a line that follows) count only if their bandwidth has three
/// digits and fits to the last of them. A cell is whole when its last column has begun: a cut in that column
/// cannot make wrong results right.
///
/// Tables that differ in type, reduction, root, collective, settings, versions, or in how many ranks, nodes
/// and GPUs there are, stay apart; consecutive ones that do not are one. A run without closing line or with a
/// line of failure says so in its notes.
///
/// Problems: no table, no table with a usable time, several runs that print into the file at once (a rank of
/// two processes, a second header inside a table, kinds of rows that alternate): then no row can be
/// attributed.
/// @param name  as it is to appear in messages
Result<MeasurementFile> read_nccl_tests_text(std::string_view content, const std::string& name);

}  // namespace caliper
