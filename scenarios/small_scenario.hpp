// For tests: a scenario on eight nodes that uses every part of the format once, and the folder it lives in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "scenarios/scenario_loader.hpp"

namespace caliper::test {

namespace fs = std::filesystem;

inline constexpr const char* kSystem = R"(schema = 1
title = "eight nodes"
[node]
gpu_model = "A100"
compute_capability = 80
gpus = 4
nvlinks_per_pair = 4
nvlink_rate = "25 GB/s"
nics = 4
nic_rate = "200 Gbit/s"
nic_of_gpu = [0, 1, 2, 3]
pcie_rate = "31.5 GB/s"
[fabric]
type = "dragonfly-plus"
leaves_per_group = 2
spines_per_group = 2
nodes_per_leaf = 4
links_per_leaf_spine = 8
leaf_spine_rate = "200 Gbit/s"
links_per_group_pair = 1
global_rate = "200 Gbit/s"
[[group]]
nodes = "n[1-8]"
[sources]
"node.gpu_model" = "assumed: test"
"node.compute_capability" = "assumed: test"
"node.gpus" = "assumed: test"
"node.nvlinks_per_pair" = "assumed: test"
"node.nvlink_rate" = "assumed: test"
"node.nics" = "assumed: test"
"node.nic_rate" = "assumed: test"
"node.nic_of_gpu" = "assumed: test"
"node.pcie_rate" = "assumed: test"
"fabric.type" = "assumed: test"
"fabric.leaves_per_group" = "assumed: test"
"fabric.spines_per_group" = "assumed: test"
"fabric.nodes_per_leaf" = "assumed: test"
"fabric.links_per_leaf_spine" = "assumed: test"
"fabric.leaf_spine_rate" = "assumed: test"
"fabric.links_per_group_pair" = "assumed: test"
"fabric.global_rate" = "assumed: test"
"group.nodes" = "assumed: test"
)";

inline constexpr const char* kScenario = R"(schema = 1
title = "small"
system = "eight"

[placement.A]
nodes = "n[1-4]"
source = "assumed: test"

[placement.B]
ranks_file = "ranks.txt"
source = "assumed: test"

[defaults.group]
placement = "A"
data_type = "float32"
nccl = "2.20.5"
pool = "min"
nic_layout = "pairs"

[[defaults.group.plan]]
sizes = "all"
algorithm = "ring"
protocol = "simple"
source = "derived"

[[group]]
name = "ar-1x4"
collective = "all_reduce"
nodes = 1
gpus_per_node = 4
[[group.measured]]
file = "ar.csv"
ranks = 4

[[group]]
name = "ag-2x2"
collective = "all_gather"
nodes = 2
gpus_per_node = 2
ranks = 4
placement = "B"
pool = "in_place"
[[group.measured]]
file = "ag.csv"
[[group.plan]]
sizes = "4 MiB .."
algorithm = "ring"
protocol = "simple"
channels = 8
source = "captured"
[[group.plan]]
sizes = "2 MiB .. 4 MiB"
algorithm = "ring"
protocol = "simple"
source = "assumed"
[[group.out_of_scope]]
sizes = ".. 2 MiB"
reason = "small"

[[group]]
name = "rs-4x4"
collective = "reduce_scatter"
nodes = 4
gpus_per_node = 4

[parameters."net.efficiency"]
fix = 0.97
reason = "measured one way"

[parameters."gpu.launch"]
fix = "9 us"
reason = "test"

[[stage]]
name = "up"
tune = ["gpu.slice_overhead", "gpu.channel_rate"]
fit = [{ group = "ar-1x4", sizes = { every = 2, from = 0 } }]
loss = "log_rmse"
budget = { iterations = 12, runs = 500, wall = "2 min" }
stop = { target = 0.01, plateau = 8 }

[[stage]]
name = "out"
tune = ["net.send_delay"]
fit = [{ group = "ag-2x2", sizes = ["4 MiB"] }, { group = "ar-1x4", sizes = "8 MiB .." }]
stop = { target = "5 us" }

[validate]
groups = "all"

[[model_gap]]
name = "gap"
affects = "ag-*"
what = "something"
)";

/// A folder with the files above; removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("calipersim_scenario_test." + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "systems");
    write("systems/eight.toml", kSystem);
    write("ranks.txt", "# reversed\nn2\n\nn1\n");
    write("ar.csv",
          "# collective: all_reduce\n# data_type: float32\n# ranks: 4\n# nccl_version: 2.20.5\n"
          "size_bytes,oop_time_us,ip_time_us\n1048576,11,10\n2097152,20,21\n4194304,40,39\n8388608,80,82\n");
    write("ag.csv",
          "# collective: all_gather\nsize_bytes,oop_time_us,ip_time_us\n"
          "1048576,11,10\n2097152,20,21\n4194304,40,39\n8388608,80,\n");
  }
  ~Folder() { fs::remove_all(path_); }

  const fs::path& path() const { return path_; }
  void write(const std::string& name, std::string_view text) {
    REQUIRE(write_file(path_ / name, text).empty());
  }
  Result<Scenario> read(const std::string& text) const {
    return read_scenario(text, path_ / "s.toml", path_ / "systems");
  }
  /// Problems with "PATH/s.toml" shortened to "s.toml".
  std::string problems(const std::string& text) const {
    const auto scenario = read(text);
    if (scenario) return "";
    std::string all = describe(scenario.problems());
    const std::string prefix = path_.string() + "/";
    for (std::size_t at; (at = all.find(prefix)) != std::string::npos;) all.erase(at, prefix.size());
    return all;
  }

 private:
  fs::path path_;
};

inline std::string edited(std::string_view from, std::string_view to, std::string text = kScenario) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace caliper::test
