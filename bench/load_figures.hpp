// What the calibration of the load took, and how near it came to the truth that its data were made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/setting.hpp"
#include "validation/error_statistics.hpp"

namespace caliper::bench {

/// The paper's calibration: the median of an iteration times the iterations of both stages, all of its
/// threads.
struct PaperLoad {
  static constexpr double kIterationSeconds = 84.5;
  static constexpr unsigned kThreads = 72, kStages = 2, kIterations = 30;
  static constexpr double thread_seconds() { return kIterationSeconds * kThreads * kStages * kIterations; }
};

struct LoadStage {
  std::string name;
  std::size_t candidates, iterations, sizes;
  std::uint64_t runs;                           ///< of the simulator
  double seconds, simulator, optimizer, cache;  ///< wall
  double loss, loss_of_truth;                   ///< of the best candidate; of the true times
};

/// Held-out points of a group.
struct LoadGroup {
  std::string name;
  ErrorStatistics against_truth;     ///< |predicted - true time| / true time
  ErrorStatistics against_measured;  ///< with the noise
};

struct LoadParameter {
  std::string id;
  Dimension dimension;
  double truth, found;  ///< SI
};

struct LoadFigures {
  Setting setting;
  unsigned threads;
  double wall, user, system;  ///< s, of the whole command
  double peak_rss_mib;
  std::vector<std::pair<std::string, double>> phases;  ///< wall, s
  std::vector<LoadStage> stages;
  std::vector<LoadGroup> groups;
  std::vector<LoadParameter> parameters;  ///< those that are tuned
  nlohmann::ordered_json versions;

  double cpu() const { return user + system; }
};

/// Of a folder that calibration_load.sh has filled: scenario.toml, truth.toml, truth.csv, run.json and the
/// calibration in out/.
Result<LoadFigures> load_figures(const std::filesystem::path& work, const std::filesystem::path& systems,
                                 unsigned threads);

nlohmann::ordered_json to_json(const LoadFigures& figures);
/// For people.
std::string describe(const LoadFigures& figures);

}  // namespace caliper::bench
