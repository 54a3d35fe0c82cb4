#include "topology/hostlist.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr std::uint64_t kMaxNames = 1'000'000;
constexpr std::size_t kMaxNameLength = 255;  // RFC 1123
constexpr const char* kExample = "for example node[01-16,20],login1";

/// "0257-0264": first and last number and the width they are written with.
struct NumberRange {
  std::uint64_t first, last;
  std::size_t width;
  std::uint64_t count() const { return last - first + 1; }
};

/// Literal text, then the numbers of the bracket group behind it; none at the end of an item.
struct Part {
  std::string text;
  std::vector<NumberRange> ranges;
};

Error malformed(std::string_view item, std::string_view what) {
  return {"", fmt::format("'{}': {}", item, what), kExample};
}

/// Commas outside brackets separate items.
std::vector<std::string_view> split_items(std::string_view hostlist) {
  std::vector<std::string_view> items;
  bool in_bracket = false;
  std::size_t start = 0;
  for (std::size_t at = 0; at < hostlist.size(); ++at) {
    if (hostlist[at] == '[')
      in_bracket = true;
    else if (hostlist[at] == ']')
      in_bracket = false;
    else if (hostlist[at] == ',' && !in_bracket) {
      items.push_back(trim(hostlist.substr(start, at - start)));
      start = at + 1;
    }
  }
  items.push_back(trim(hostlist.substr(start)));
  return items;
}

Result<NumberRange> parse_range(std::string_view item, std::string_view text) {
  const auto dash = text.find('-');
  const std::string_view low = text.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : text.substr(dash + 1);
  const auto first = parse_uint(low), last = parse_uint(high);
  if (text.empty()) return malformed(item, "nothing between the commas or brackets");
  if (!first || !last) return malformed(item, fmt::format("'{}' is neither a number nor a range", text));
  if (*last < *first) return malformed(item, fmt::format("the range '{}' runs backwards", text));
  if (*last - *first >= kMaxNames) return malformed(item, fmt::format("the range '{}' is too long", text));
  return NumberRange{*first, *last, low.size()};
}

Result<std::vector<Part>> parse_item(std::string_view item) {
  if (item.empty()) return Error{"", "an empty name in the list", kExample};
  if (item.find_first_of(" \t\r\n") != std::string_view::npos)
    return malformed(item, "a blank inside a name");
  std::vector<Part> parts;
  std::size_t length = 0;
  for (std::string_view rest = item; !rest.empty();) {
    const auto open = rest.find('[');
    Part part{std::string(rest.substr(0, open)), {}};
    length += part.text.size();
    if (part.text.find(']') != std::string::npos) return malformed(item, "']' without '['");
    if (open == std::string_view::npos) {
      parts.push_back(std::move(part));
      break;
    }
    const auto close = rest.find(']', open);
    if (close == std::string_view::npos) return malformed(item, "'[' is not closed");
    const std::string_view inside = rest.substr(open + 1, close - open - 1);
    if (inside.find('[') != std::string_view::npos) return malformed(item, "'[' inside brackets");
    for (const std::string_view text : split(inside, ',')) {
      auto range = parse_range(item, text);
      if (!range) return range.problems();
      part.ranges.push_back(*range);
    }
    length += std::ranges::max(part.ranges, {}, &NumberRange::width).width;
    parts.push_back(std::move(part));
    rest.remove_prefix(close + 1);
  }
  if (length > kMaxNameLength)
    return Error{
        "", fmt::format("'{}...': names longer than {} characters", item.substr(0, 40), kMaxNameLength), ""};
  return parts;
}

/// Whether an item has at most `limit` names. No overflow: each factor and sum is held against the limit on
/// the way.
bool fits(const std::vector<Part>& parts, std::uint64_t limit) {
  std::uint64_t names = 1;
  for (const Part& part : parts) {
    if (part.ranges.empty()) continue;
    std::uint64_t numbers = 0;
    for (const NumberRange& range : part.ranges) numbers = std::min(numbers + range.count(), kMaxNames + 1);
    names *= numbers;
    if (names > limit) return false;
  }
  return names <= limit;
}

void expand_item(const std::vector<Part>& parts, std::vector<std::string>& names) {
  std::vector<std::string> stems = {""};
  for (const Part& part : parts) {
    if (part.ranges.empty()) {
      for (std::string& stem : stems) stem += part.text;
      continue;
    }
    std::vector<std::string> longer;
    for (const std::string& stem : stems)
      for (const NumberRange& range : part.ranges)
        for (std::uint64_t i = 0; i < range.count(); ++i)
          longer.push_back(fmt::format("{}{}{:0{}}", stem, part.text, range.first + i, range.width));
    stems = std::move(longer);
  }
  std::ranges::move(stems, std::back_inserter(names));
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view hostlist) {
  if (trim(hostlist).empty()) return Error{"", "no host names", kExample};
  Problems problems;
  std::vector<std::string> names;
  for (const std::string_view item : split_items(hostlist)) {
    const auto parts = parse_item(item);
    if (!parts) {
      append(problems, parts.problems());
    } else if (!fits(*parts, kMaxNames - names.size())) {
      problems.push_back(malformed(item, fmt::format("the list has more than {} names", kMaxNames)));
      return problems;
    } else {
      expand_item(*parts, names);
    }
  }
  if (!problems.empty()) return problems;
  return names;
}

}  // namespace caliper
