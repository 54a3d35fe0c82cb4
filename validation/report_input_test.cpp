#include "validation/report_input.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace caliper {

TEST_CASE("Groups of a report: points by size, sets as summarised, the disturbed point flagged") {
  // T = 1 us + bytes / (1 GB/s), with one size measured 40 % too slow.
  Dataset dataset;
  dataset.groups = {{"empty", "all_gather", 4, "A", 0.1}, {"ar", "all_reduce", 8, "B", 0.02}};
  std::vector<Prediction> predictions;
  Split split;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint64_t bytes = std::uint64_t{1024} << i;
    const double seconds = (1e-6 + static_cast<double>(bytes) * 1e-9) * (i == 4 ? 1.4 : 1);
    dataset.experiments.push_back({1, bytes, seconds, {seconds, 2 * seconds}});
    const Set set = i < 2 ? Set::out_of_scope : Set::validation;
    Prediction prediction{.id = {i}, .group = 1, .bytes = bytes, .measured = seconds, .set = set};
    prediction.calibrated_s = 1.1 * seconds;
    predictions.insert(predictions.begin(), prediction);  // from large to small
    split.set.push_back(set);
    split.out_of_scope_reason.push_back(i < 2 ? "too small" : "");
  }
  const std::vector<std::string> hashes = {"", "abc"};
  const auto groups = report_groups(dataset, summarise(dataset, split, predictions, hashes), predictions);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].points.empty());
  const ReportGroup& group = groups[1];
  CHECK(group.program_hash == "abc");
  CHECK(group.noise == 0.02);
  REQUIRE(group.sets.size() == 2);
  CHECK(group.sets[0].set == Set::validation);
  CHECK(group.sets[0].calibrated.mean == doctest::Approx(0.1));
  CHECK(group.sets[1].reasons == std::vector<std::string>{"too small"});
  REQUIRE(group.points.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(group.points[i].bytes == dataset.experiments[i].bytes);
    CHECK(group.points[i].repeats.size() == 2);
    CHECK(std::isfinite(group.points[i].outlier_deviation) == (i == 4));
  }
  CHECK(group.points[4].outlier_deviation == doctest::Approx(0.4));
}

}  // namespace caliper
