#include "calibration/dataset.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("dataset: the groups partition the experiments, in order") {
  // Group g of five has g sizes, so the first is empty and the ids are 0 | 1 2 | 3 4 5 | 6 7 8 9.
  Dataset dataset;
  for (std::uint32_t g = 0; g < 5; ++g) {
    dataset.groups.push_back({"g", "all_reduce", 4, "A", 0.0});
    for (std::uint64_t i = 0; i < g; ++i) dataset.experiments.push_back({g, (i + 1) * 1024, 1e-3, {}});
  }
  std::uint32_t next = 0;
  for (std::uint32_t g = 0; g < 5; ++g) {
    const auto ids = dataset.of_group(g);
    REQUIRE(ids.size() == g);
    for (const ExperimentId id : ids) {
      CHECK(id.index == next++);
      CHECK(dataset[id].group == g);
    }
  }
  CHECK(next == dataset.experiments.size());
  CHECK(dataset.of_group(5).empty());
}
