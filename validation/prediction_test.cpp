#include "validation/prediction.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace caliper;
using doctest::Approx;

namespace {

struct Case {
  Dataset dataset;
  Split split;
  std::vector<Prediction> predictions;
};

/// Two groups; the first has points in all three sets, the second a name that needs quoting and a failed run.
Case two_groups() {
  Case c;
  c.dataset.groups = {{"ar-1x4", "all_reduce", 4, "A", 0.01}, {"ag, \"B\"", "all_gather", 16, "B", NAN}};
  const double calibrated[] = {1.1, 2.0, 3.6, 4.0, NAN};
  const Set sets[] = {Set::out_of_scope, Set::calibration, Set::validation, Set::validation, Set::validation};
  for (std::uint32_t i = 0; i < 5; ++i) {
    const double measured = i + 1.0;
    const std::uint32_t group = i < 4 ? 0 : 1;
    c.dataset.experiments.push_back({group, 1024u << i, measured, {measured}});
    Prediction p{.id = {i}, .group = group, .bytes = 1024u << i, .measured = measured, .set = sets[i]};
    p.default_s = 2 * measured;
    p.calibrated_s = calibrated[i];
    if (i == 2) p.alpha_beta_s = 1.5 * measured;
    if (i == 2) p.nearest_size_s = 1.25 * measured;
    p.outlier = i == 3;
    c.predictions.push_back(p);
  }
  c.split.set.assign(std::begin(sets), std::end(sets));
  c.split.out_of_scope_reason = {"protocol switch", "", "", "", ""};
  return c;
}

}  // namespace

TEST_CASE("summaries: one per group and set, by group, then cal, val, out of scope") {
  const Case c = two_groups();
  const std::vector<std::string> hashes = {"aaaa", "bbbb"};
  const auto rows = summarise(c.dataset, c.split, c.predictions, hashes);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].set == Set::calibration);
  CHECK(rows[1].set == Set::validation);
  CHECK(rows[2].set == Set::out_of_scope);
  CHECK(rows[3].name == "ag, \"B\"");
  CHECK(rows[1].smallest == 4096);
  CHECK(rows[1].largest == 8192);
  CHECK(rows[1].outliers == 1);
  CHECK(rows[1].calibrated.count == 2);
  CHECK(rows[1].calibrated.mean == Approx(0.1));  // 3.6 for 3, 4 for 4
  CHECK(rows[1].with_default.p95 == Approx(1));
  CHECK(rows[1].alpha_beta.mean == Approx(0.5));
  CHECK(rows[1].nearest_size.count == 1);
  CHECK(rows[1].nearest_size.mean == Approx(0.25));
  CHECK(rows[1].residuals.count == 2);
  CHECK(rows[1].residuals.bias == Approx(std::log(1.2) / 2));
  CHECK(rows[2].out_of_scope_reasons == std::vector<std::string>{"protocol switch"});
  CHECK(rows[3].calibrated.failed == 1);
  CHECK(rows[3].program_hash == "bbbb");
  CHECK(summarise(c.dataset, c.split, {}, {}).empty());
}

TEST_CASE("predictions.csv: microseconds, quoted names, empty cells") {
  const Case c = two_groups();
  const std::string csv = predictions_csv(c.dataset, c.predictions);
  CHECK(
      csv.starts_with("group,size_bytes,measured_us,default_us,calibrated_us,set\n"
                      "ar-1x4,1024,1000000,2000000,1100000,out_of_scope\n"
                      "ar-1x4,2048,2000000,4000000,2000000,cal\n"));
  CHECK(csv.ends_with("\"ag, \"\"B\"\"\",16384,5000000,10000000,,val\n"));
}
