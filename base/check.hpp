// Always-on checks for our own bugs. Bad input is never one: that is an Error (base/error.hpp).
#pragma once

namespace caliper {

/// Prints the failed condition and its place on stderr and ends the process with exit code 70.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace caliper

#define CALIPER_CHECK(condition) \
  ((condition) ? void(0) : ::caliper::check_failed(#condition, __FILE__, __LINE__))
