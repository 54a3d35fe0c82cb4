#include "collectives/crossings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace caliper {
namespace {

bool joined(const NodeSpec& node, GpuAddress a, GpuAddress b) {
  return a == b || node.nvlinks_between(a.gpu, b.gpu) > 0;
}

}  // namespace

std::string channel_name(std::size_t channel) { return fmt::format("channel {}", channel); }

Problems check_ranks(const Execution& execution) {
  Problems problems;
  if (execution.ranks() == 0) problems.push_back({"ranks", "an execution without ranks", ""});
  if (execution.channels() == 0) problems.push_back({"channels", "an execution without channels", ""});
  std::vector<std::pair<GpuAddress, std::uint32_t>> owners;
  for (std::uint32_t rank = 0; rank < execution.ranks(); ++rank)
    owners.emplace_back(execution.gpu_of_rank[rank], rank);
  std::ranges::sort(owners);
  const auto twice = std::ranges::adjacent_find(owners, {}, [](const auto& owner) { return owner.first; });
  if (twice != owners.end())
    problems.push_back(
        {"ranks", fmt::format("ranks {} and {} are on the same GPU", twice->second, (twice + 1)->second),
         "one rank a GPU"});
  return problems;
}

Problems check_crossing(const Execution& execution, const NodeCrossing& crossing, std::uint32_t from,
                        std::uint32_t to, const std::string& where) {
  if (crossing.from_rank != from || crossing.to_rank != to)
    return {{where,
             fmt::format("the {} leaves its node from rank {} to rank {}, but the crossing in its place "
                         "goes from {} to {}",
                         name_of(execution.algorithm), from, to, crossing.from_rank, crossing.to_rank),
             execution.algorithm == Algorithm::ring ? "crossings stand in ring order"
                                                    : "crossings stand in the order of the children"}};
  const std::uint32_t sender = execution.gpu_of_rank[from].node;
  const std::uint32_t receiver = execution.gpu_of_rank[to].node;
  Problems problems;
  if (crossing.proxy_gpu.node != sender || crossing.out.node != sender)
    problems.push_back({where, fmt::format("rank {} sends through a GPU or NIC of another node", from), ""});
  if (crossing.in.node != receiver)
    problems.push_back({where, fmt::format("rank {} receives through a NIC of another node", to), ""});
  return problems;
}

Problems check_nics(const NodeSpec& node, const Execution& execution, const NodeCrossing& crossing,
                    const std::string& where) {
  if (crossing.proxy_gpu.gpu >= node.gpus)
    return {{where,
             fmt::format("rank {} sends through gpu {}, a node has {}", crossing.from_rank,
                         crossing.proxy_gpu.gpu, node.gpus),
             ""}};
  if (node.nics == 0)
    return {
        {where, fmt::format("rank {} sends to another node, nodes have no NICs", crossing.from_rank), ""}};
  const std::uint32_t out = node.nic_of_gpu[crossing.proxy_gpu.gpu];
  const std::uint32_t in = node.nic_of_gpu[execution.gpu_of_rank[crossing.to_rank].gpu];
  Problems problems;
  const GpuAddress from = execution.gpu_of_rank[crossing.from_rank];
  if (!joined(node, from, crossing.proxy_gpu))
    problems.push_back({where,
                        fmt::format("rank {} sends through gpu {}, which has no NVLink to its own",
                                    crossing.from_rank, crossing.proxy_gpu.gpu),
                        ""});
  if (crossing.out.nic != out)
    problems.push_back({where,
                        fmt::format("rank {} sends by NIC {} through gpu {}, whose NIC is {}",
                                    crossing.from_rank, crossing.out.nic, crossing.proxy_gpu.gpu, out),
                        ""});
  if (crossing.in.nic != in)
    problems.push_back({where,
                        fmt::format("rank {} receives by NIC {}, the NIC of its GPU is {}", crossing.to_rank,
                                    crossing.in.nic, in),
                        ""});
  return problems;
}

Problems check_nvlink(const NodeSpec& node, const Execution& execution, std::uint32_t from, std::uint32_t to,
                      const std::string& where) {
  const GpuAddress a = execution.gpu_of_rank[from], b = execution.gpu_of_rank[to];
  if (a.node != b.node || joined(node, a, b)) return {};
  return {
      {where,
       fmt::format("rank {} sends to rank {}, their GPUs {} and {} have no NVLink", from, to, a.gpu, b.gpu),
       fmt::format("a {} over PCIe is not modelled", name_of(execution.algorithm))}};
}

}  // namespace caliper
