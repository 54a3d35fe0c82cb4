// The readers behind read_nccl_xml, one for each root element.
#pragma once

#include "captures/nccl_xml.hpp"
#include "captures/xml_element.hpp"

namespace caliper {

/// <system>. Problems are left in the file.
NodeTopology read_topology(XmlFile& file, const pugi::xml_node& system);
/// <graphs>
NodeGraphs read_graphs(XmlFile& file, const pugi::xml_node& graphs);

}  // namespace caliper
