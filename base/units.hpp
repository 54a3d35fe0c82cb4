// Quantities with units, as people write them in files and on the command line. Inside the program every
// number is in SI: seconds, bytes, bytes per second.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace caliper {

/// A rate without a limit, a time that never comes.
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Bytes.
inline constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

enum class Dimension { time, bytes, rate, number };

/// "1.2 us" in seconds, "25 GB/s" or "200 Gbit/s" in bytes/s, "512 MiB" in bytes, "0.98" for a plain number.
/// The blank between value and unit is optional. Decimal (kB, MB) and binary (KiB, MiB) prefixes are told
/// apart; a bare number where a unit is due is an error, as is a unit of another dimension. `where` of the
/// error is left empty.
Result<double> parse_quantity(std::string_view text, Dimension dimension);

/// As parse_quantity for bytes, exact: a size must be a whole number of bytes below 2^63.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// Value and unit that parse_quantity reads back to within the digits asked for, in the unit people use: us
/// for times below a second, GB/s for rates, MiB for bytes.
std::string format_quantity(double value, Dimension dimension, int significant_digits = 4);
/// Exact: "512 MiB", "96 KiB", "1000 B".
std::string format_bytes(std::uint64_t bytes);

}  // namespace caliper
