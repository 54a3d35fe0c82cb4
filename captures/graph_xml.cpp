#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "captures/topology_xml.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kRing = 4;

/// GPUs in order between the net it comes in by and the one it leaves by.
GraphChannel read_channel(XmlFile& file, const pugi::xml_node& channel) {
  GraphChannel made;
  for (const pugi::xml_node& device : channel.children()) {
    const std::string_view kind = device.name();
    if (kind != "gpu" && kind != "net") continue;
    const auto number =
        xml_number(file, device, "dev", kind == "gpu" ? kLargestXmlNumber : std::uint64_t(1) << 62);
    if (!number) {
      if (!device.attribute("dev")) file.report(device, fmt::format("a <{}> without dev", kind), "dev=\"0\"");
      continue;
    }
    if (kind == "gpu")
      made.gpus.push_back(static_cast<std::uint32_t>(*number));
    else if (made.gpus.empty())
      made.net_in = *number;
    else
      made.net_out = *number;
  }
  return made;
}

void check_rings(XmlFile& file, const pugi::xml_node& element, const SearchGraph& graph) {
  std::set<std::uint32_t> first;
  for (std::size_t channel = 0; channel < graph.channels.size(); ++channel) {
    const std::vector<std::uint32_t>& order = graph.channels[channel].gpus;
    const std::set<std::uint32_t> gpus(order.begin(), order.end());
    if (channel == 0) first = gpus;
    if (gpus.size() != order.size())
      return file.report(element, fmt::format("channel {} of graph {} passes a GPU twice", channel, graph.id),
                         "a ring passes every GPU of the node once");
    if (gpus != first)
      return file.report(
          element, fmt::format("channel {} of graph {} passes other GPUs than channel 0", channel, graph.id),
          "a ring passes every GPU of the node once");
  }
}

}  // namespace

NodeGraphs read_graphs(XmlFile& file, const pugi::xml_node& graphs) {
  NodeGraphs made;
  std::set<std::uint32_t> ids;
  for (const pugi::xml_node& element : graphs.children("graph")) {
    SearchGraph graph;
    const auto number = [&](const char* name) {
      return static_cast<std::uint32_t>(xml_number(file, element, name, kLargestXmlNumber).value_or(0));
    };
    graph.id = number("id");
    graph.pattern = number("pattern");
    graph.stated_channels = number("nchannels");
    graph.rate_intra = xml_real(file, element, "speedintra");
    graph.rate_inter = xml_real(file, element, "speedinter");
    graph.type_intra = xml_text(file, element, "typeintra");
    graph.type_inter = xml_text(file, element, "typeinter");
    graph.line = file.line_of(element);
    for (const pugi::xml_node& channel : element.children("channel"))
      graph.channels.push_back(read_channel(file, channel));
    if (graph.pattern == kRing) check_rings(file, element, graph);
    if (!ids.insert(graph.id).second)
      file.report(element, fmt::format("graph {} stands twice", graph.id), "every id once");
    if (graph.stated_channels != graph.channels.size())
      made.notes.push_back(fmt::format("line {}: graph {} says that it has {} channels and lists {}",
                                       graph.line, graph.id, graph.stated_channels, graph.channels.size()));
    made.graphs.push_back(std::move(graph));
  }
  if (made.graphs.empty()) file.report(graphs, "no <graph> in it", "the dump of NCCL_GRAPH_DUMP_FILE");
  return made;
}

}  // namespace caliper
