// Version of the program, for --version and provenance.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace caliper {

/// "calipersim 0.1.0"
std::string version_text();
/// The program, the compiler and the libraries whose version can change a result: ("Eigen", "3.4.0").
std::vector<std::pair<std::string, std::string>> versions();

}  // namespace caliper
