#include "scenarios/parameter_table.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "collectives/parameters.hpp"
#include "topology/parameters.hpp"

namespace caliper {

ParameterTable parameter_table(bool beyond_ring_simple) {
  std::vector<AuxiliaryParameter> auxiliary = collectives_parameters();
  std::vector<DirectParameter> direct = collectives_direct_parameters();
  std::ranges::move(topology_parameters(), std::back_inserter(auxiliary));
  if (beyond_ring_simple) std::ranges::move(other_protocol_parameters(), std::back_inserter(auxiliary));
  std::ranges::move(topology_direct_parameters(), std::back_inserter(direct));
  return {std::move(auxiliary), std::move(direct)};
}

}  // namespace caliper
