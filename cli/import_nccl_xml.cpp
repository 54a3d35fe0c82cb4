// calipersim import nccl-xml: what NCCL's XML says of a node or of its rings.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "captures/nccl_xml.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "scenarios/node_record_file.hpp"

namespace caliper {
namespace {

using Json = nlohmann::ordered_json;

/// Number and notes of what was read.
Json json_of(const NodeTopology& node) {
  std::uint32_t links = 0, switch_links = 0;
  for (const GpuPair& pair : node.pairs) links += pair.links;
  for (const TopologyGpu& gpu : node.gpus) switch_links += gpu.switch_links;
  return {{"kind", "topology"},
          {"cpus", node.cpus.size()},
          {"gpus", node.gpus.size()},
          {"nics", node.nics.size()},
          {"nvlinks", links},
          {"nvswitches", node.nvswitches},
          {"nvswitch_links", switch_links},
          {"notes", node.notes}};
}

Json json_of(const NodeGraphs& graphs) {
  Json list = Json::array();
  for (const SearchGraph& graph : graphs.graphs)
    list.push_back({{"id", graph.id},
                    {"pattern", graph.pattern},
                    {"channels", graph.stated_channels},
                    {"listed", graph.channels.size()}});
  return {{"kind", "graphs"}, {"graphs", list}, {"notes", graphs.notes}};
}

void print(const NodeTopology& node) {
  const Json facts = json_of(node);
  fmt::print("topology: {} CPUs, {} GPUs, {} NICs, {} NVLinks between GPUs, {} to {} NVSwitches\n",
             node.cpus.size(), node.gpus.size(), node.nics.size(), facts["nvlinks"].get<std::uint32_t>(),
             facts["nvswitch_links"].get<std::uint32_t>(), node.nvswitches);
}

void print(const NodeGraphs& graphs) {
  for (const SearchGraph& graph : graphs.graphs)
    fmt::print("graph {}: pattern {}, {} channels\n", graph.id, graph.pattern, graph.stated_channels);
}

}  // namespace

int run_import_nccl_xml(const ImportXmlOptions& options) {
  const auto content = read_file(options.input);
  if (!content) return report(content.problems());
  const auto record = read_nccl_xml(*content, options.input);
  if (!record) return report(record.problems());
  const std::string source = std::filesystem::path(options.input).filename().string();
  const Problems problems = write_import(options.out, node_record_toml(*record, source));
  if (!problems.empty()) return report(problems);
  std::visit(
      [&](const auto& made) {
        if (options.json) {
          Json json = json_of(made);
          json["output"] = options.out;
          fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
          return;
        }
        print(made);
        for (const std::string& note : made.notes) fmt::print("note: {}\n", note);
        fmt::print("-> {}\n", options.out);
      },
      *record);
  return exit_code::kDone;
}

}  // namespace caliper
