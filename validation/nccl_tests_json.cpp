#include "validation/nccl_tests_json.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "validation/measurement_cells.hpp"

namespace caliper {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kKnownVersion = 1;

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

RunFacts facts_of(const Json& top) {
  RunFacts facts;
  if (const Json* args = member(top, "args"); args && args->is_array() && !args->empty())
    facts.collective = collective_of_program(text_of(&args->front()));
  if (const auto code = whole_number(member(top, "nccl_version")))
    facts.nccl_version = version_of_code(*code);
  const Json* config = member(top, "config");
  if (!config) return facts;
  facts.iterations = small_number(member(*config, "iterations"));
  facts.warmups = small_number(member(*config, "warmup_iters"));
  const Json* devices = member(*config, "devices");
  if (!devices || !devices->is_array()) return facts;
  std::set<std::uint32_t> ranks;
  std::set<std::string> hosts;
  for (const Json& device : *devices) {
    if (const auto rank = small_number(member(device, "rank"))) ranks.insert(*rank);
    if (std::string host = text_of(member(device, "hostname")); !host.empty()) hosts.insert(std::move(host));
  }
  if (ranks.empty()) return facts;
  facts.ranks = *ranks.rbegin() + 1;
  if (!hosts.empty() && *facts.ranks == ranks.size()) facts.nodes = static_cast<std::uint32_t>(hosts.size());
  return facts;
}

void read_half(MeasurementLog& log, const Json& result, const char* key, Buffers buffers, std::uint64_t bytes,
               std::uint32_t line) {
  const Json* half = member(result, key);
  if (!half) {
    log.skipped.push_back({line, fmt::format("{}: not in the file", name_of(buffers))});
    return;
  }
  const Json* time = member(*half, "time");
  const std::string time_text = number_text(time ? time : member(*half, "cpu_time"));
  const std::string algbw = number_text(member(*half, "alg_bw"));
  const std::string wrong = number_text(member(*half, "nwrong"));
  keep_cell(log, bytes, buffers, line, {time_text, algbw, wrong}, {1});
}

Problems read_results(const Json& results, std::string_view content, MeasurementLog& log) {
  const std::vector<std::uint32_t> lines = lines_of_results(content);
  std::optional<std::pair<std::string, std::string>> kind;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json& result = results[i];
    const std::uint32_t line = i < lines.size() ? lines[i] : 1;
    const auto bytes = whole_number(member(result, "size"));
    if (!bytes) {
      log.skipped.push_back({line, fmt::format("result {} has no size", i + 1)});
      continue;
    }
    std::pair of_result{text_of(member(result, "type")), text_of(member(result, "redop"))};
    if (!kind)
      kind = std::move(of_result);
    else if (*kind != of_result)
      return {{fmt::format("{}:{}", log.file, line), "results differ in type or reduction",
               "split the file: all results of a file are one experiment group"}};
    read_half(log, result, "out_of_place", Buffers::out_of_place, *bytes, line);
    read_half(log, result, "in_place", Buffers::in_place, *bytes, line);
  }
  if (kind)
    if (const ElementType* type = find_element_type(kind->first)) log.facts.data_type = type->name;
  return {};
}

}  // namespace

Result<MeasurementLog> read_nccl_tests_json(std::string_view content, const std::string& name) {
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
  if (whole_number(version) != kKnownVersion)
    return Error{
        name, fmt::format("nccl-tests JSON of schema version {}", version->dump(-1, ' ', true)),
        fmt::format("version {} is known; the text output of any version can be read", kKnownVersion)};
  MeasurementLog log;
  log.file = name;
  log.format = "nccl-tests JSON";
  log.facts = facts_of(top);
  if (Problems problems = read_results(*results, content, log); !problems.empty()) return problems;
  if (log.measurements.empty())
    return Error{name, "results without any usable time",
                 log.skipped.empty()
                     ? ""
                     : fmt::format("line {}: {}", log.skipped.front().line, log.skipped.front().reason)};
  return log;
}

}  // namespace caliper
