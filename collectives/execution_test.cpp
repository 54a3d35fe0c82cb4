#include "collectives/execution.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("execution: names read back to what they name") {
  for (const auto c : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter})
    CHECK(collective_named(name_of(c)) == c);
  for (const auto l : {NicLayout::pxn, NicLayout::pairs, NicLayout::oracle})
    CHECK(nic_layout_named(name_of(l)) == l);
  CHECK_FALSE(collective_named("allreduce"));
  CHECK_FALSE(nic_layout_named(""));
}

TEST_CASE("execution: the partition family follows the version") {
  CHECK(family_of_version("2.4.8") == PartitionFamily::a);
  CHECK(family_of_version("2.19.4") == PartitionFamily::a);
  CHECK(family_of_version("2.20.5") == PartitionFamily::b);
  CHECK(family_of_version("2.21.5") == PartitionFamily::b);
  CHECK(family_of_version("2.22.3") == PartitionFamily::c);
  CHECK(family_of_version("2.29.7") == PartitionFamily::c);
  CHECK(family_of_version("2.28.9-1") == PartitionFamily::c);
  CHECK(family_of_version("2.18.3+cuda12.2") == PartitionFamily::a);
  CHECK(family_of_version("2.20") == PartitionFamily::b);
}

TEST_CASE("execution: a version that is malformed or outside what is known gives no family") {
  for (const auto* v :
       {"", "2", "2.", "v2.20", "2.3.7", "3.1.0", "2.20.x", "2.20.5.1", "-2.20", "2.-20", "1.30.0"})
    CHECK_FALSE(family_of_version(v));
}
