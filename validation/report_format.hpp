// Numbers as people read them in a report. A number that is not finite is an en dash, whatever it was.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.hpp"

namespace caliper::report {

inline constexpr const char* kNoNumber = "\u2013";  ///< en dash

/// At least `digits` significant digits, no exponent between 1e-4 and 1e7: "1.234", "12.34", "12345".
std::string number(double value, int digits = 4);
/// A fraction in per cent without the sign: 0.0094 is "0.94", 0.299 is "29.9".
std::string percent(double fraction);
/// With the sign.
std::string percent_sign(double fraction);
/// With "+" or a minus before it, for biases.
std::string signed_percent(double fraction);
/// "1.234 us" (with a micro sign), "56.70 ms", "2.100 s".
std::string duration(double seconds);
/// "512 MiB" where exact, else four digits: "1.863 GiB".
std::string size(std::uint64_t bytes);
/// A parameter's value in the unit of its dimension.
std::string quantity(double value, Dimension dimension);
/// "1,204".
std::string count(std::uint64_t value);
/// "1 point", "1,204 points".
std::string counted(std::uint64_t value, const char* singular, const char* plural);

}  // namespace caliper::report
