#include "captures/nccl_xml.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "captures/topology_xml.hpp"

namespace caliper {

std::string_view name_of(PcieDistance distance) {
  switch (distance) {
    case PcieDistance::pix:
      return "PIX";
    case PcieDistance::pxb:
      return "PXB";
    case PcieDistance::phb:
      return "PHB";
    case PcieDistance::sys:
      return "SYS";
  }
  CALIPER_CHECK(false);
}

Result<NcclXml> read_nccl_xml(std::string_view content, std::string_view name) {
  XmlFile file{std::string(name), {}, {}};
  for (std::size_t at = 0; (at = content.find('\n', at)) != std::string_view::npos; ++at)
    file.line_ends.push_back(at);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(content.data(), content.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    const auto before = static_cast<std::size_t>(parsed.offset);
    std::size_t line = 1;
    for (const std::size_t end : file.line_ends) line += end < before ? 1 : 0;
    return Error{fmt::format("{}:{}", name, line), fmt::format("no XML: {}", parsed.description()),
                 "a whole file as NCCL_TOPO_DUMP_FILE or NCCL_GRAPH_DUMP_FILE names it"};
  }
  const pugi::xml_node root = document.document_element();
  NcclXml made;
  if (std::string_view(root.name()) == "system")
    made = read_topology(file, root);
  else if (std::string_view(root.name()) == "graphs")
    made = read_graphs(file, root);
  else
    file.report(root, "neither a topology nor graphs of NCCL", "a file whose root is <system> or <graphs>");
  if (!file.problems.empty()) return std::move(file.problems);
  return made;
}

}  // namespace caliper
