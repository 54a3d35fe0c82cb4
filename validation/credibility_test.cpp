#include "validation/credibility.hpp"

#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace caliper;
using doctest::Approx;
using nlohmann::json;

namespace {

/// A group of ten sizes that is too slow by 2 % below and too fast by 2 % above the middle, one without
/// error, and one that is off, but out of scope.
struct Case {
  Dataset dataset;
  Split split;
  std::vector<Prediction> predictions;
  Credibility credibility;

  Case() {
    dataset.groups = {{"ar", "all_reduce", 4, "A", 0.001},
                      {"ag", "all_gather", 4, "A", NAN},
                      {"out", "all_reduce", 8, "not UTF-8: \xff", NAN}};
    for (std::uint32_t g = 0; g < 3; ++g)
      for (std::uint32_t i = 0; i < 10; ++i) {
        const std::uint64_t bytes = std::uint64_t{1024} << i;
        const double seconds = 1e-6 * (i + 1);
        Prediction p{
            .id = {10 * g + i}, .group = g, .bytes = bytes, .measured = seconds, .set = Set::validation};
        if (g == 2) p.set = Set::out_of_scope;
        if (g == 0 && i % 2 == 0) p.set = Set::calibration;
        p.calibrated_s = g == 1 ? seconds : (i < 5 ? 1.02 : 0.98) * seconds;
        p.default_s = 2 * seconds;
        if (g == 0 && i == 1) p.alpha_beta_s = p.nearest_size_s = 1.1 * seconds;
        dataset.experiments.push_back({g, bytes, seconds, {seconds}});
        split.set.push_back(p.set);
        split.out_of_scope_reason.push_back(g == 2 ? "protocol switch" : "");
        predictions.push_back(p);
      }
    credibility.records = compare_records(dataset, split);
    credibility.no_shuffle = "for a reason";
    credibility.unmodelled = unmodelled_structure(dataset, predictions);
  }
  json parsed() const {
    const std::vector<std::string> hashes = {"aaaa", "", ""};
    return json::parse(validation_json(summarise(dataset, split, predictions, hashes), credibility));
  }
};

}  // namespace

TEST_CASE("unmodelled structure: the group with it, over fitted and held-out sizes, and no other") {
  const Case c;
  REQUIRE(c.credibility.unmodelled.size() == 1);
  const UnmodelledStructure& found = c.credibility.unmodelled[0];
  CHECK(found.name == "ar");
  CHECK(found.residuals.count == 10);
  CHECK(found.residuals.runs.p == Approx(2.0 / 252));
  CHECK(found.pattern == "too slow up to 16 KiB (+2.00 %), too fast above (-2.00 %)");
  CHECK(found.why.starts_with("runs test p = 0.0079"));
  CHECK(in_words(found).ends_with("; no declared gap explains it"));
  UnmodelledStructure with_gaps = found;
  with_gaps.gaps = {"proxy thread", "overlap"};
  CHECK(gaps_in_words(with_gaps) == "declared gaps that affect it: proxy thread, overlap");
}

TEST_CASE("controls in words: good, bad, skipped") {
  Case c;
  CHECK(records_in_words(c.credibility) ==
        "5 calibration and 15 validation records, 0 in common (compared by content)");
  CHECK(shuffle_in_words(c.credibility) == "Label-shuffle control: not made, for a reason");
  CHECK_FALSE(c.credibility.is_suspicious());
  c.credibility.shuffle = LabelShuffle{.all = {15, 1.8, 0.017}};
  CHECK(shuffle_in_words(c.credibility) ==
        "Label-shuffle control: fitted to times of other sizes, the simulator predicts badly, as it should: "
        "mean "
        "held-out error 180 % against 1.7 %");
  CHECK_FALSE(c.credibility.is_suspicious());
  c.credibility.group_names = {"ar", "ag", "out"};
  c.credibility.shuffle->of_group = {{5, 0.5, 0.02}, {10, 0.2, 0.15}, {}};
  CHECK(shuffle_in_words(c.credibility)
            .ends_with("against 1.7 %; less than 2 times worse in ag (20 % against 15 %)"));
  c.credibility.shuffle->all.shuffled = 0.034;  // twice is not enough
  CHECK(c.credibility.is_suspicious());
  CHECK(shuffle_in_words(c.credibility).starts_with("Label-shuffle control FAILED"));
}

TEST_CASE("validation.json: the declared form of groups, null for what is not a number") {
  Case c;
  c.predictions[11].calibrated_s = NAN;
  const json root = c.parsed();
  REQUIRE(root["groups"].size() == 4);
  const json& val = root["groups"][1];
  CHECK(val["name"] == "ar");
  CHECK(val["collective"] == "all_reduce");
  CHECK(val["ranks"] == 4);
  CHECK(val["placement"] == "A");
  CHECK(val["set"] == "val");
  CHECK(val["count"] == 5);
  CHECK(val["sizes"] == json{{"min", 2048}, {"max", 1024 << 9}});
  CHECK(val["noise"] == 0.001);
  CHECK(val["noise_interval"] == json{nullptr, nullptr});
  CHECK(val["repeated_sizes"] == 0);
  CHECK(val["roughness"].is_number());
  CHECK(val["program"] == "aaaa");
  CHECK(val["calibrated"]["max"].get<double>() == Approx(0.02));
  CHECK(val["alpha_beta"]["p50"].get<double>() == Approx(0.1));
  CHECK(val["nearest_size"]["mean"].get<double>() == Approx(0.1));
  CHECK(val["residuals"]["runs_test"]["runs"] == 2);
  CHECK(!val.contains("out_of_scope_reason"));
  CHECK(!root["groups"][0].contains("nearest_size"));
  const json& failed = root["groups"][2];
  CHECK(failed["noise"].is_null());
  CHECK(failed["program"].is_null());
  CHECK(failed["count"] == 10);
  CHECK(failed["calibrated"]["failed"] == 1);
  CHECK(failed["default"]["mean"] == 1.0);
  const json& out = root["groups"][3];
  CHECK(out["set"] == "out_of_scope");
  CHECK(out["out_of_scope_reason"] == "protocol switch");
}

TEST_CASE("validation.json: the controls") {
  Case c;
  json root = c.parsed();
  CHECK(root["records"]["fitted"] == 5);
  CHECK(root["records"]["held_out"] == 15);
  CHECK(root["records"]["in_common"] == 0);
  CHECK(root["records"]["fitted_sha256"].get<std::string>().size() == 64);
  CHECK(root["label_shuffle"] == json{{"done", false}, {"reason", "for a reason"}});
  REQUIRE(root["unmodelled_structure"].size() == 1);
  CHECK(root["unmodelled_structure"][0]["group"] == "ar");
  CHECK(root["unmodelled_structure"][0]["size"].get<double>() == Approx(0.02).epsilon(0.05));
  CHECK(root["unmodelled_structure"][0]["declared_gaps"].empty());
  c.credibility.no_shuffle.clear();
  c.credibility.shuffle = LabelShuffle{.all = {15, 1.8, 0.017}};
  root = c.parsed();
  CHECK(root["label_shuffle"]["done"] == true);
  CHECK(root["label_shuffle"]["mean"] == 1.8);
  CHECK(root["label_shuffle"]["fails_as_it_should"] == true);
}
