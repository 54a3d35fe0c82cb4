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
      {"algorithm", "ring", plan},
      {"protocol", "simple", plan},
      {"channels", "rings of the communicator", plan},
      {"ring_order", "order of the ranks in each channel's ring", plan},
      {"nic_layout", "by which NICs the rings enter and leave a node", plan},
      {"chunk_size", "bytes of the chunks of each channel and loop, at most 2 MiB",
       "NCCL's partition at this size"},
      {"slice_size", "bytes of the two slices of a chunk, at most 1 MiB", source},
      {"window", "slices of a connection that may wait to be released: 4", source},
  };
}

}  // namespace caliper
