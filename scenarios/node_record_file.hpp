// What NCCL's XML says of a node, as TOML.
#pragma once

#include <string>
#include <string_view>

#include "captures/nccl_xml.hpp"

namespace caliper {

/// @param source  the file that says so
std::string node_record_toml(const NcclXml& record, std::string_view source);

}  // namespace caliper
