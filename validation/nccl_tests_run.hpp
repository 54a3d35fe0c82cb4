// What nccl-tests says of a run before its table: versions, settings, devices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "validation/measurement_log.hpp"

namespace caliper {

/// Lines are given as the words after their '#'.
class RunHeader {
 public:
  /// "nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22907"
  void read_versions(const std::vector<std::string_view>& after_hash);
  /// "nThread 1 nGpus 1 minBytes 8 ... warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0"
  void read_settings(const std::vector<std::string_view>& after_hash);
  /// "Rank  0 Group  0 Pid 77 on node001 device  0 [0000:06:00] NVIDIA H100"
  void read_device(const std::vector<std::string_view>& after_hash, std::uint32_t line);
  void set_collective(std::optional<std::string> name) { stated_.collective = std::move(name); }
  /// Of the library, which prints it where and as often as it likes: the first counts.
  void see_nccl_version(std::optional<std::string> version) {
    if (!stated_.nccl_version) stated_.nccl_version = std::move(version);
  }

  bool has_devices() const { return !devices_.empty(); }
  /// Line of a rank that is listed twice with different processes or devices: several runs print into one
  /// file. 0 where there is none; a line that is only repeated is none.
  std::uint32_t repeated_rank_line() const { return repeated_rank_line_; }
  /// Highest rank + 1, as lists are sometimes abridged; nothing where several communicators ran at once.
  std::optional<std::uint32_t> rank_count() const;
  /// Nodes and GPUs a node only of a complete list, data type never.
  RunFacts facts() const;
  /// Other things that a user of the numbers should know.
  std::vector<std::string> notes() const;
  /// Whether the runs can differ in nothing but sizes, repeats and which nodes they had.
  bool same_experiment(const RunHeader& other) const;

 private:
  struct Device {
    std::string host, gpu;
    std::string text;  ///< all of its line
  };
  RunFacts stated_;
  std::string settings_;  ///< without sizes and validation, which may differ between tables of one group
  bool as_graph_ = false;
  std::map<std::uint32_t, Device> devices_;  ///< by rank
  std::set<std::string> groups_;
  std::uint32_t repeated_rank_line_ = 0;
};

/// Adds what a list of devices, given by rank, says: ranks; nodes and GPUs a node where it is complete; the
/// models.
struct ListedDevice {
  std::uint32_t rank;
  std::string_view host;  ///< empty: not said
  std::string_view gpu;
};
void add_device_facts(const std::vector<ListedDevice>& devices, RunFacts& facts);

}  // namespace caliper
