// What a file of measurements says, before any pooling, and what of it was left out and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace caliper {

enum class Buffers : std::uint8_t { out_of_place, in_place };

/// One timed cell of a table. Size as printed: nccl-tests' full buffer.
struct Measurement {
  std::uint64_t bytes;
  double seconds;
  Buffers buffers;
  std::uint32_t line;  ///< of the file, from 1
};

/// A row, a cell or a table that was not kept.
struct Skipped {
  std::uint32_t line;
  std::string reason;
  bool wrong_results = false;  ///< nccl-tests checked the data and found them wrong
};

/// Facts of a run that a file states about itself; absent where it does not.
struct RunFacts {
  std::optional<std::string> collective;          ///< "all_reduce"
  std::optional<std::string> data_type;           ///< "float32"
  std::optional<std::string> nccl_version;        ///< "2.29.7"
  std::optional<std::string> nccl_tests_version;  ///< "2.17.8"; only newer ones say it
  std::optional<std::string> gpu_model;           ///< "NVIDIA GH200 120GB"; several, separated by " and "
  std::optional<std::uint32_t> ranks;
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> gpus_per_node;  ///< where all nodes have the same number
  std::optional<std::uint32_t> iterations;
  std::optional<std::uint32_t> warmups;
  std::optional<std::uint32_t> aggregated_iterations;
  std::optional<std::string> source;  ///< where the numbers come from, our CSV's "# source:" line
  bool operator==(const RunFacts&) const = default;
};

/// One experiment group of one file. `measurements` stand in the order of the file.
struct MeasurementLog {
  std::string file;
  std::uint32_t line = 0;  ///< where its table begins
  RunFacts facts;
  std::vector<Measurement> measurements;
  std::vector<Skipped> skipped;
  /// What somebody who uses the numbers should know: a run that ended early, how many results were wrong.
  std::vector<std::string> notes;
};

struct MeasurementFile {
  std::string file;
  std::string format;                  ///< "nccl-tests text", "nccl-tests JSON", "CSV"
  std::vector<MeasurementLog> tables;  ///< at least one, each with at least one measurement
  std::vector<Skipped> skipped;        ///< what belongs to none of them
};

/// Reads a file in whichever of the three formats it is. What holds no table is refused with the reason.
/// @param name  as it is to appear in messages
Result<MeasurementFile> read_measurements(std::string_view content, const std::string& name);

/// "line 11: all_reduce, float32, 8 ranks, 29 sizes": one table among several, for messages.
std::string label(const MeasurementLog& table);

}  // namespace caliper
