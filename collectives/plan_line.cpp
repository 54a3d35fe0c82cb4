#include "collectives/plan_line.hpp"

#include <algorithm>

namespace caliper {
namespace {

__extension__ using Wide = unsigned __int128;  // products of bytes

bool same_shape(const Plan& a, const Plan& b) {
  return a.sequence.ranks == b.sequence.ranks && a.window == b.window &&
         a.slices_per_chunk == b.slices_per_chunk && a.table.chunks_per_loop == b.table.chunks_per_loop &&
         std::ranges::equal(a.table.channels, b.table.channels, [](const auto& x, const auto& y) {
           return std::ranges::equal(x, y, {}, &LoopRun::loops, &LoopRun::loops);
         });
}

bool interpolated(const Plan& a, const Plan& b, const Plan& c, std::uint64_t x, std::uint64_t y,
                  std::uint64_t z) {
  return Wide{y} * (c.bytes - a.bytes) == Wide{x} * (c.bytes - b.bytes) + Wide{z} * (b.bytes - a.bytes);
}

bool slices_interpolated(const Plan& a, const Plan& b, const Plan& c, std::size_t channel, std::size_t run) {
  const LoopRun &x = a.table.channels[channel][run], &y = b.table.channels[channel][run],
                &z = c.table.channels[channel][run];
  for (std::uint32_t j = 0; j < a.table.chunks_per_loop; ++j) {
    const Slices of_a = a.slices(x.chunk_bytes(j)), of_b = b.slices(y.chunk_bytes(j)),
                 of_c = c.slices(z.chunk_bytes(j));
    const auto on_wire = [&](std::uint64_t slice) { return wire_bytes(a.execution->protocol, slice); };
    for (std::uint32_t s = 0; s < a.slices_per_chunk; ++s)
      if (!interpolated(a, b, c, on_wire(of_a[s]), on_wire(of_b[s]), on_wire(of_c[s]))) return false;
  }
  return true;
}

}  // namespace

bool on_one_line(const Plan& a, const Plan& b, const Plan& c) {
  CALIPER_CHECK(a.bytes < b.bytes && b.bytes < c.bytes);
  if (!same_shape(a, b) || !same_shape(b, c)) return false;
  for (std::size_t channel = 0; channel < a.table.channels.size(); ++channel)
    for (std::size_t run = 0; run < a.table.channels[channel].size(); ++run)
      if (!slices_interpolated(a, b, c, channel, run)) return false;
  return true;
}

std::vector<std::pair<std::size_t, std::size_t>> lines_of(std::span<const Plan> plans) {
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for (std::size_t first = 0; first < plans.size();) {
    std::size_t last = first + 1;
    // Two points make the line; a third is on it when the second lies between the first and it.
    while (last + 1 < plans.size() && on_one_line(plans[first], plans[first + 1], plans[last + 1])) ++last;
    last = std::min(last, plans.size() - 1);
    lines.emplace_back(first, last);
    first = last + 1;
  }
  return lines;
}

}  // namespace caliper
