#include "captures/xml_element.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {

std::uint32_t XmlFile::line_of(const pugi::xml_node& element) const {
  const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0));
  const auto before = std::lower_bound(line_ends.begin(), line_ends.end(), offset) - line_ends.begin();
  return static_cast<std::uint32_t>(before) + 1;
}

void XmlFile::report(const pugi::xml_node& element, std::string what, std::string hint) {
  problems.push_back({fmt::format("{}:{}", name, line_of(element)), std::move(what), std::move(hint)});
}

std::string xml_text(XmlFile& file, const pugi::xml_node& element, const char* name) {
  const std::string_view value = element.attribute(name).value();
  if (std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; }))
    return std::string(value);
  file.report(element, fmt::format("'{}' of <{}> has characters that no name has", name, element.name()),
              "printable ASCII");
  return {};
}

std::optional<std::uint64_t> xml_number(XmlFile& file, const pugi::xml_node& element, const char* name,
                                        std::uint64_t largest) {
  const pugi::xml_attribute attribute = element.attribute(name);
  if (!attribute) return std::nullopt;
  std::string_view digits = attribute.value();
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (code == std::errc() && end == digits.data() + digits.size() && value <= largest) return value;
  file.report(element,
              fmt::format("'{}' of <{}> is \"{}\"", name, element.name(), xml_text(file, element, name)),
              fmt::format("a whole number from 0 to {}", largest));
  return std::nullopt;
}

double xml_real(XmlFile& file, const pugi::xml_node& element, const char* name) {
  const pugi::xml_attribute attribute = element.attribute(name);
  if (!attribute) return 0;
  const auto value = parse_double(attribute.value());
  if (value && *value >= 0 && *value < 1e9) return *value;
  file.report(element,
              fmt::format("'{}' of <{}> is \"{}\"", name, element.name(), xml_text(file, element, name)),
              "a number from 0");
  return 0;
}

}  // namespace caliper
