// The behaviour signature: one short hash of the completion times of a fixed set of small scenarios. A change
// of the program either leaves it as it is or announces a change of predicted times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace caliper {

struct SignatureCase {
  std::string name;  ///< "rings/ar-17x1", a word
  std::uint64_t bytes;
  double seconds;
};

/// Simulates what `cases.toml` in the folder lists, on all threads: [[case]] with a scenario of the folder, a
/// group of it, sizes, and a file of parameters (default: the scenario's starting ones). Problems: each with
/// file:line; a run that is stuck.
Result<std::vector<SignatureCase>> run_signature(const std::filesystem::path& folder);

/// First 12 hex digits of SHA-256 over the bits of all times, in order.
std::string signature_of(std::span<const SignatureCase> cases);

/// "name bytes seconds" a line, aligned, under a header; seconds with the digits that identify the number.
/// Last line: "signature 9c41f07a2be8".
std::string signature_text(std::span<const SignatureCase> cases);
/// Reads signature_text. Problems: lines of another form; a signature that is not that of the times.
Result<std::vector<SignatureCase>> parse_signature(std::string_view text, const std::string& file);

/// One line for each case whose time is another bit for bit, or that only one side has.
std::vector<std::string> signature_differences(std::span<const SignatureCase> expected,
                                               std::span<const SignatureCase> now);

}  // namespace caliper
