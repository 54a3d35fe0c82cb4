#include "validation/measurement_csv.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/measurement_cells.hpp"
#include "validation/nccl_tests_run.hpp"

namespace caliper {
namespace {

constexpr std::array<std::string_view, 13> kColumns = {
    "size_bytes", "oop_time_us",   "ip_time_us",    "count",        "dtype",        "redop",   "root",
    "oop_wrong",  "oop_algbw_GBs", "oop_busbw_GBs", "ip_algbw_GBs", "ip_busbw_GBs", "ip_wrong"};
constexpr std::size_t kMostProblems = 20;

bool is_comment(std::string_view line) { return line.starts_with('#'); }

bool is_name(std::string_view field) {
  return !field.empty() && std::all_of(field.begin(), field.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields = split(line, ',');
  for (std::string_view& field : fields) field = trim(field);
  return fields;
}

class CsvReader {
 public:
  explicit CsvReader(const std::string& name) { log_.file = name; }

  /// @param ended  whether the line has its newline
  void read_line(std::string_view line, std::uint32_t number, bool ended) {
    line_ended_ = ended;
    line = trim(line);
    if (line.empty() || problems_.size() >= kMostProblems) return;
    if (is_comment(line))
      read_fact(line.substr(1), number);
    else if (columns_.empty())
      read_header(fields_of(line), number);
    else if (header_is_right_)
      read_row(fields_of(line), number);
  }

  Result<MeasurementFile> finish() &&;

 private:
  void problem(std::uint32_t line, std::string what, std::string hint = {}) {
    problems_.push_back({fmt::format("{}:{}", log_.file, line), std::move(what), std::move(hint)});
  }
  void read_fact(std::string_view comment, std::uint32_t number);
  void read_number_fact(std::string_view key, std::string_view value, std::uint32_t number);
  void read_header(const std::vector<std::string_view>& fields, std::uint32_t number);
  void read_row(const std::vector<std::string_view>& fields, std::uint32_t number);
  void read_half(const std::vector<std::string_view>& fields, std::uint64_t bytes, Buffers buffers,
                 std::uint32_t number);
  /// A column whose value is the same for the whole file, or a problem.
  void read_kind(const std::vector<std::string_view>& fields, std::string_view column, std::uint32_t number);
  /// The cell of a column; empty where there is no such column.
  std::string_view cell(const std::vector<std::string_view>& fields, std::string_view column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? std::string_view() : fields[found->second];
  }

  MeasurementLog log_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  bool header_is_right_ = false;
  std::map<std::string, std::string, std::less<>> kind_;  ///< column to its value
  bool line_ended_ = true;
  Problems problems_;
};

void CsvReader::read_fact(std::string_view comment, std::uint32_t number) {
  const auto colon = comment.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view key = trim(comment.substr(0, colon));
  const std::string_view value = trim(comment.substr(colon + 1));
  if (value.empty() || value.starts_with("not stated")) return;
  RunFacts& facts = log_.facts;
  if (key == "source") {
    facts.source = value;
  } else if (key == "collective") {
    facts.collective = value;
  } else if (key == "gpu_model") {
    facts.gpu_model = value;
  } else if (key == "note") {
    log_.notes.emplace_back(value);
  } else if (key == "nccl_tests_version") {
    facts.nccl_tests_version = find_version(value);
  } else if (key == "nccl_version") {
    facts.nccl_version = find_version(value);
    if (!facts.nccl_version) problem(number, fmt::format("no NCCL version in '{}'", value), "as in 2.21.5");
  } else if (key == "dtype" || key == "data_type") {
    const ElementType* type = find_element_type(value);
    if (type)
      facts.data_type = type->name;
    else
      problem(number, fmt::format("unknown data type '{}'", value), "as in float32 or bfloat16");
  } else if (key == "nccl_tests_header") {
    RunHeader run;
    run.read_settings(words(value));
    facts.iterations = run.facts().iterations;
    facts.warmups = run.facts().warmups;
    facts.aggregated_iterations = run.facts().aggregated_iterations;
  } else {
    read_number_fact(key, value, number);
  }
}

void CsvReader::read_number_fact(std::string_view key, std::string_view value, std::uint32_t number) {
  RunFacts& facts = log_.facts;
  std::optional<std::uint32_t>* fact = key == "ranks"                   ? &facts.ranks
                                       : key == "nodes"                 ? &facts.nodes
                                       : key == "gpus_per_node"         ? &facts.gpus_per_node
                                       : key == "iterations"            ? &facts.iterations
                                       : key == "warmups"               ? &facts.warmups
                                       : key == "aggregated_iterations" ? &facts.aggregated_iterations
                                                                        : nullptr;
  if (!fact) return;
  // "2 (of 4)": a remark in brackets may follow.
  const auto parsed = parse_uint(trim(value.substr(0, value.find('('))));
  const bool may_be_zero = key == "warmups";
  if (!parsed || *parsed > UINT32_MAX || (*parsed == 0 && !may_be_zero))
    problem(number, fmt::format("{}: '{}' is not a count", key, value));
  else
    *fact = static_cast<std::uint32_t>(*parsed);
}

void CsvReader::read_header(const std::vector<std::string_view>& fields, std::uint32_t number) {
  const std::size_t problems_before = problems_.size();
  log_.line = number;
  const std::vector<std::string> known(kColumns.begin(), kColumns.end());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (std::find(known.begin(), known.end(), fields[i]) == known.end())
      problem(number, fmt::format("unknown column '{}'", fields[i]), suggestion(fields[i], known));
    else if (columns_.contains(fields[i]))
      problem(number, fmt::format("column '{}' stands twice", fields[i]));
    columns_.emplace(fields[i], i);
  }
  if (!columns_.contains("size_bytes")) problem(number, "no column size_bytes");
  if (!columns_.contains("oop_time_us") && !columns_.contains("ip_time_us"))
    problem(number, "no column oop_time_us or ip_time_us");
  header_is_right_ = problems_.size() == problems_before;
}

void CsvReader::read_row(const std::vector<std::string_view>& fields, std::uint32_t number) {
  std::size_t columns = columns_.size();
  if (fields.size() != columns && !line_ended_)
    return log_.skipped.push_back({number, "the file ends inside this row"});
  if (fields.size() != columns)
    return problem(number, fmt::format("{} fields, the header has {}", fields.size(), columns));
  const auto bytes = parse_uint(cell(fields, "size_bytes"));
  if (!bytes)
    return problem(number, fmt::format("size_bytes '{}' is not a whole number", cell(fields, "size_bytes")));
  for (const std::string_view column : {"dtype", "redop", "root"}) read_kind(fields, column, number);
  read_half(fields, *bytes, Buffers::out_of_place, number);
  read_half(fields, *bytes, Buffers::in_place, number);
}

void CsvReader::read_kind(const std::vector<std::string_view>& fields, std::string_view column,
                          std::uint32_t number) {
  const std::string_view value = cell(fields, column);
  if (value.empty() || (!line_ended_ && fields.back().data() == value.data())) return;
  const auto [kept, is_new] = kind_.emplace(column, value);
  if (kept->second != value)
    return problem(number, fmt::format("{} is '{}' here and '{}' above", column, value, kept->second),
                   "split the file: all rows of a file are one experiment group");
  if (!is_new || column != "dtype") return;
  const ElementType* type = find_element_type(value);
  if (!type)
    problem(number, fmt::format("unknown data type '{}'", value), "as in float32 or bfloat16");
  else if (log_.facts.data_type && *log_.facts.data_type != type->name)
    problem(number, fmt::format("dtype '{}' in the row, '{}' in the comments", value, *log_.facts.data_type));
  else
    log_.facts.data_type = type->name;
}

void CsvReader::read_half(const std::vector<std::string_view>& fields, std::uint64_t bytes, Buffers buffers,
                          std::uint32_t number) {
  const std::string half = buffers == Buffers::in_place ? "ip" : "oop";
  const std::string_view time = cell(fields, half + "_time_us");
  if (time.empty()) return;
  if (!line_ended_ && fields.back().data() == time.data())
    return log_.skipped.push_back(
        {number, fmt::format("{}_time_us: the file ends without a newline, the number may be cut", half)});
  if (time != "N/A" && !parse_double(time))
    return problem(number, fmt::format("{}_time_us '{}' is not a number", half, time));
  keep_cell(log_, bytes, buffers, number,
            {time, cell(fields, half + "_algbw_GBs"), cell(fields, half + "_wrong")}, {1});
}

Result<MeasurementFile> CsvReader::finish() && {
  const RunFacts& facts = log_.facts;
  if (facts.ranks && facts.nodes && facts.gpus_per_node &&
      *facts.ranks != std::uint64_t{*facts.nodes} * *facts.gpus_per_node)
    problems_.push_back({log_.file,
                         fmt::format("{} ranks are not {} nodes of {} GPUs", *facts.ranks, *facts.nodes,
                                     *facts.gpus_per_node),
                         "correct the comment lines"});
  if (problems_.size() >= kMostProblems)
    problems_.push_back({log_.file, "further problems are not listed", ""});
  if (!problems_.empty()) return std::move(problems_);
  if (log_.measurements.empty()) return no_usable_time(log_, "a table without any usable time");
  note_wrong_results(log_);
  const std::string name = log_.file;
  return MeasurementFile{name, "CSV", {std::move(log_)}, {}};
}

}  // namespace

bool is_measurement_csv(std::string_view content) {
  for (const std::string_view line : split_lines(content)) {
    const std::string_view text = trim(line);
    if (text.empty() || is_comment(text)) continue;
    const auto fields = fields_of(text);
    return fields.size() >= 2 && std::all_of(fields.begin(), fields.end(), is_name);
  }
  return false;
}

Result<MeasurementFile> read_measurement_csv(std::string_view content, const std::string& name) {
  CsvReader reader(name);
  std::uint32_t number = 0;
  const auto lines = split_lines(content);
  for (const std::string_view line : lines) {
    ++number;
    reader.read_line(line, number, number < lines.size() || content.ends_with('\n'));
  }
  return std::move(reader).finish();
}

}  // namespace caliper
