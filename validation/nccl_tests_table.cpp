#include "validation/nccl_tests_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr std::size_t kWordsOfCell = 4;  // time, algbw, busbw, #wrong or error

/// The digits that a word ends with, when nothing but a launcher's tag stands before them ("[STAT]:12288").
std::string_view trailing_digits(std::string_view word) {
  const auto last_other = word.find_last_not_of("0123456789");
  if (last_other == std::string_view::npos) return word;
  constexpr std::string_view kTagEnds = ":>]),|";
  if (kTagEnds.find(word[last_other]) == std::string_view::npos) return {};
  return word.substr(last_other + 1);
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Index of the type name in "size count type"; nothing where the words hold no row.
std::optional<std::size_t> find_type(const std::vector<std::string_view>& words_of_line) {
  for (std::size_t i = 2; i < words_of_line.size(); ++i)
    if (find_element_type(words_of_line[i]) && all_digits(words_of_line[i - 1]) &&
        !trailing_digits(words_of_line[i - 2]).empty())
      return i;
  return std::nullopt;
}

bool is_whole_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return all_digits(word);
}

}  // namespace

std::vector<std::string_view> words_after_hash(std::string_view line) {
  const auto hash = line.find('#');
  if (hash == std::string_view::npos) return {};
  return words(line.substr(hash + 1));
}

std::string without_output_tags(std::string_view line) {
  std::string text(line);
  for (const std::string_view tag : {"]<stdout>:", "]<stderr>:"})
    for (std::size_t at = 0; (at = text.find(tag, at)) != std::string::npos;) {
      const std::size_t end = at + tag.size();
      const std::size_t open = text.rfind('[', at);
      const std::size_t start = open == std::string::npos ? at : open;
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(start),
                text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
      at = end;
    }
  return text;
}

std::optional<TableHeader> parse_table_header(const std::vector<std::string_view>& after_hash) {
  if (after_hash.size() < 4 || after_hash[0] != "size" || after_hash[1] != "count" || after_hash[2] != "type")
    return std::nullopt;
  const auto number_of = [&](std::string_view word) {
    return static_cast<std::size_t>(std::count(after_hash.begin(), after_hash.end(), word));
  };
  TableHeader header;
  header.redop = number_of("redop") > 0;
  header.root = number_of("root") > 0;
  header.error_column = number_of("error") > 0;
  header.cells = std::min<std::size_t>(number_of("time"), 2);
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
  std::size_t at = *type + 1;
  // The column redop is blank for collectives that do not reduce in some versions.
  if (header.redop && at < all.size() && is_reduction(all[at])) row.redop = all[at++];
  if (header.root) {
    if (at >= all.size() || !is_whole_number(all[at])) {
      row.broken = "row ends early or is broken by other output";
      return row;
    }
    row.root = all[at++];
  }
  for (; row.cells.size() < header.cells && at + kWordsOfCell <= all.size(); at += kWordsOfCell) {
    if (row.cells.empty()) row.busbw = all[at + 2];
    const auto error = header.error_column ? parse_double(all[at + 3]) : std::nullopt;
    const bool harmless = error && *error >= 0 && *error <= row.type->error_limit;
    row.cells.push_back({all[at], all[at + 1], harmless ? std::string_view() : all[at + 3]});
  }
  if (row.cells.empty()) row.broken = "row ends early or is broken by other output";
  return row;
}

void RunHeader::read_settings(const std::vector<std::string_view>& after_hash) {
  settings.clear();
  for (std::size_t i = 0; i < after_hash.size(); ++i) {
    const std::string_view word = after_hash[i];
    if (word == "minBytes" || word == "maxBytes" || word == "step:" || word == "validation:") {
      ++i;
      continue;
    }
    settings += fmt::format("{} ", word);
    if (word != "iters:" || i + 1 >= after_hash.size() || i == 0) continue;
    const auto number = parse_uint(after_hash[i + 1]);
    if (!number || *number > UINT32_MAX) continue;
    if (after_hash[i - 1] == "warmup")
      warmups = static_cast<std::uint32_t>(*number);
    else if (after_hash[i - 1] != "agg")
      iterations = static_cast<std::uint32_t>(*number);
  }
}

void RunHeader::read_device(const std::vector<std::string_view>& after_hash, std::uint32_t line) {
  if (after_hash.size() < 2) return;
  const auto rank = parse_uint(after_hash[1]);
  if (!rank || *rank >= UINT32_MAX) return;
  if (!ranks.insert(static_cast<std::uint32_t>(*rank)).second && repeated_rank_line == 0)
    repeated_rank_line = line;
  const auto on = std::find(after_hash.begin(), after_hash.end(), "on");
  if (on != after_hash.end() && on + 1 != after_hash.end()) hosts.emplace(*(on + 1));
}

std::optional<std::uint32_t> RunHeader::rank_count() const {
  return ranks.empty() ? std::nullopt : std::optional(*ranks.rbegin() + 1);
}

std::optional<std::uint32_t> RunHeader::node_count() const {
  if (hosts.empty() || rank_count() != ranks.size()) return std::nullopt;
  return static_cast<std::uint32_t>(hosts.size());
}

bool is_reduction(std::string_view name) {
  constexpr std::array<std::string_view, 7> kReductions = {"sum", "prod",   "min", "max",
                                                           "avg", "mulsum", "none"};
  return std::find(kReductions.begin(), kReductions.end(), name) != kReductions.end();
}

}  // namespace caliper
