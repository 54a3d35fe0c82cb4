// calipersim import nccl-log: what NCCL's logs say of an execution, as a record.
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "captures/nccl_log.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "scenarios/execution_record_file.hpp"

namespace caliper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// "8 listed, 4 none" by how rings are known.
std::map<std::string, std::size_t> rules_of(const CapturedCommunicator& one) {
  std::map<std::string, std::size_t> rules;
  for (const CapturedRing& ring : one.rings) ++rules[std::string(name_of(ring.rule))];
  return rules;
}

std::string transports_of(const CapturedCommunicator& one) {
  std::map<std::string, std::size_t> kinds;
  for (const CapturedConnection& connection : one.connections)
    ++kinds[fmt::format("{}/{}", name_of(connection.kind), connection.detail)];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(fmt::format("{} {}", count, kind));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string known(std::uint32_t number) { return number > 0 ? fmt::format("{}", number) : std::string("?"); }

void print(const ExecutionRecord& record, const std::string& out) {
  for (const CapturedCommunicator& one : record.communicators) {
    fmt::print("{}: NCCL {}, {} ranks on {} nodes, {} channels\n", one.name,
               one.version.empty() ? "?" : one.version, known(one.ranks), known(one.nodes),
               known(one.channels));
    for (const auto& [rule, count] : rules_of(one))
      fmt::print("  {} ring{}: {}\n", count, count == 1 ? "" : "s", rule == "none" ? "not known" : rule);
    if (!one.connections.empty()) fmt::print("  connections: {}\n", transports_of(one));
    if (!one.calls.empty()) fmt::print("  {} kinds of calls\n", one.calls.size());
    for (const CapturedGap& gap : one.gaps) fmt::print("  not said: {} -> {}\n", gap.what, gap.filled_by);
  }
  for (const std::string& note : record.notes) fmt::print("note: {}\n", note);
  fmt::print("{} communicators -> {}\n", record.communicators.size(), out);
}

Json json_of(const ExecutionRecord& record, const std::string& out) {
  Json communicators = Json::array();
  for (const CapturedCommunicator& one : record.communicators) {
    Json gaps = Json::array();
    for (const CapturedGap& gap : one.gaps)
      gaps.push_back({{"what", gap.what}, {"filled_by", gap.filled_by}});
    const auto or_null = [](std::uint32_t number) { return number > 0 ? Json(number) : Json(nullptr); };
    communicators.push_back({{"name", one.name},
                             {"version", one.version.empty() ? Json(nullptr) : Json(one.version)},
                             {"ranks", or_null(one.ranks)},
                             {"nodes", or_null(one.nodes)},
                             {"channels", or_null(one.channels)},
                             {"rings", rules_of(one)},
                             {"connections", one.connections.size()},
                             {"calls", one.calls.size()},
                             {"gaps", gaps}});
  }
  return {{"communicators", communicators},
          {"nics", record.nics.size()},
          {"notes", record.notes},
          {"output", out}};
}

/// Names without folders, so that a record does not depend on where it was made; whole paths where two are
/// the same.
std::vector<std::string> names_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> names;
  for (const std::string& input : inputs) names.push_back(fs::path(input).filename().string());
  return std::set<std::string>(names.begin(), names.end()).size() == names.size() ? names : inputs;
}

}  // namespace

int run_import_nccl_log(const ImportLogOptions& options) {
  std::vector<std::string> contents;
  Problems problems;
  for (const std::string& input : options.inputs) {
    auto content = read_file(input);
    if (!content) append(problems, content.problems());
    contents.push_back(content ? *std::move(content) : std::string());
  }
  if (!problems.empty()) return report(problems);
  const std::vector<std::string> names = names_of(options.inputs);
  std::vector<LogInput> inputs;
  for (std::size_t i = 0; i < contents.size(); ++i) inputs.push_back({names[i], contents[i]});
  const auto record = read_nccl_log(inputs, options.ranks);
  if (!record) return report(record.problems());
  const std::string text = execution_record_toml(*record);
  problems = write_import(options.out, text);
  if (!problems.empty()) return report(problems);
  if (options.json)
    fmt::print("{}\n", json_of(*record, options.out).dump(2, ' ', false, Json::error_handler_t::replace));
  else
    print(*record, options.out);
  return exit_code::kDone;
}

}  // namespace caliper
