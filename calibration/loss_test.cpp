#include "calibration/loss.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using namespace caliper;
using doctest::Approx;

TEST_CASE("loss: closed forms of one group") {
  // differences 3 and -4, measured 1 and 8:  rmse = sqrt((9 + 16) / 2), relative = sqrt((3^2 + (-4/8)^2) /
  // 2), log = sqrt((ln(4)^2 + ln(1/2)^2) / 2) = ln 2 * sqrt(5 / 2)
  const std::vector<double> simulated = {4, 4}, measured = {1, 8};
  CHECK(group_loss(Loss::rmse, simulated, measured) == Approx(std::sqrt(12.5)));
  CHECK(group_loss(Loss::relative_rmse, simulated, measured) == Approx(std::sqrt(9.25 / 2)));
  CHECK(group_loss(Loss::log_rmse, simulated, measured) == Approx(std::log(2.0) * std::sqrt(2.5)));
}

TEST_CASE("loss: a uniform error of factor 1 + e is e, |ln(1 + e)| for log, whatever the number of sizes") {
  for (const std::size_t n : {1u, 2u, 17u, 389u})
    for (const double e : {-0.5, 0.01, 2.0}) {
      std::vector<double> measured, simulated;
      for (std::size_t i = 0; i < n; ++i) {
        measured.push_back(1e-5 * static_cast<double>(i + 1));
        simulated.push_back(measured.back() * (1 + e));
      }
      CHECK(group_loss(Loss::relative_rmse, simulated, measured) == Approx(std::abs(e)).epsilon(1e-12));
      CHECK(group_loss(Loss::log_rmse, simulated, measured) ==
            Approx(std::abs(std::log1p(e))).epsilon(1e-12));
      CHECK(group_loss(Loss::log_rmse, measured, simulated) ==
            Approx(std::abs(std::log1p(e))).epsilon(1e-12));
      CHECK(group_loss(Loss::rmse, measured, measured) == 0);
    }
}

TEST_CASE("loss: what is not a time makes the loss infinite") {
  const std::vector<double> measured = {1, 1};
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    for (const Loss loss : {Loss::rmse, Loss::relative_rmse, Loss::log_rmse})
      CHECK(group_loss(loss, std::vector<double>{1, bad}, measured) ==
            std::numeric_limits<double>::infinity());
}

TEST_CASE("loss: a stage is as bad as its worst group") {
  // group 0: sizes off by 1 and 1, rmse 1;  group 1: one of its two sizes fitted, off by 3
  Dataset dataset;
  dataset.groups = {{"a", "all_reduce", 4, "A", 0}, {"b", "all_reduce", 8, "A", 0}};
  dataset.experiments = {{0, 1, 10, {}}, {0, 2, 20, {}}, {1, 1, 30, {}}, {1, 2, 40, {}}};
  const std::vector<FitGroup> fits = {{0, {{0}, {1}}}, {1, {{3}}}};
  const StageLoss loss = stage_loss(Loss::rmse, dataset, fits, std::vector<double>{11, 19, 43});
  REQUIRE(loss.of_group.size() == 2);
  CHECK(loss.of_group[0] == Approx(1));
  CHECK(loss.of_group[1] == Approx(3));
  CHECK(loss.value == loss.of_group[1]);
}

TEST_CASE("loss: names read back") {
  for (const Loss loss : {Loss::rmse, Loss::relative_rmse, Loss::log_rmse})
    CHECK(loss_named(name_of(loss)) == loss);
  CHECK_FALSE(loss_named("RMSE"));
  CHECK(format_loss(Loss::rmse, 12.5e-6) == "12.5 us");
  CHECK(format_loss(Loss::log_rmse, 0.0134) == "1.34 %");
}
