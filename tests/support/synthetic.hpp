// A synthetic scenario of two groups on four nodes, and its measurements, for tests that run the program.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/program.hpp"

namespace caliper::test {

/// Measurements: start-up and bandwidth, repeats that differ by half a per cent. Sizes 8 MiB to 256 MiB.
/// @param rate  bytes/us
std::string synthetic_csv(const std::string& collective, int nodes, double start_us, double rate);

/// Names the files ar-1x4.csv and ag-2x4.csv; fits the first, holds out the second.
extern const std::string_view kSyntheticScenario;

/// Puts s.toml and its two files into the folder.
void put_synthetic(const Folder& folder, std::string_view scenario = kSyntheticScenario);

}  // namespace caliper::test
