#include "validation/nccl_tests_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "validation/measurement_cells.hpp"
#include "validation/nccl_tests_run.hpp"

namespace caliper {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::uint64_t, 2> kKnownVersions = {1, 3};

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> whole_number(const Json* json) {
  return json && json->is_number_unsigned() ? std::optional(json->get<std::uint64_t>()) : std::nullopt;
}

std::optional<std::uint32_t> small_number(const Json* json) {
  const auto number = whole_number(json);
  return number && *number < UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::string text_of(const Json* json) {
  return json && json->is_string() ? json->get<std::string>() : std::string();
}

/// A number, or a number or "N/A" in quotes, as text; empty where there is neither.
std::string number_text(const Json* json) {
  if (!json) return {};
  if (json->is_string()) return std::string(trim(json->get_ref<const std::string&>()));
  return json->is_number() ? json->dump() : std::string();
}

/// Lines of the keys "size" after "results", in order: the parser does not keep places.
std::vector<std::uint32_t> lines_of_results(std::string_view content) {
  constexpr std::string_view kSize = "\"size\"";
  std::vector<std::uint32_t> lines;
  std::uint32_t line = 1;
  std::size_t counted = 0;
  for (std::size_t at = content.find("\"results\""); (at = content.find(kSize, at)) != std::string_view::npos;
       at += kSize.size()) {
    line += static_cast<std::uint32_t>(std::count(content.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  content.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    lines.push_back(line);
  }
  return lines;
}

void read_devices(const Json& devices, RunFacts& facts) {
  struct Device {
    std::string host, gpu;
  };
  std::map<std::uint32_t, Device> by_rank;
  std::set<std::string> communicators;
  for (const Json& device : devices) {
    if (const Json* group = member(device, "group")) communicators.insert(group->dump(-1, ' ', true));
    if (const auto rank = small_number(member(device, "rank")))
      by_rank.emplace(*rank,
                      Device{text_of(member(device, "hostname")), text_of(member(device, "device_info"))});
  }
  std::vector<ListedDevice> listed;
  for (const auto& [rank, device] : by_rank) listed.push_back({rank, device.host, device.gpu});
  add_device_facts(listed, facts);
  // Several communicators at once: what each has is not told apart.
  if (communicators.size() > 1) facts.ranks = facts.nodes = facts.gpus_per_node = std::nullopt;
}

RunFacts facts_of(const Json& top) {
  RunFacts facts;
  if (const Json* args = member(top, "args"); args && args->is_array() && !args->empty())
    facts.collective = collective_of_program(text_of(&args->front()));
  if (const auto code = whole_number(member(top, "nccl_version")))
    facts.nccl_version = version_of_code(*code);
  const Json* config = member(top, "config");
  if (!config) return facts;
  const auto count = [&](const char* key) {
    const auto number = small_number(member(*config, key));
    return number == 0u ? std::nullopt : number;
  };
  facts.iterations = count("iterations");
  facts.warmups = small_number(member(*config, "warmup_iters"));
  facts.aggregated_iterations = count("aggregated_iterations");
  if (const Json* devices = member(*config, "devices"); devices && devices->is_array())
    read_devices(*devices, facts);
  return facts;
}

std::vector<std::string> notes_of(const Json& top) {
  std::vector<std::string> notes;
  if (!member(top, "end_time")) notes.emplace_back("the file has no 'end_time': the run was cut, or failed");
  const Json* bounds = member(top, "out_of_bounds");
  if (const auto count = bounds ? whole_number(member(*bounds, "count")) : std::nullopt; count && *count > 0)
    notes.push_back(fmt::format("nccl-tests says: out of bounds values: {}", *count));
  if (const Json* errors = member(top, "errors"); errors && errors->is_array())
    for (const Json& error : *errors)
      if (const std::string text = text_of(&error); !text.empty())
        notes.push_back(fmt::format("the file says: {}", text));
  return notes;
}

void read_half(MeasurementLog& log, const Json& result, const char* key, Buffers buffers, std::uint64_t bytes,
               std::uint32_t line) {
  const auto skip = [&](std::string_view reason) {
    log.skipped.push_back({line, fmt::format("{}: {}", name_of(buffers), reason)});
  };
  const Json* half = member(result, key);
  if (!half) return skip("not in the file");
  if (!member(*half, "time") && member(*half, "cpu_time"))
    return skip("time of the CPU (-C), not of the collective");
  const std::string time = number_text(member(*half, "time")), algbw = number_text(member(*half, "alg_bw")),
                    wrong = number_text(member(*half, "nwrong"));
  for (const auto& [text, name] : {std::pair{&time, "time"}, {&algbw, "alg_bw"}, {&wrong, "nwrong"}})
    if (text->empty()) return skip(fmt::format("no '{}'", name));
  keep_cell(log, bytes, buffers, line, {time, algbw, wrong}, {1});
}

/// Type, reduction and root of a result.
std::string kind_of(const Json& result) {
  const Json* root = member(result, "root");
  const std::string root_text = root ? (root->is_string() ? text_of(root) : root->dump()) : "";
  return fmt::format("{} {} {}", text_of(member(result, "type")), text_of(member(result, "redop")),
                     trim(root_text));
}

/// One table for each kind of result, in order.
Result<std::vector<MeasurementLog>> read_results(const Json& results, std::string_view content,
                                                 const MeasurementLog& start) {
  const std::vector<std::uint32_t> lines = lines_of_results(content);
  std::vector<MeasurementLog> tables;
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json& result = results[i];
    const std::uint32_t line = i < lines.size() ? lines[i] : 1;
    const std::string kind = kind_of(result);
    if (kinds.empty() || kinds.back() != kind) {
      if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
        return Error{fmt::format("{}:{}", start.file, line),
                     "types, reductions or roots of the results alternate",
                     "results of several runs in one file? Give each its own"};
      kinds.push_back(kind);
      tables.push_back(start);
      tables.back().line = line;
    }
    MeasurementLog& table = tables.back();
    const ElementType* type = find_element_type(text_of(member(result, "type")));
    const auto bytes = whole_number(member(result, "size"));
    if (type) table.facts.data_type = type->name;
    if (!bytes || !type) {
      table.skipped.push_back(
          {line, fmt::format("result {} has no {}", i + 1, bytes ? "type that is known" : "size")});
      continue;
    }
    read_half(table, result, "out_of_place", Buffers::out_of_place, *bytes, line);
    read_half(table, result, "in_place", Buffers::in_place, *bytes, line);
  }
  return tables;
}

}  // namespace

Result<MeasurementFile> read_nccl_tests_json(std::string_view content, const std::string& name) {
  Json top;
  try {
    top = Json::parse(content);
  } catch (const Json::exception& error) {
    return Error{name, fmt::format("not valid JSON: {}", error.what()), ""};
  }
  const Json* version = member(top, "version");
  const Json* results = member(top, "results");
  if (!version || !results || !results->is_array())
    return Error{name, "JSON, but not of nccl-tests: it has no 'version' or no list 'results'", ""};
  const auto number = whole_number(version);
  if (!number || std::find(kKnownVersions.begin(), kKnownVersions.end(), *number) == kKnownVersions.end())
    return Error{name, fmt::format("nccl-tests JSON of schema version {}", version->dump(-1, ' ', true)),
                 fmt::format("versions {} are known; import the text output of the run instead",
                             fmt::join(kKnownVersions, " and "))};
  MeasurementLog start;
  start.file = name;
  start.line = 1;
  start.facts = facts_of(top);
  start.notes = notes_of(top);
  auto tables = read_results(*results, content, start);
  if (!tables) return tables.problems();
  MeasurementFile file{name, "nccl-tests JSON", {}, {}};
  for (MeasurementLog& table : *tables) {
    note_wrong_results(table);
    if (!table.measurements.empty()) {
      file.tables.push_back(std::move(table));
      continue;
    }
    const Error reason = no_usable_time(table, "results without any usable time");
    file.skipped.push_back({table.line, fmt::format("{} ({})", reason.what, reason.hint)});
  }
  if (file.tables.empty())
    return Error{name, "results without any usable time",
                 file.skipped.empty()
                     ? ""
                     : fmt::format("line {}: {}", file.skipped.front().line, file.skipped.front().reason)};
  return file;
}

}  // namespace caliper
