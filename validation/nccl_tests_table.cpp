#include "validation/nccl_tests_table.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr std::size_t kWordsOfCell = 4;  // time, algbw, busbw, #wrong or error

/// The digits that a word ends with, when nothing but a launcher's tag stands before them ("[STAT]:12288").
std::string_view trailing_digits(std::string_view word) {
  const auto last_other = word.find_last_not_of("0123456789");
  if (last_other == std::string_view::npos) return word;
  constexpr std::string_view kTagEnds = ":>]),";
  if (kTagEnds.find(word[last_other]) == std::string_view::npos) return {};
  return word.substr(last_other + 1);
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Index of the type name in "size count type"; nothing where the words hold no row.
std::optional<std::size_t> find_type(const std::vector<std::string_view>& words_of_line) {
  for (std::size_t i = 2; i < words_of_line.size(); ++i)
    if (all_digits(words_of_line[i - 1]) && find_element_type(words_of_line[i]) &&
        !trailing_digits(words_of_line[i - 2]).empty())
      return i;
  return std::nullopt;
}

bool is_whole_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return all_digits(word);
}

/// nccl-tests' reductions, and "none".
bool is_reduction(std::string_view name) {
  constexpr std::array<std::string_view, 7> kReductions = {"sum", "prod",   "min", "max",
                                                           "avg", "mulsum", "none"};
  return std::find(kReductions.begin(), kReductions.end(), name) != kReductions.end();
}

bool is_cell_word(std::string_view word) {
  constexpr std::array<std::string_view, 5> kNoNumbers = {"N/A", "nan", "-nan", "inf", "-inf"};
  return parse_double(word) || std::find(kNoNumbers.begin(), kNoNumbers.end(), word) != kNoNumbers.end();
}

std::optional<TableCell> read_table_cell(std::span<const std::string_view> words, const TableHeader& header,
                                         const ElementType& type) {
  if (words.size() < kWordsOfCell) return std::nullopt;
  words = words.first(kWordsOfCell);
  if (!std::all_of(words.begin(), words.end(), is_cell_word)) return std::nullopt;
  const auto error = header.error_column ? parse_double(words[3]) : std::nullopt;
  const bool harmless = error && *error >= 0 && *error <= type.error_limit;
  return TableCell{{words[0], words[1], harmless ? std::string_view() : words[3]}, words[2]};
}

/// The cells that the words end with: exactly `count`, or none, since of fewer nobody knows which halves they
/// are.
std::vector<TableCell> read_last_cells(std::span<const std::string_view> words, std::size_t count,
                                       const TableHeader& header, const ElementType& type) {
  if (words.size() < count * kWordsOfCell) return {};
  words = words.last(count * kWordsOfCell);
  std::vector<TableCell> cells;
  for (; !words.empty(); words = words.subspan(kWordsOfCell)) {
    const auto cell = read_table_cell(words, header, type);
    if (!cell) return {};
    cells.push_back(*cell);
  }
  return cells;
}

}  // namespace

std::optional<TableHeader> parse_table_header(const HashWords& after_hash) {
  if (after_hash.size() < 4 || after_hash[0] != "size" || after_hash[1] != "count" || after_hash[2] != "type")
    return std::nullopt;
  const auto number_of = [&](std::string_view word) {
    return static_cast<std::size_t>(std::count(after_hash.begin(), after_hash.end(), word));
  };
  TableHeader header;
  header.redop = number_of("redop") > 0;
  header.root = number_of("root") > 0;
  header.error_column = number_of("error") > 0;
  header.cpu_time = number_of("cputime") > 0;
  header.cells = std::min<std::size_t>(number_of("time") + number_of("cputime"), 2);
  if (header.cells == 0 || (!header.error_column && number_of("#wrong") == 0)) return std::nullopt;
  return header;
}

std::optional<TableRow> parse_table_row(std::string_view line, const TableHeader& header) {
  const std::vector<std::string_view> all = words(line);
  const auto type = find_type(all);
  if (!type) return std::nullopt;
  TableRow row;
  row.type = find_element_type(all[*type]);
  const auto bytes = parse_uint(trailing_digits(all[*type - 2]));
  const auto count = parse_uint(all[*type - 1]);
  if (!bytes || !count) {
    row.broken = "size or count is too large a number";
    return row;
  }
  row.bytes = *bytes;
  row.count = *count;
  std::span<const std::string_view> rest = std::span(all).subspan(*type + 1);
  // The column redop is blank for collectives that do not reduce in some versions.
  if (header.redop && !rest.empty() && is_reduction(rest[0])) {
    row.redop = rest[0];
    rest = rest.subspan(1);
  }
  if (header.root) {
    row.kind_known = !rest.empty() && is_whole_number(rest[0]);
    if (row.kind_known) {
      row.root = rest[0];
      rest = rest.subspan(1);
    }
  }
  while (row.kind_known && row.cells.size() < header.cells) {
    const auto cell = read_table_cell(rest, header, *row.type);
    if (!cell) break;
    row.cells.push_back(*cell);
    rest = rest.subspan(kWordsOfCell);
  }
  row.first_torn = row.cells.size();
  // The next word is no time: where a redop was due, it may have hidden that.
  if (row.cells.empty() && header.redop && row.redop.empty()) row.kind_known = false;
  for (const TableCell& cell : read_last_cells(rest, header.cells - row.cells.size(), header, *row.type))
    row.cells.push_back(cell);
  return row;
}

std::vector<TableCell> cells_at_end(std::string_view line, std::size_t count, const TableHeader& header,
                                    const ElementType& type) {
  const std::vector<std::string_view> all = words(line);
  return read_last_cells(all, count, header, type);
}

}  // namespace caliper
