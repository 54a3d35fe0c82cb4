#include "tests/support/synthetic.hpp"

#include <fmt/format.h>

namespace caliper::test {

std::string synthetic_csv(const std::string& collective, int nodes, double start_us, double rate) {
  std::string csv = fmt::format(
      "# source: synthetic, made for this test\n# collective: {}\n# dtype: float32\n# nodes: {}\n# "
      "gpus_per_node: 4\n"
      "# ranks: {}\n# nccl_version: 2.29.7\nsize_bytes,oop_time_us,ip_time_us\n",
      collective, nodes, nodes * 4);
  for (int shift = 23; shift <= 28; ++shift) {
    const double time = start_us + static_cast<double>(1 << shift) / rate;
    csv += fmt::format("{},{:.6f},{:.6f}\n", 1 << shift, time, time * 1.005);
  }
  return csv;
}

const std::string_view kSyntheticScenario = R"(schema = 1
title = "Synthetic: one node fitted, two nodes held out"
data = "synthetic"
system = "juwels-booster"

[placement.A]
nodes = "jwb[0257-0260]"
source = "assumed: synthetic"

[defaults.group]
placement = "A"
data_type = "float32"
nccl = "2.29.7"
pool = "min"
gpus_per_node = 4

[[group]]
name = "ar-1x4"
collective = "all_reduce"
nodes = 1
[[group.measured]]
file = "ar-1x4.csv"
[[group.plan]]
sizes = "all"
algorithm = "ring"
protocol = "simple"
source = "derived"

[[group]]
name = "ag-2x4"
collective = "all_gather"
nodes = 2
[[group.measured]]
file = "ag-2x4.csv"
[[group.plan]]
sizes = "all"
algorithm = "ring"
protocol = "simple"
source = "derived"

[[stage]]
name = "scale-up"
tune = ["gpu.launch", "gpu.channel_rate"]
fit = [{ group = "ar-1x4", sizes = { every = 2, from = 0 } }]
loss = "log_rmse"
budget = { iterations = 3 }

[validate]
groups = "all"
)";

void put_synthetic(const Folder& folder, std::string_view scenario) {
  folder.put("s.toml", scenario);
  folder.put("ar-1x4.csv", synthetic_csv("all_reduce", 1, 60, 150e3));
  folder.put("ag-2x4.csv", synthetic_csv("all_gather", 2, 90, 85e3));
}

}  // namespace caliper::test
