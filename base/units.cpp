#include "base/units.hpp"

#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024.0, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024;

constexpr std::array kTimes = {Unit{"s", 1},      Unit{"ms", 1e-3},  Unit{"us", 1e-6}, Unit{"ns", 1e-9},
                               Unit{"ps", 1e-12}, Unit{"min", 60.0}, Unit{"h", 3600.0}};
constexpr std::array kBytes = {Unit{"B", 1},     Unit{"kB", 1e3},  Unit{"MB", 1e6},
                               Unit{"GB", 1e9},  Unit{"TB", 1e12}, Unit{"KiB", kKi},
                               Unit{"MiB", kMi}, Unit{"GiB", kGi}, Unit{"TiB", kTi}};
constexpr std::array kRates = {Unit{"B/s", 1},          Unit{"kB/s", 1e3},       Unit{"MB/s", 1e6},
                               Unit{"GB/s", 1e9},       Unit{"TB/s", 1e12},      Unit{"KiB/s", kKi},
                               Unit{"MiB/s", kMi},      Unit{"GiB/s", kGi},      Unit{"TiB/s", kTi},
                               Unit{"bit/s", 1.0 / 8},  Unit{"kbit/s", 1e3 / 8}, Unit{"Mbit/s", 1e6 / 8},
                               Unit{"Gbit/s", 1e9 / 8}, Unit{"Tbit/s", 1e12 / 8}};

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
  const auto value = parse_double(whole.substr(0, number_end));
  if (!value) return not_a_quantity(text, "does not start with a number", dimension);
  const std::string_view unit = trim(whole.substr(number_end));
  if (dimension == Dimension::number) {
    if (!unit.empty()) return not_a_quantity(text, "has a unit where none is due", dimension);
    return *value;
  }
  if (unit.empty()) return not_a_quantity(text, "has no unit", dimension);
  for (const Unit& known : units_of(dimension))
    if (known.name == unit) return *value * known.factor;
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
