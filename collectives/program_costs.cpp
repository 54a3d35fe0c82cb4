#include "collectives/program_costs.hpp"

#include "base/check.hpp"

namespace caliper {
namespace {

std::string_view slice_overhead_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::simple:
      return "gpu.slice_overhead";
    case Protocol::ll:
      return "gpu.ll_slice_overhead";
    case Protocol::ll128:
      return "gpu.ll128_slice_overhead";
  }
  CALIPER_CHECK(false);
}

}  // namespace

ProgramCosts::ProgramCosts(const ParameterTable& table, ProgramBuilder& builder, Protocol protocol,
                           bool whole_block) {
  const auto parameter = [&](std::string_view id) { return Expression::parameter(table.index_of(id)); };
  const Expression share = whole_block ? Expression(1.0) : parameter("gpu.tree_share");
  const Expression overhead = parameter(slice_overhead_of(protocol));
  const Expression channel_rate = parameter("gpu.channel_rate") * share;
  const Expression copy_rate = parameter("gpu.copy_rate") * share;
  none = builder.expression(0.0);
  nvlink_latency = builder.expression(parameter("nvlink.latency"));
  message_latency = builder.expression(
      parameter(protocol == Protocol::simple ? "net.message_latency" : "net.flag_latency"));
  launch = builder.kind("launch", parameter("gpu.launch"), 0.0, kInfinite);
  proxy = builder.kind("proxy send", parameter("net.send_delay"), 0.0, kInfinite);
  const std::string half = whole_block ? "" : " by half a block";
  for (std::uint32_t p = 0; p < kPrimitives; ++p) {
    const auto primitive = static_cast<Primitive>(p);
    const Expression cost = reduces(primitive) ? parameter("gpu.reduce_cost") : Expression(1.0);
    const std::string name(name_of(primitive));
    if (sends(primitive)) {
      over_nvlink[p] = builder.kind(name + " over nvlink" + half, overhead, 0.0, channel_rate / cost);
      in_place[p] = builder.kind(name + " into fifo" + half, overhead, cost / channel_rate, kInfinite);
    } else {
      over_nvlink[p] = in_place[p] = builder.kind(name + half, overhead, cost / copy_rate, kInfinite);
    }
  }
}

}  // namespace caliper
