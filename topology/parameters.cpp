#include "topology/parameters.hpp"

namespace caliper {

std::vector<AuxiliaryParameter> topology_parameters() {
  using enum Scale;
  const auto up = Domain::scale_up, out = Domain::scale_out;
  const auto time = Dimension::time, number = Dimension::number;
  return {
      {"nvlink.efficiency", up, number, 0.80, 0.5, 1.0, linear,
       "usable share of the nominal NVLink rate, one direction",
       "NCCL's own constant for third-generation NVLink: 20 of 25 GB/s per link"},
      {"nvlink.latency", up, time, 0.7e-6, 0.1e-6, 5e-6, logarithmic,
       "from the end of a remote write over NVLink until the receiver sees the slice",
       "assumed: near the 0.6 us of NCCL's tuning table for a Ring/LL step over NVLink, little more than one "
       "remote write"},
      {"net.send_delay", out, time, 1e-6, 0.05e-6, 30e-6, logarithmic,
       "how long the proxy of a channel is busy with one message before its NIC starts",
       "NCCL's own estimate of the host overhead per network post, 1 us (Intel) to 2 us (AMD)"},
      {"net.message_latency", out, time, 5e-6, 0.5e-6, 30e-6, logarithmic,
       "per message, overlapping with others: completion, flush and poll until the receiver sees the slice",
       "assumed: within the 14 us of NCCL's tuning table for a whole Ring/Simple step over the network"},
      {"net.efficiency", out, number, 0.98, 0.5, 1.0, linear,
       "usable share of a NIC's nominal rate, one direction",
       "OSU bandwidth between two nodes of JUWELS Booster: 24.5 to 24.65 of 25 GB/s"},
      {"net.duplex", out, number, 1.0, 0.6, 1.0, linear,
       "usable share of twice a NIC's nominal rate when both directions run",
       "full duplex as specified; OSU with GPU buffers on JUWELS Booster saw 0.71 through MPI"},
      {"net.hop_latency", out, time, 0.13e-6, 0.05e-6, 1e-6, logarithmic, "one switch and the cable to it",
       "upper end of the 90 to 130 ns that are published for an InfiniBand HDR switch"},
  };
}

std::vector<DirectParameter> topology_direct_parameters() {
  return {
      {"node.gpus", "GPUs of a node", "the system file, [node]"},
      {"node.nics", "NICs of a node", "the system file, [node]"},
      {"node.nic_of_gpu", "which NIC is local to which GPU", "the system file, [node]"},
      {"nvlink.links", "NVLinks between two GPUs of a node", "the system file, [node]"},
      {"nvlink.rate", "nominal rate of one NVLink, one direction", "the system file, [node]"},
      {"nic.rate", "nominal rate of a NIC, one direction", "the system file, [node]"},
      {"pcie.rate", "nominal rate between a GPU and its NIC, one direction", "the system file, [node]"},
      {"fabric.shape", "groups, leaves and spines per group, nodes per leaf",
       "the system file, [fabric] and its groups"},
      {"fabric.links", "links between a leaf and a spine, and between two groups",
       "the system file, [fabric]"},
      {"fabric.rates", "nominal rates of leaf-spine and global links, one direction",
       "the system file, [fabric]"},
      {"fabric.routing", "minimal paths, spine chosen by destination", "the router, without a choice"},
      {"placement.nodes", "which nodes run the job", "the scenario, [placement]"},
      {"placement.rank_order", "which GPU a rank has: node by node, GPUs ascending",
       "the scenario, order of the nodes"},
  };
}

}  // namespace caliper
