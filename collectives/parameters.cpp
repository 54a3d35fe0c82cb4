#include "collectives/parameters.hpp"

namespace caliper {

std::vector<AuxiliaryParameter> collectives_parameters() {
  constexpr auto up = Domain::scale_up;
  constexpr auto log = Scale::logarithmic;
  return {
      {"gpu.launch", up, Dimension::time, 8.4e-6, 1e-6, 60e-6, log,
       "once per collective: launch and start-up", "NCCL's tuning base latency of Ring/Simple, 8.4 us"},
      {"gpu.slice_overhead", up, Dimension::time, 1.7e-6, 0.05e-6, 10e-6, log,
       "per slice: waits, barrier, fence of the thread block",
       "half of NCCL's 3.4 us per step of Ring/Simple over NVLink"},
      {"gpu.channel_rate", up, Dimension::rate, 20e9, 4e9, 60e9, log,
       "what the thread block of one channel can send",
       "NCCL's speed of one of 24 channels on four A100, 20 GB/s"},
      {"gpu.copy_rate", up, Dimension::rate, 40e9, 8e9, 300e9, log,
       "local copy of a slice that is received and not sent on, per channel",
       "assumed: twice the channel rate"},
      {"gpu.reduce_cost", up, Dimension::number, 1.0, 0.8, 2.0, Scale::linear,
       "time of a reducing slice over that of a copying one", "assumed: both are bound by memory"},
  };
}

std::vector<AuxiliaryParameter> other_protocol_parameters() {
  constexpr auto up = Domain::scale_up;
  constexpr auto log = Scale::logarithmic;
  return {
      {"gpu.ll_slice_overhead", up, Dimension::time, 0.3e-6, 0.02e-6, 5e-6, log,
       "per slice of LL: waits and barrier of the thread block",
       "half of NCCL's 0.6 us per step of LL over NVLink"},
      {"gpu.ll128_slice_overhead", up, Dimension::time, 0.95e-6, 0.05e-6, 8e-6, log,
       "per slice of LL128: waits and barrier of the thread block",
       "half of NCCL's 1.9 us per step of Ring/LL128 over NVLink"},
      {"gpu.tree_share", up, Dimension::number, 0.6, 0.3, 1.0, Scale::linear,
       "rate of each half of a tree's thread block, which reduces and broadcasts at the same time, over that "
       "of a "
       "whole one",
       "NCCL's limit of 24 GB/s up and down for a channel of a tree on A100, so 12 each way, over 20 GB/s "
       "for "
       "one of a ring"},
      {"net.flag_latency", Domain::scale_out, Dimension::time, 2e-6, 0.3e-6, 20e-6, log,
       "per message of LL and LL128, overlapping with others: until the receiver sees the flags; nothing is "
       "flushed",
       "NCCL's 2.7 us (LL) and 4.0 us (LL128) for a step over the network, less 1 us for its post, between "
       "the two"},
  };
}

std::vector<DirectParameter> collectives_direct_parameters() {
  const std::string plan = "the plan of the group: a NCCL log, the scenario, or NCCL's rules";
  const std::string group = "the group in the scenario";
  const std::string source = "NCCL's source, the same in all versions known";
  return {
      {"collective", "what is executed", group},
      {"message size", "bytes of the full buffer", "the measurement, or the sizes asked for"},
      {"ranks", "GPUs of the communicator and where they are",
       "nodes and gpus_per_node of the group, and its placement"},
      {"nccl.version", "chooses the partition family A, B or C", "a NCCL log, or 'nccl' of the group"},
      {"algorithm", "ring or tree", plan},
      {"protocol", "simple, ll or ll128", plan},
      {"channels", "rings or trees of the communicator", plan},
      {"ring_order", "order of the ranks in each channel's ring", plan},
      {"nic_layout", "by which NICs the rings enter and leave a node", plan},
      {"chunk_size", "bytes of the chunks of each channel and loop", "NCCL's partition at this size"},
      {"slice_size", "bytes of the slices of a chunk", source},
      {"window", "slices of a connection that may wait to be released", source},
  };
}

}  // namespace caliper
