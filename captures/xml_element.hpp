// An element of an XML file with its place, for readers of it. The parsing library is seen by readers of XML
// alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "base/error.hpp"

namespace caliper {

/// A file that is being read, with all problems found so far.
struct XmlFile {
  std::string name;
  std::vector<std::size_t> line_ends;  ///< offsets of its line feeds
  Problems problems;

  std::uint32_t line_of(const pugi::xml_node& element) const;
  void report(const pugi::xml_node& element, std::string what, std::string hint);
};

/// The value of an attribute as printable text; empty where it is missing. Anything else is reported.
std::string xml_text(XmlFile& file, const pugi::xml_node& element, const char* name);
/// No count, index or speed that these files know is larger.
inline constexpr std::uint64_t kLargestXmlNumber = 1'000'000'000;

/// A whole number, decimal or with 0x hexadecimal, up to `largest`. Nothing where it is missing or reported
/// as wrong.
std::optional<std::uint64_t> xml_number(XmlFile& file, const pugi::xml_node& element, const char* name,
                                        std::uint64_t largest);
/// A number from 0; 0 where it is missing or reported as wrong.
double xml_real(XmlFile& file, const pugi::xml_node& element, const char* name);

}  // namespace caliper
