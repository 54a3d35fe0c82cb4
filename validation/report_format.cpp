#include "validation/report_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace caliper::report {
namespace {

constexpr const char* kBlank = "\u202F";  // narrow, does not break
constexpr const char* kMinus = "\u2212";

struct Unit {
  double factor;
  const char* name;
};

constexpr std::array kTimes = {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "\u00B5s"}, Unit{1e-9, "ns"}};
constexpr std::array kSizes = {Unit{0x1p40, "TiB"}, Unit{0x1p30, "GiB"}, Unit{0x1p20, "MiB"},
                               Unit{0x1p10, "KiB"}, Unit{1, "B"}};

/// 0.5000 as 0.5: for values that somebody chose, which have no more digits than are needed.
std::string trimmed(double value) {
  std::string shown = number(value);
  if (shown.find('.') == std::string::npos || shown.find('e') != std::string::npos) return shown;
  while (shown.back() == '0') shown.pop_back();
  if (shown.back() == '.') shown.pop_back();
  return shown;
}

/// The largest unit that leaves at least one before the point of the rounded number; else the smallest there
/// is.
const Unit& unit_for(double value, std::span<const Unit> largest_first) {
  constexpr double kRoundsUp = 0.99995;  // four digits
  const auto fits = [&](const Unit& unit) { return std::abs(value) >= kRoundsUp * unit.factor; };
  const auto found = std::ranges::find_if(largest_first, fits);
  return found == largest_first.end() ? largest_first.back() : *found;
}

}  // namespace

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return kNoNumber;
  if (value == 0) return "0";
  if (value < 0) return fmt::format("{}{}", kMinus, number(-value, digits));
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  if (value < 1e-4 || value >= 1e7) return scientific;
  // The exponent after rounding: 999.96 is 1000 in four digits.
  const int before_point = std::stoi(scientific.substr(scientific.find('e') + 1));
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - before_point));
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return kNoNumber;
  if (fraction < 0) return fmt::format("{}{}", kMinus, percent(-fraction));
  const double value = 100 * fraction;
  if (value == 0) return "0";
  if (value < 0.01) return "<0.01";
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  if (value < 1e7) return count(static_cast<std::uint64_t>(std::llround(value)));
  return fmt::format("{:.1e}", value);
}

std::string percent_sign(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{}{}%", percent(fraction), kBlank) : kNoNumber;
}

std::string signed_percent(double fraction) {
  return std::isfinite(fraction) && fraction > 0 ? fmt::format("+{}", percent(fraction)) : percent(fraction);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return kNoNumber;
  const Unit& unit = unit_for(seconds, kTimes);
  return fmt::format("{}{}{}", number(seconds / unit.factor), kBlank, unit.name);
}

std::string size(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const auto exact = [&](const Unit& unit) {
    const double scaled = value / unit.factor;
    return scaled >= 1 && scaled < 10000 && scaled == std::floor(scaled);
  };
  const auto found = std::ranges::find_if(kSizes, exact);
  const Unit& unit = found == kSizes.end() ? unit_for(value, kSizes) : *found;
  return fmt::format("{}{}{}", trimmed(value / unit.factor), kBlank, unit.name);
}

std::string quantity(double value, Dimension dimension) {
  if (!std::isfinite(value)) return kNoNumber;
  const auto in = [&](const Unit& unit) {
    return fmt::format("{}{}{}", trimmed(value / unit.factor), kBlank, unit.name);
  };
  switch (dimension) {
    case Dimension::time:
      return in(unit_for(value, kTimes));
    case Dimension::rate:
      return in({1e9, "GB/s"});
    case Dimension::bytes:
      return in(unit_for(value, kSizes));
    case Dimension::number:
      return trimmed(value);
  }
  return kNoNumber;
}

std::string count(std::uint64_t value) {
  const std::string digits = fmt::format("{}", value);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string counted(std::uint64_t value, const char* singular, const char* plural) {
  return fmt::format("{} {}", count(value), value == 1 ? singular : plural);
}

}  // namespace caliper::report
