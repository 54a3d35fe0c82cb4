#include "validation/nccl_tests_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/nccl_tests_table.hpp"

namespace caliper {
namespace {

/// What must be the same for all rows of a table: one experiment group.
struct RowKind {
  const ElementType* type;
  std::string redop;
  std::string root;
  bool operator==(const RowKind&) const = default;
};

struct Table {
  std::uint32_t line;
  RunHeader run;
  TableHeader header;
  std::optional<RowKind> kind;
  /// busbw / algbw where both are printed with enough digits: tells collectives apart that do not name
  /// themselves.
  std::optional<double> bus_factor;
};

std::string label(const Table& table) {
  return fmt::format("{} over {} ranks, {} {}", table.run.collective.value_or("collective not named"),
                     table.run.rank_count() ? fmt::format("{}", *table.run.rank_count()) : "?",
                     table.kind ? table.kind->type->name : "no rows", table.kind ? table.kind->redop : "");
}

bool continues(const Table& first, const Table& next) {
  if (first.run.collective != next.run.collective || first.run.settings != next.run.settings ||
      first.run.rank_count() != next.run.rank_count() || first.run.node_count() != next.run.node_count())
    return false;
  if (first.kind && next.kind && *first.kind != *next.kind) return false;
  constexpr double kPrintedDigits = 0.02;
  return !first.bus_factor || !next.bus_factor ||
         std::abs(*first.bus_factor - *next.bus_factor) <= kPrintedDigits * *first.bus_factor;
}

class TextReader {
 public:
  explicit TextReader(const std::string& name) {
    log_.file = name;
    log_.format = "nccl-tests text";
  }

  void read_line(std::string_view line, std::uint32_t number) {
    if (const auto after_hash = words_after_hash(line);
        !after_hash.empty() && read_header(after_hash, number))
      return;
    if (line.find("NCCL version") != std::string_view::npos && !log_.facts.nccl_version)
      log_.facts.nccl_version = find_version(line.substr(line.find("NCCL version")));
    if (failure_.empty() && line.find("failure") != std::string_view::npos) failure_ = trim(line);
    note_program(line);
    const TableHeader any_header{.redop = true, .root = true, .error_column = false, .cells = 2};
    if (const auto row = parse_table_row(line, tables_.empty() ? any_header : tables_.back().header))
      read_row(*row, number);
  }

  Result<MeasurementLog> finish() &&;

 private:
  /// Whether the words were one of nccl-tests' own lines.
  bool read_header(const std::vector<std::string_view>& after_hash, std::uint32_t number);
  void read_row(const TableRow& row, std::uint32_t number);
  /// A launcher's command line names the program in versions that do not name themselves.
  void note_program(std::string_view line);
  void start_run() {
    if (run_has_table_) run_ = {};
    run_has_table_ = false;
  }

  MeasurementLog log_;
  RunHeader run_;  ///< what stands before the next table
  bool run_has_table_ = false;
  std::vector<Table> tables_;
  std::set<std::string> programs_;
  std::string failure_;
  Problems problems_;
};

bool TextReader::read_header(const std::vector<std::string_view>& after_hash, std::uint32_t number) {
  if (after_hash[0] == "nThread") {
    start_run();
    run_.read_settings(after_hash);
  } else if (after_hash[0] == "Rank") {
    run_.read_device(after_hash, number);
  } else if (after_hash.size() >= 4 && after_hash[0] == "Collective" && after_hash[2] == "starting:") {
    start_run();
    run_.collective = collective_of_program(after_hash[3]);
  } else if (after_hash[0] == "nccl-tests" && !log_.facts.nccl_version) {
    constexpr std::string_view kLibrary = "nccl-library=";
    for (const std::string_view word : after_hash)
      if (word.starts_with(kLibrary))
        if (const auto code = parse_uint(word.substr(kLibrary.size())))
          log_.facts.nccl_version = version_of_code(*code);
  } else if (const auto header = parse_table_header(after_hash)) {
    tables_.push_back({number, run_, *header, std::nullopt, std::nullopt});
    run_has_table_ = true;
  } else {
    return false;
  }
  return true;
}

void TextReader::note_program(std::string_view line) {
  if (line.find("_perf") == std::string_view::npos) return;
  for (const std::string_view word : words(line))
    if (auto collective = collective_of_program(word)) programs_.insert(*std::move(collective));
}

void TextReader::read_row(const TableRow& row, std::uint32_t number) {
  const auto skip = [&](std::string reason) { log_.skipped.push_back({number, std::move(reason)}); };
  if (tables_.empty()) return skip("row stands before any table header");
  if (!row.broken.empty()) return skip(row.broken);
  Table& table = tables_.back();
  const std::uint32_t ranks = table.run.rank_count().value_or(1);
  // Size is count times element size, for all_gather and its like times ranks; divided, as products overflow.
  const std::uint64_t elements = row.bytes / row.type->bytes;
  const std::uint64_t times = row.count > 0 ? elements / row.count : (row.bytes == 0 ? 1 : 0);
  const bool whole = row.bytes % row.type->bytes == 0 && (row.count == 0 || elements % row.count == 0);
  if (!whole || times == 0 || (table.run.rank_count() && times != 1 && times != ranks && row.bytes > 0))
    return skip(fmt::format("size {} is not count {} of {}", row.bytes, row.count, row.type->name));

  RowKind kind{row.type, std::string(row.redop), std::string(row.root)};
  if (!table.kind)
    table.kind = std::move(kind);
  else if (*table.kind != kind && problems_.empty())
    problems_.push_back({fmt::format("{}:{}", log_.file, number),
                         "rows of one table differ in type, reduction or root",
                         "split the file: all rows of a file are one experiment group"});
  // Versions before 2.9 gave the bandwidth of these collectives per rank.
  std::vector<std::uint32_t> shares = {1};
  if (table.header.error_column && times == ranks && ranks > 1) shares.push_back(ranks);
  for (std::size_t i = 0; i < table.header.cells; ++i) {
    const Buffers buffers = i == 0 ? Buffers::out_of_place : Buffers::in_place;
    if (i < row.cells.size())
      keep_cell(log_, row.bytes, buffers, number, row.cells[i], shares);
    else
      skip(fmt::format("{}: row ends early", name_of(buffers)));
  }
  constexpr double kEnoughDigits = 5;  // of x.xx, so that the ratio is right to half a per cent
  const auto algbw = parse_double(row.cells.front().algbw);
  const auto busbw = parse_double(row.busbw);
  if (algbw && busbw && *algbw >= kEnoughDigits && *busbw >= kEnoughDigits)
    table.bus_factor = *busbw / *algbw;
}

Result<MeasurementLog> TextReader::finish() && {
  const std::string& file = log_.file;
  if (tables_.empty())
    return Error{file, "nccl-tests ended before it printed a table",
                 failure_.empty() ? std::string() : fmt::format("the file says: {}", failure_)};
  Table first = std::move(tables_.front());
  for (std::size_t i = 1; i < tables_.size(); ++i) {
    Table& next = tables_[i];
    if (!continues(first, next)) {
      problems_.push_back({fmt::format("{}:{}", file, next.line),
                           fmt::format("a second table ({}) that differs from the one of line {} ({})",
                                       label(next), first.line, label(first)),
                           "split the file: one group of runs a file"});
      break;
    }
    // What the first table is silent about, later ones are still held against each other for.
    if (!first.kind) first.kind = std::move(next.kind);
    if (!first.bus_factor) first.bus_factor = next.bus_factor;
  }
  if (const std::uint32_t line = first.run.repeated_rank_line; line > 0) {
    if (tables_.size() > 1)
      problems_.push_back({fmt::format("{}:{}", file, line),
                           "several runs print into one file: a rank is listed twice",
                           "was nccl-tests built without MPI=1?"});
    log_.skipped.push_back(
        {line, "a rank is listed twice: a second run prints into this file and has no table"});
  }
  if (!problems_.empty()) return std::move(problems_);
  if (log_.measurements.empty())
    return Error{fmt::format("{}:{}", file, first.line), "a table without any usable time",
                 log_.skipped.empty()
                     ? ""
                     : fmt::format("line {}: {}", log_.skipped.front().line, log_.skipped.front().reason)};
  RunFacts& facts = log_.facts;
  facts.collective = first.run.collective;
  if (!facts.collective && programs_.size() == 1) facts.collective = *programs_.begin();
  if (first.kind) facts.data_type = first.kind->type->name;
  facts.ranks = first.run.rank_count();
  facts.nodes = first.run.node_count();
  facts.iterations = first.run.iterations;
  facts.warmups = first.run.warmups;
  return std::move(log_);
}

}  // namespace

bool is_nccl_tests_text(std::string_view content) {
  const auto lines = split_lines(content);
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    const auto after_hash = words_after_hash(line);
    return (!after_hash.empty() && after_hash[0] == "nThread") || parse_table_header(after_hash);
  });
}

Result<MeasurementLog> read_nccl_tests_text(std::string_view content, const std::string& name) {
  TextReader reader(name);
  std::uint32_t number = 0;
  for (const std::string_view line : split_lines(content)) {
    ++number;
    if (line.find("]<std") == std::string_view::npos)
      reader.read_line(line, number);
    else
      reader.read_line(without_output_tags(line), number);
  }
  return std::move(reader).finish();
}

}  // namespace caliper
