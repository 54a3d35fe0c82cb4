#include "validation/pooling.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("pooling: each way over two files, repeats kept in order") {
  std::vector<MeasurementLog> logs(2);
  logs[0].measurements = {{1024, 4.0, Buffers::out_of_place, 1},
                          {1024, 2.0, Buffers::in_place, 1},
                          {512, 1.0, Buffers::out_of_place, 2}};
  logs[1].measurements = {{1024, 9.0, Buffers::out_of_place, 1}, {1024, 3.0, Buffers::in_place, 1}};
  const auto at_1024 = [&](Pool pool) {
    const Pooled pooled = pool_measurements(logs, pool, 7);
    const Experiment& last = pooled.experiments.back();
    CHECK(last.bytes == 1024);
    CHECK(last.group == 7);
    return last;
  };
  CHECK(at_1024(Pool::min).seconds == 2.0);
  CHECK(at_1024(Pool::median).seconds == 3.5);
  CHECK(at_1024(Pool::mean).seconds == 4.5);
  CHECK(at_1024(Pool::in_place).seconds == 2.5);
  CHECK(at_1024(Pool::out_of_place).seconds == 6.5);
  CHECK(at_1024(Pool::min).repeats == std::vector<double>{4, 2, 9, 3});
  CHECK(at_1024(Pool::in_place).repeats == std::vector<double>{2, 3});

  const Pooled all = pool_measurements(logs, Pool::min, 0);
  REQUIRE(all.experiments.size() == 2);
  CHECK(all.experiments[0].bytes == 512);
  CHECK(all.left_out.empty());
  const Pooled in_place = pool_measurements(logs, Pool::in_place, 0);
  CHECK(in_place.experiments.size() == 1);
  CHECK(in_place.left_out == std::vector<std::uint64_t>{512});
  CHECK(pool_measurements({}, Pool::min, 0).experiments.empty());
}

TEST_CASE("pooling: names round trip, another name is refused with a suggestion") {
  for (const Pool pool : {Pool::min, Pool::median, Pool::mean, Pool::in_place, Pool::out_of_place})
    CHECK(*parse_pool(name_of(pool)) == pool);
  REQUIRE(!parse_pool("inplace"));
  CHECK(parse_pool("inplace").problems().front().hint == "did you mean 'in_place'?");
  CHECK(!parse_pool("each"));
}
