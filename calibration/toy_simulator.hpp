// For tests: the latency-bandwidth line, T = alpha + bytes / beta, as the simulator to calibrate.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibration/simulator.hpp"

namespace caliper::toy {

inline ParameterTable table() {
  return {{{"toy.alpha", Domain::scale_up, Dimension::time, 10e-6, 1e-6, 100e-6, Scale::logarithmic, "", ""},
           {"toy.beta", Domain::scale_up, Dimension::rate, 5e9, 1e9, 100e9, Scale::logarithmic, "", ""},
           {"toy.idle", Domain::scale_up, Dimension::number, 0.5, 0, 1, Scale::linear, "has no effect", ""}},
          {}};
}

inline double line(double alpha, double beta, std::uint64_t bytes) {
  return alpha + static_cast<double>(bytes) / beta;
}

/// Groups "g0", "g1", ...; each with sizes 64 KiB * 2^i; measured on a line of its own.
struct Truth {
  double alpha, beta;
};
inline Dataset dataset(const std::vector<Truth>& truths, std::uint32_t sizes = 8) {
  Dataset data;
  for (std::uint32_t g = 0; g < truths.size(); ++g) {
    data.groups.push_back({fmt::format("g{}", g), "all_reduce", 4, "A", 0.0});
    for (std::uint32_t i = 0; i < sizes; ++i) {
      const std::uint64_t bytes = std::uint64_t{65536} << i;
      data.experiments.push_back({g, bytes, line(truths[g].alpha, truths[g].beta, bytes), {}});
    }
  }
  return data;
}

struct LineSimulator : Simulator {
  explicit LineSimulator(const Dataset& data) : dataset(data) {}
  const Dataset& dataset;
  /// May replace an outcome.
  std::function<void(ParameterView, ExperimentId, Outcome&)> twist = [](ParameterView, ExperimentId,
                                                                        Outcome&) {};
  mutable std::atomic<std::uint64_t> answered = 0;

  void evaluate(ParameterView parameters, std::span<const ExperimentId> experiments,
                std::span<Outcome> outcomes) const override {
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      outcomes[i] = {OutcomeStatus::time,
                     line(parameters[0], parameters[1], dataset[experiments[i]].bytes),
                     {1, 2, 3},
                     ""};
      twist(parameters, experiments[i], outcomes[i]);
      ++answered;
    }
  }
  std::string program_hash(ExperimentId id) const override {
    return fmt::format("{}/{}", dataset.groups[dataset[id].group].name, dataset[id].bytes);
  }
};

}  // namespace caliper::toy
