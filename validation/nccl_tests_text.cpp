#include "validation/nccl_tests_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/nccl_tests_group.hpp"
#include "validation/terminal_lines.hpp"

namespace caliper {
namespace {

constexpr const char* kOneAtATime = "was nccl-tests built without MPI=1? Give every run a file of its own";

/// Words after each '#' of a line in turn, until `use` takes them: nccl-tests' own lines carry one, prompts
/// and launchers' tags may too.
template <class Use>
bool any_hash(std::string_view line, Use use) {
  for (std::size_t at = 0; (at = line.find('#', at)) != std::string_view::npos;)
    if (use(words(line.substr(++at)))) return true;
  return false;
}

bool is_failure(std::string_view line) {
  constexpr std::array<std::string_view, 12> kSigns = {
      "Test NCCL failure", "Test CUDA failure",  "Test failure",      "exited on signal",
      "exited with",       "Segmentation fault", "DUE TO TIME LIMIT", "CANCELLED AT",
      "oom-kill",          "srun: error:",       "terminate called",  "MPI_ABORT"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return line.find(sign) != std::string_view::npos; });
}

class TextReader {
 public:
  explicit TextReader(const std::string& name) : name_(name) {}
  void read_line(std::string_view line, std::uint32_t number);
  Result<MeasurementFile> finish() &&;

 private:
  /// The cells that the last row still lacks.
  struct Pending {
    std::uint64_t bytes;
    const ElementType* type;
    std::uint32_t line;
    std::size_t next;  ///< half that comes next
    std::vector<std::uint32_t> shares;
  };

  /// Whether the words were one of nccl-tests' own lines.
  bool read_header(const HashWords& after_hash, std::uint32_t number);
  void read_table_header(const TableHeader& header, std::uint32_t number);
  void read_closing(const HashWords& after_hash, std::uint32_t number);
  void read_row(const TableRow& row, std::uint32_t number);
  /// The table to which a row of this kind belongs; null where rows of several runs alternate.
  ReadTable* table_for(const TableRow& row, std::uint32_t number);
  void keep(ReadTable& table, const TableRow& row, Pending row_so_far);
  void keep_cell_of(ReadTable& table, const Pending& row, const TableCell& cell);
  void continue_row(std::string_view line);
  void end_row();
  /// A launcher's command line names the program in versions that do not name themselves.
  void note_program(std::string_view line);
  void note_failure(std::string_view line, std::uint32_t number);
  void begin_run();
  void interleaved(std::uint32_t line, std::string what) {
    if (problems_.empty())
      problems_.push_back(
          {fmt::format("{}:{}", name_, line),
           fmt::format("several runs print into this file, rows cannot be told apart: {}", what),
           kOneAtATime});
  }

  std::string name_;
  RunHeader run_;  ///< what stands before the next table
  bool run_has_table_ = false;
  Skipped run_failure_{};           ///< a failure before the table; no reason: none
  std::set<std::string> programs_;  ///< named since the last table
  std::set<std::string> all_programs_;
  std::vector<ReadTable> tables_;
  std::size_t first_of_header_ = 0;    ///< tables from here on stand under the last header line
  bool began_inside_another_ = false;  ///< the last table, before the one above it was closed
  bool said_out_of_bounds_ = false;
  std::optional<Pending> pending_;
  std::vector<Skipped> skipped_;
  Problems problems_;
};

void TextReader::read_line(std::string_view line, std::uint32_t number) {
  if (any_hash(line, [&](const HashWords& after_hash) { return read_header(after_hash, number); })) return;
  if (const auto version = line.find("NCCL version"); version != std::string_view::npos) {
    RunHeader& run = run_has_table_ ? tables_.back().run : run_;
    run.see_nccl_version(find_version(line.substr(version)));
  }
  if (is_failure(line)) note_failure(line, number);
  note_program(line);
  const TableHeader any_header{.redop = true, .root = true, .cells = 2};
  if (const auto row = parse_table_row(line, tables_.empty() ? any_header : tables_.back().header))
    read_row(*row, number);
  else if (pending_)
    continue_row(line);
}

void TextReader::begin_run() {
  const bool failed = run_.has_devices() && !run_failure_.reason.empty();
  if (!run_has_table_ && !failed) return;
  if (failed && !run_has_table_)
    skipped_.push_back(
        {run_failure_.line, fmt::format("a run ended before its table: {}", run_failure_.reason)});
  run_ = {};
  run_failure_ = {};
  run_has_table_ = false;
}

bool TextReader::read_header(const HashWords& after_hash, std::uint32_t number) {
  if (after_hash.empty()) return false;
  const bool names_collective =
      after_hash.size() >= 4 && after_hash[0] == "Collective" && after_hash[2] == "starting:";
  if (after_hash[0] == "nThread") {
    begin_run();
    run_.read_settings(after_hash);
  } else if (names_collective) {
    begin_run();
    run_.set_collective(collective_of_program(after_hash[3]));
  } else if (after_hash.size() > 2 && after_hash[0] == "nccl-tests" && after_hash[1] == "version") {
    begin_run();
    run_.read_versions(after_hash);
  } else if (after_hash[0] == "Rank") {
    run_.read_device(after_hash, number);
  } else if (const auto header = parse_table_header(after_hash)) {
    read_table_header(*header, number);
  } else if (after_hash[0] == "Out" || after_hash[0] == "Avg") {
    read_closing(after_hash, number);
  } else {
    return after_hash[0] == "Collective";  // "Collective test concluded": no command line
  }
  return true;
}

void TextReader::read_table_header(const TableHeader& header, std::uint32_t number) {
  end_row();
  if (run_has_table_) {
    const ReadTable& last = tables_.back();
    if (last.rows == 0 && last.header == header) return;  // the line is only repeated
    if (!last.closed) return interleaved(number, "a second header inside a table");
    run_ = {};  // its own lines are missing
  }
  if (const std::uint32_t line = run_.repeated_rank_line(); line > 0)
    interleaved(line, "a rank is listed for two processes");
  began_inside_another_ = !tables_.empty() && !tables_.back().closed && tables_.back().failure.empty();
  said_out_of_bounds_ = false;
  first_of_header_ = tables_.size();
  ReadTable table;
  table.header = header;
  table.run = run_;
  table.programs = std::exchange(programs_, {});
  table.log.file = name_;
  table.log.line = number;
  tables_.push_back(std::move(table));
  run_has_table_ = true;
}

void TextReader::read_closing(const HashWords& after_hash, std::uint32_t number) {
  if (after_hash.size() < 3 || !(after_hash[1] == "of" || after_hash[1] == "bus") || tables_.empty()) return;
  end_row();
  const bool out_of_bounds = after_hash[0] == "Out";
  if (out_of_bounds && began_inside_another_ && std::exchange(said_out_of_bounds_, true))
    return interleaved(number, "a table ends twice, and began before the one above it had ended");
  for (std::size_t i = first_of_header_; i < tables_.size(); ++i) {
    tables_[i].closed = true;
    const std::size_t count = after_hash.size();
    if (out_of_bounds && after_hash[count - 1] != "OK")
      tables_[i].out_of_bounds = fmt::format("{}", fmt::join(after_hash.begin() + 3, after_hash.end(), " "));
  }
}

void TextReader::note_program(std::string_view line) {
  if (line.find("_perf") == std::string_view::npos) return;
  for (const std::string_view word : words(line))
    if (const auto collective = collective_of_program(word)) {
      programs_.insert(*collective);
      all_programs_.insert(*collective);
    }
}

void TextReader::note_failure(std::string_view line, std::uint32_t number) {
  if (!run_has_table_) {
    if (run_failure_.reason.empty()) run_failure_ = {number, std::string(trim(line))};
  } else if (ReadTable& table = tables_.back(); table.failure.empty() && !table.closed) {
    table.failure = trim(line);
  }
}

ReadTable* TextReader::table_for(const TableRow& row, std::uint32_t number) {
  ReadTable& last = tables_.back();
  const RowKind kind{row.type, std::string(row.redop), std::string(row.root)};
  if (!row.kind_known || last.kind == kind) return &last;
  if (!last.kind) {
    last.kind = kind;
    return &last;
  }
  for (std::size_t i = first_of_header_; i < tables_.size(); ++i)
    if (tables_[i].kind == kind) {
      interleaved(number, "types, reductions or roots of its rows alternate");
      return nullptr;
    }
  // One table for all types (-d all), reductions (-o all) or roots (-r -1).
  ReadTable next;
  next.header = last.header;
  next.run = last.run;
  next.programs = last.programs;
  next.kind = kind;
  next.log.file = name_;
  next.log.line = number;
  tables_.push_back(std::move(next));
  return &tables_.back();
}

void TextReader::read_row(const TableRow& row, std::uint32_t number) {
  end_row();
  if (tables_.empty()) {
    skipped_.push_back({number, "row stands before any table header"});
    return;
  }
  const auto skip = [&](std::string reason) {
    ++tables_.back().rows;
    tables_.back().log.skipped.push_back({number, std::move(reason)});
  };
  if (!row.broken.empty()) return skip(row.broken);
  const auto listed = tables_.back().run.rank_count();
  // Size is count times element size, for all_gather and its like times ranks; divided, as products overflow.
  const std::uint64_t elements = row.bytes / row.type->bytes;
  const std::uint64_t times = row.count > 0 ? elements / row.count : (row.bytes == 0 ? 1 : 0);
  const bool whole = row.bytes % row.type->bytes == 0 && (row.count == 0 || elements % row.count == 0);
  if (!whole || times == 0 || times > UINT32_MAX ||
      (listed && times != 1 && times != *listed && row.bytes > 0))
    return skip(fmt::format("size {} is not count {} of {}", row.bytes, row.count, row.type->name));
  ReadTable* table = table_for(row, number);
  if (!table) return;
  ++table->rows;
  // Versions before 2.9 gave the bandwidth of these collectives per rank.
  std::vector<std::uint32_t> shares = {1};
  if (table->header.error_column && times == listed && times > 1)
    shares.push_back(static_cast<std::uint32_t>(times));
  keep(*table, row, {row.bytes, row.type, number, 0, std::move(shares)});
}

void TextReader::keep(ReadTable& table, const TableRow& row, Pending so_far) {
  for (; so_far.next < row.cells.size(); ++so_far.next) {
    const TableCell& cell = row.cells[so_far.next];
    if (so_far.next >= row.first_torn && !proves_itself(row.bytes, cell.text, so_far.shares)) break;
    keep_cell_of(table, so_far, cell);
  }
  if (so_far.next < table.header.cells) pending_ = std::move(so_far);
}

void TextReader::keep_cell_of(ReadTable& table, const Pending& row, const TableCell& cell) {
  const Buffers buffers = row.next == 0 ? Buffers::out_of_place : Buffers::in_place;
  if (table.header.cpu_time) {
    table.log.skipped.push_back(
        {row.line, fmt::format("{}: time of the CPU (-C), not of the collective", name_of(buffers))});
    return;
  }
  keep_cell(table.log, row.bytes, buffers, row.line, cell.text, row.shares);
  constexpr double kEnoughDigits = 3;  // of x.xx, so that each is right to 0.17 %
  const auto algbw = parse_double(cell.text.algbw), busbw = parse_double(cell.busbw);
  const bool counts = row.next == 0 || !table.bus_factor;
  if (counts && algbw && busbw && *algbw >= kEnoughDigits && *busbw >= kEnoughDigits)
    table.bus_factor = *busbw / *algbw;
}

void TextReader::continue_row(std::string_view line) {
  ReadTable& table = tables_.back();
  const auto cells = cells_at_end(line, table.header.cells - pending_->next, table.header, *pending_->type);
  const auto belongs = [&](const TableCell& cell) {
    return proves_itself(pending_->bytes, cell.text, pending_->shares);
  };
  if (cells.empty() || !std::all_of(cells.begin(), cells.end(), belongs)) return;
  for (const TableCell& cell : cells) {
    keep_cell_of(table, *pending_, cell);
    ++pending_->next;
  }
  pending_.reset();
}

void TextReader::end_row() {
  if (!pending_) return;
  ReadTable& table = tables_.back();
  if (pending_->next == 0)
    table.log.skipped.push_back({pending_->line, "row ends early or is broken by other output"});
  else
    table.ended_early.push_back({pending_->line, "in-place: row ends early or is broken by other output"});
  pending_.reset();
}

Result<MeasurementFile> TextReader::finish() && {
  end_row();
  if (!problems_.empty()) return std::move(problems_);
  if (tables_.empty())
    return Error{
        name_, "nccl-tests ended before it printed a table",
        run_failure_.reason.empty() ? std::string() : fmt::format("the file says: {}", run_failure_.reason)};
  if (!run_has_table_ && !run_failure_.reason.empty())
    skipped_.push_back(
        {run_failure_.line, fmt::format("a run ended before its table: {}", run_failure_.reason)});
  const std::uint32_t first_line = tables_.front().log.line;
  MeasurementFile file{name_, "nccl-tests text", {}, {}};
  file.tables = experiment_groups(std::move(tables_), all_programs_, skipped_);
  file.skipped = std::move(skipped_);
  if (!file.tables.empty()) return file;
  const Skipped& reason = file.skipped.front();
  return Error{fmt::format("{}:{}", name_, first_line), "no table with a usable time",
               fmt::format("line {}: {}", reason.line, reason.reason)};
}

}  // namespace

bool is_nccl_tests_text(std::string_view content) {
  const TerminalLines text(content);
  return std::any_of(text.lines().begin(), text.lines().end(), [](const TerminalLine& line) {
    return any_hash(line.text, [](const HashWords& after_hash) {
      return !after_hash.empty() && (after_hash[0] == "nThread" || parse_table_header(after_hash));
    });
  });
}

Result<MeasurementFile> read_nccl_tests_text(std::string_view content, const std::string& name) {
  TextReader reader(name);
  const TerminalLines text(content);
  for (const TerminalLine& line : text.lines()) reader.read_line(line.text, line.number);
  return std::move(reader).finish();
}

}  // namespace caliper
