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
/// root, one or both halves. Whatever stands before a line (a launcher's tag, a rank number, a time) does not
/// matter, nor do lines of other programs. A row is kept cell by cell when it is whole and agrees with
/// itself: size is count times element size (times ranks), bandwidth is size / time; else it is skipped with
/// the reason. Problems: no table, a table without any usable cell, tables of runs that differ in more than
/// their sizes.
/// @param name  as it is to appear in messages
Result<MeasurementLog> read_nccl_tests_text(std::string_view content, const std::string& name);

}  // namespace caliper
