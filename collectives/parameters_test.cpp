#include "collectives/parameters.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("parameters: the rows make a table; a direct parameter cannot be tuned") {
  const ParameterTable table(collectives_parameters(), collectives_direct_parameters());
  CHECK(table.size() == 5);
  CHECK(table.tunable("gpu.launch"));
  const auto channels = table.tunable("channels");
  REQUIRE_FALSE(channels);
  CHECK(describe(channels.problems()).find("direct parameter") != std::string::npos);
  for (const AuxiliaryParameter& row : table.auxiliary()) {
    CHECK(row.domain == Domain::scale_up);
    CHECK_FALSE(row.source.empty());
  }
}
