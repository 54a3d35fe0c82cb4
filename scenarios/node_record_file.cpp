#include "scenarios/node_record_file.hpp"

#include <fmt/format.h>

#include "scenarios/toml_text.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kRing = 4;

std::string notes_text(const std::vector<std::string>& notes) {
  if (notes.empty()) return {};
  std::string text = "notes = [\n";
  for (const std::string& note : notes) text += fmt::format("  {},\n", toml_string(note));
  return text + "]\n";
}

std::string header(std::string_view kind, std::string_view source) {
  return fmt::format("schema = 1\nkind = {}\nfile = {}\n", toml_string(kind), toml_string(source));
}

template <class Number>
void add(std::string& text, std::string_view key, const std::optional<Number>& value) {
  if (value) text += fmt::format("{} = {}\n", key, *value);
}
void add(std::string& text, std::string_view key, std::string_view value) {
  if (!value.empty()) text += fmt::format("{} = {}\n", key, toml_string(value));
}

void add_seat(std::string& text, const PcieSeat& seat) {
  add(text, "bus_id", seat.bus_id);
  text += fmt::format("cpu = {}\n", seat.cpu);
  if (!seat.bridges.empty()) {
    std::vector<std::string> bridges;
    for (const std::string& bridge : seat.bridges) bridges.push_back(toml_string(bridge));
    text += fmt::format("bridges = [{}]\n", fmt::join(bridges, ", "));
  }
  add(text, "pcie_speed", seat.link_speed);
  if (seat.link_width > 0) text += fmt::format("pcie_lanes = {}\n", seat.link_width);
}

std::string text_of(const NodeTopology& node) {
  std::string text = notes_text(node.notes);
  if (node.nvswitches > 0) text += fmt::format("nvswitches = {}\n", node.nvswitches);
  for (const TopologyCpu& cpu : node.cpus) {
    text += fmt::format("\n[[cpu]]\nnuma = {}\n", cpu.numa);
    add(text, "arch", cpu.arch);
    add(text, "vendor", cpu.vendor);
  }
  for (std::uint32_t i = 0; i < node.gpus.size(); ++i) {
    const TopologyGpu& gpu = node.gpus[i];
    text += fmt::format("\n[[gpu]]  # line {}\n", gpu.line);
    add(text, "device", gpu.device);
    add(text, "rank", gpu.rank);
    add(text, "compute_capability", gpu.compute_capability);
    add_seat(text, gpu.seat);
    if (gpu.switch_links > 0) text += fmt::format("nvswitch_links = {}\n", gpu.switch_links);
    const std::vector<std::uint32_t> nics = node.nearest_nics(i);
    if (nics.empty()) continue;
    text += fmt::format("nearest_nics = [{}]  # positions below\n", fmt::join(nics, ", "));
    add(text, "nic_distance", name_of(node.distance(i, nics.front())));
  }
  for (const TopologyNic& nic : node.nics) {
    text += fmt::format("\n[[nic]]  # line {}\n", nic.line);
    add(text, "device", nic.device);
    add(text, "name", nic.name);
    if (nic.mbits) text += fmt::format("rate = \"{} Mbit/s\"\n", *nic.mbits);
    add(text, "gdr", nic.gdr);
    add_seat(text, nic.seat);
    if (!nic.other_cpus.empty()) text += fmt::format("other_cpus = [{}]\n", fmt::join(nic.other_cpus, ", "));
  }
  if (!node.pairs.empty()) text += "\n";
  for (const GpuPair& pair : node.pairs)
    text += fmt::format("[[nvlink]]\ngpus = [{}, {}]\nlinks = {}\n", pair.first, pair.second, pair.links);
  return text;
}

std::string text_of(const NodeGraphs& graphs) {
  std::string text = notes_text(graphs.notes);
  for (const SearchGraph& graph : graphs.graphs) {
    text += fmt::format("\n[[graph]]  # line {}\nid = {}\npattern = {}\nchannels = {}\n", graph.line,
                        graph.id, graph.pattern, graph.stated_channels);
    if (graph.rate_intra > 0) text += fmt::format("rate_intra = \"{:.10g} GB/s\"\n", graph.rate_intra);
    if (graph.rate_inter > 0) text += fmt::format("rate_inter = \"{:.10g} GB/s\"\n", graph.rate_inter);
    add(text, "type_intra", graph.type_intra);
    add(text, "type_inter", graph.type_inter);
    if (graph.channels.empty()) continue;
    text += graph.pattern == kRing ? "rings = [\n" : "orders = [\n";
    for (const GraphChannel& channel : graph.channels) {
      text += fmt::format("  {{ gpus = [{}]", fmt::join(channel.gpus, ", "));
      if (channel.net_in) text += fmt::format(", net_in = {}", *channel.net_in);
      if (channel.net_out) text += fmt::format(", net_out = {}", *channel.net_out);
      text += " },\n";
    }
    text += "]\n";
  }
  return text;
}

}  // namespace

std::string node_record_toml(const NcclXml& record, std::string_view source) {
  if (const auto* node = std::get_if<NodeTopology>(&record))
    return "# What NCCL's topology file says of a node; `nvlink.gpus` are positions in [[gpu]], from 0.\n" +
           header("nccl node", source) + text_of(*node);
  return "# Graphs that NCCL's search found on a node. NCCL doubles the channels: c and c + channels have "
         "the same ring.\n" +
         header("nccl graphs", source) + text_of(std::get<NodeGraphs>(record));
}

}  // namespace caliper
