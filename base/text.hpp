// Reading text that people and programs wrote: lines, numbers, names nearly right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caliper {

std::string_view trim(std::string_view text);

/// Lines without their ends (LF or CRLF) and without a leading byte order mark; a missing last newline loses
/// nothing.
std::vector<std::string_view> split_lines(std::string_view text);
/// Fields between separators, not trimmed; "" gives one empty field.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Words between blanks and tabs.
std::vector<std::string_view> words(std::string_view text);

/// The whole of `text` as a finite number; nothing else, no surrounding blanks.
std::optional<double> parse_double(std::string_view text);
std::optional<std::uint64_t> parse_uint(std::string_view text);

/// The candidate nearest to `name` by edit distance, when it is near enough to be a likely typing error.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);
/// "did you mean 'x'?" or, where nothing is near, "one of a, b, c".
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace caliper
