// baseline.toml: what `check` compares with. One line a size, so that a change of predictions reads well in a
// review.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validation/baseline.hpp"

namespace caliper {

std::string baseline_toml(const Baseline& baseline);

/// Problems, each with file:line: syntax, unknown keys (with a suggestion), wrong kinds and units, a size
/// that stands twice, no update.
Result<Baseline> parse_baseline(std::string_view content, const std::string& name);
Result<Baseline> read_baseline(const std::filesystem::path& path);

}  // namespace caliper
