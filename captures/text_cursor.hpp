// Reading a line from left to right; what does not match leaves the cursor where it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace caliper {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}
  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  /// Up to the next blank or the end; may be empty.
  std::string_view word() { return until(" \t"); }
  std::string_view until(std::string_view stops) {
    const std::string_view found = rest_.substr(0, rest_.find_first_of(stops));
    rest_.remove_prefix(found.size());
    return found;
  }
  /// A decimal number up to `largest`.
  std::optional<std::uint32_t> number(std::uint32_t largest) {
    const std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    const auto value = parse_uint(digits);
    if (!value || *value > largest) return std::nullopt;
    rest_.remove_prefix(digits.size());
    return static_cast<std::uint32_t>(*value);
  }

 private:
  std::string_view rest_;
};

}  // namespace caliper
