#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

/// 10^exponent * factor. The power of ten is joined with the number before it is rounded, so that "0.05 us"
/// is the double nearest to 5e-8; the factors left are powers of two, or minutes and hours.
struct Unit {
  std::string_view name;
  int exponent;
  double factor = 1;
};

constexpr double kKi = 1024.0, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024;

constexpr std::array kTimes = {Unit{"s", 0},    Unit{"ms", -3},     Unit{"us", -6},    Unit{"ns", -9},
                               Unit{"ps", -12}, Unit{"min", 0, 60}, Unit{"h", 0, 3600}};
constexpr std::array kBytes = {Unit{"B", 0},        Unit{"kB", 3},       Unit{"MB", 6},
                               Unit{"GB", 9},       Unit{"TB", 12},      Unit{"KiB", 0, kKi},
                               Unit{"MiB", 0, kMi}, Unit{"GiB", 0, kGi}, Unit{"TiB", 0, kTi}};
constexpr std::array kRates = {Unit{"B/s", 0},           Unit{"kB/s", 3},          Unit{"MB/s", 6},
                               Unit{"GB/s", 9},          Unit{"TB/s", 12},         Unit{"KiB/s", 0, kKi},
                               Unit{"MiB/s", 0, kMi},    Unit{"GiB/s", 0, kGi},    Unit{"TiB/s", 0, kTi},
                               Unit{"bit/s", 0, 0.125},  Unit{"kbit/s", 3, 0.125}, Unit{"Mbit/s", 6, 0.125},
                               Unit{"Gbit/s", 9, 0.125}, Unit{"Tbit/s", 12, 0.125}};

/// The number `text` times 10^exponent, rounded once.
std::optional<double> scaled_number(std::string_view text, int exponent) {
  const auto e = std::min(text.find_first_of("eE"), text.size());
  std::string_view own = text.substr(std::min(e + 1, text.size()));
  if (own.starts_with('+')) own.remove_prefix(1);
  int own_exponent = 0;
  if (e < text.size()) {
    const auto [end, code] = std::from_chars(own.data(), own.data() + own.size(), own_exponent);
    if (code != std::errc() || end != own.data() + own.size() || std::abs(own_exponent) > 1000)
      return std::nullopt;
  }
  return parse_double(fmt::format("{}e{}", text.substr(0, e), own_exponent + exponent));
}

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return kTimes;
    case Dimension::bytes:
      return kBytes;
    case Dimension::rate:
      return kRates;
    case Dimension::number:
      return {};
  }
  return {};
}

std::string_view example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "a time such as \"1.2 us\"";
    case Dimension::bytes:
      return "a size such as \"512 MiB\"";
    case Dimension::rate:
      return "a rate such as \"25 GB/s\" or \"200 Gbit/s\"";
    case Dimension::number:
      return "a plain number such as 0.98";
  }
  return "";
}

Error not_a_quantity(std::string_view text, std::string_view why, Dimension dimension) {
  return {"", fmt::format("'{}' {}", text, why), fmt::format("write {}", example_of(dimension))};
}

}  // namespace

Result<double> parse_quantity(std::string_view text, Dimension dimension) {
  const std::string_view whole = trim(text);
  const auto number_end = std::min(whole.find_first_not_of("0123456789.+-eE"), whole.size());
  // An exponent's 'e' may be the first letter of a unit; none of ours starts with one, so this cut is right.
  const std::string_view number = whole.substr(0, number_end);
  const auto value = scaled_number(number, 0);
  if (!value) return not_a_quantity(text, "does not start with a number", dimension);
  const std::string_view unit = trim(whole.substr(number_end));
  if (dimension == Dimension::number) {
    if (!unit.empty()) return not_a_quantity(text, "has a unit where none is due", dimension);
    return *value;
  }
  if (unit.empty()) return not_a_quantity(text, "has no unit", dimension);
  for (const Unit& known : units_of(dimension))
    if (known.name == unit)
      if (const auto scaled = scaled_number(number, known.exponent)) return *scaled * known.factor;
  return not_a_quantity(text, fmt::format("has the unknown unit '{}'", unit), dimension);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto value = parse_quantity(text, Dimension::bytes);
  if (!value) return value.problems();
  if (*value < 0 || *value >= 0x1p63 || *value != std::floor(*value))
    return not_a_quantity(text, "is not a whole number of bytes", Dimension::bytes);
  return static_cast<std::uint64_t>(*value);
}

std::string format_quantity(double value, Dimension dimension, int significant_digits) {
  const auto scaled = [&](double factor, std::string_view unit) {
    return fmt::format("{:.{}g} {}", value / factor, significant_digits, unit);
  };
  switch (dimension) {
    case Dimension::time:
      return std::abs(value) >= 1 ? scaled(1, "s") : scaled(1e-6, "us");
    case Dimension::rate:
      return scaled(1e9, "GB/s");
    case Dimension::bytes:
      return std::abs(value) >= kMi ? scaled(kMi, "MiB") : scaled(1, "B");
    case Dimension::number:
      return fmt::format("{:.{}g}", value, significant_digits);
  }
  return "";
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kPrefixes = {"TiB", "GiB", "MiB", "KiB"};
  for (std::size_t i = 0; i < kPrefixes.size(); ++i) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * (kPrefixes.size() - i));
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{} {}", bytes / unit, kPrefixes[i]);
  }
  return fmt::format("{} B", bytes);
}

}  // namespace caliper
