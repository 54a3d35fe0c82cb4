#include "scenarios/size_range.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"

namespace caliper {

Result<SizeRange> parse_size_range(std::string_view text) {
  constexpr std::string_view kHint =
      "write \"64 MiB .. 1 GiB\", \".. 64 MiB\", \"64 MiB ..\" or \"all\"; the end is outside";
  const std::string_view whole = trim(text);
  if (whole == "all") return SizeRange{};
  const auto dots = whole.find("..");
  if (dots == std::string_view::npos || whole == "..")
    return Error{"", fmt::format("'{}' is no range of sizes", text), std::string(kHint)};
  SizeRange range;
  const std::string_view first = trim(whole.substr(0, dots)), last = trim(whole.substr(dots + 2));
  Problems problems;
  const auto read = [&](std::string_view part, std::uint64_t& bytes) {
    if (part.empty()) return;
    const auto parsed = parse_bytes(part);
    if (parsed)
      bytes = *parsed;
    else
      append(problems, parsed.problems());
  };
  read(first, range.begin);
  read(last, range.end);
  if (!problems.empty()) return problems;
  if (range.begin >= range.end)
    return Error{"", fmt::format("the range '{}' holds no size", text), "the end has to be above the begin"};
  return range;
}

std::string format_size_range(const SizeRange& range) {
  const bool open = range.end == SizeRange::kNoEnd;
  if (range.begin == 0) return open ? "all" : fmt::format(".. {}", format_bytes(range.end));
  if (open) return fmt::format("{} ..", format_bytes(range.begin));
  return fmt::format("{} .. {}", format_bytes(range.begin), format_bytes(range.end));
}

}  // namespace caliper
