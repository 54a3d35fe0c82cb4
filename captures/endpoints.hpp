// The ranks that processes state, and which of them form a communicator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "captures/communicators.hpp"

namespace caliper {

struct Endpoints {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<Endpoint> all;
  std::vector<std::uint32_t> endpoint_of_fact;  ///< [facts]; kNone: states none
  std::vector<std::uint32_t> communicator_of;   ///< [all]
  std::uint32_t communicators = 0;
};

/// By commId (from 2.16 on). Without: ranks of communicators of one size are those of one communicator if
/// none stands twice; else the first that each process makes, the second, ...; else those of each host.
Result<Endpoints> find_endpoints(const LogFacts& facts, const std::vector<std::string>& files);

}  // namespace caliper
