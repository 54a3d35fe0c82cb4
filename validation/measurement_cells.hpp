// What the readers of measurements share: a cell as it is printed becomes a time, or the reason why it does
// not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

/// Element types by nccl-tests' names and by ours: "float" and "float32" are the same.
struct ElementType {
  std::string_view name;  ///< ours
  std::uint32_t bytes;
  /// Largest deviation that nccl-tests' old `error` column may show of a right result (its deltaMaxValue).
  double error_limit;
};
const ElementType* find_element_type(std::string_view name);

/// One half of a row, as printed; empty where the format has no such column or the cell is empty.
struct CellText {
  std::string_view time_us;
  std::string_view algbw;  ///< GB/s
  std::string_view wrong;  ///< number of wrong elements (or their deviation), "N/A" where nothing was checked
};

/// What a cell says: a time in seconds, finite and > 0, or why there is none.
struct CellReading {
  double seconds = 0;
  std::string why_not;         ///< empty where `seconds` holds
  bool wrong_results = false;  ///< why not: nccl-tests found wrong results
};

/// There is no time where the size is zero, the time not a number or not above zero, results are wrong, or
/// the bandwidth is not bytes / time within 1 % and the digits printed (a row that other output broke into,
/// say).
/// @param bandwidth_shares  what the bandwidth may be a share of: {1}, or {1, ranks} where per-rank bytes may
/// be meant
CellReading read_cell(std::uint64_t bytes, const CellText& cell,
                      const std::vector<std::uint32_t>& bandwidth_shares);

/// Whether the digits printed show that the time belongs to the size: the bandwidth has three or more and is
/// bytes / time to the last of them. By chance that happens once in a thousand.
bool proves_itself(std::uint64_t bytes, const CellText& cell,
                   const std::vector<std::uint32_t>& bandwidth_shares);

/// Keeps the time of the cell, or says in `skipped` why not: nothing is dropped in silence.
void keep_cell(MeasurementLog& log, std::uint64_t bytes, Buffers buffers, std::uint32_t line,
               const CellText& cell, const std::vector<std::uint32_t>& bandwidth_shares);

/// Notes how many results were wrong, and in which lines.
void note_wrong_results(MeasurementLog& log);

/// The refusal of a table in which nothing can be used; names the first thing that was left out.
Error no_usable_time(const MeasurementLog& log, std::string what);

/// "in-place", "out-of-place"
std::string_view name_of(Buffers buffers);

/// The first X.Y or X.Y.Z of a text: "2.21.5" of "NCCL version 2.21.5+cuda12.5".
std::optional<std::string> find_version(std::string_view text);
/// NCCL_VERSION_CODE: 22907 is "2.29.7", and before 2.9, 2804 is "2.8.4".
std::string version_of_code(std::uint64_t code);
/// "all_reduce" of ".../all_reduce_perf"; nothing where the text is no name of an nccl-tests program.
std::optional<std::string> collective_of_program(std::string_view program);

}  // namespace caliper
