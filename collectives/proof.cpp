#include "collectives/proof.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "collectives/execution_check.hpp"
#include "collectives/tree_proof.hpp"

namespace caliper {
namespace {

using Check = std::optional<Violation>;

struct Range {
  std::uint64_t begin, end;
  auto operator<=>(const Range&) const = default;
};

/// Whether the ranges, in any order, cover [begin, end) exactly once.
Check covers(std::vector<Range> ranges, Range whole) {
  std::ranges::sort(ranges);
  std::uint64_t at = whole.begin;
  for (const Range& range : ranges) {
    if (range.begin == range.end) continue;
    if (range.begin != at)
      return Violation{Violated::tiling, fmt::format("bytes {} to {} are {}", std::min(range.begin, at),
                                                     std::max(range.begin, at),
                                                     range.begin > at ? "in no chunk" : "in two chunks")};
    at = range.end;
  }
  if (at != whole.end)
    return Violation{Violated::tiling, fmt::format("chunks end at byte {} instead of {}", at, whole.end)};
  return std::nullopt;
}

Check check_tiling(const Plan& plan) {
  std::vector<Range> ranges;
  // Interleaved loops: per (loops, stride) the pieces of all channels have to fill one stride, then all of
  // them are filled.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Range>> interleaved;
  for (const auto& runs : plan.table.channels)
    for (const LoopRun& run : runs) {
      if (run.spacing != run.chunk) {
        // A full loop of chunks that lie apart fills its stride with those of the other channels.
        for (std::uint32_t j = 0; j < plan.table.chunks_per_loop; ++j)
          if (const std::uint64_t bytes = run.chunk_bytes(j), at = run.offset + j * run.spacing; bytes == 0)
            break;
          else if (run.loops == 1)
            ranges.push_back({at, at + bytes});
          else
            interleaved[{run.loops, run.stride}].push_back({at, at + bytes});
        continue;
      }
      if (run.chunk * plan.table.chunks_per_loop < run.extent)
        return Violation{Violated::tiling, fmt::format("{} chunks of {} B do not cover a loop of {} B",
                                                       plan.table.chunks_per_loop, run.chunk, run.extent)};
      if (run.loops == 1 || run.stride == run.extent)
        ranges.push_back({run.offset, run.offset + run.loops * run.extent});
      else
        interleaved[{run.loops, run.stride}].push_back({run.offset, run.offset + run.extent});
    }
  for (auto& [key, pieces] : interleaved) {
    const auto [loops, stride] = key;
    const std::uint64_t begin = std::ranges::min(pieces).begin;
    if (Check bad = covers(std::move(pieces), {begin, begin + stride})) return bad;
    ranges.push_back({begin, begin + loops * stride});
  }
  return covers(std::move(ranges), {0, plan.count * plan.execution->element_bytes});
}

Check check_slices(const Plan& plan) {
  const std::uint64_t slot = connection_of(plan.execution->algorithm, plan.execution->protocol).slot_bytes;
  for (const auto& runs : plan.table.channels)
    for (const LoopRun& run : runs)
      for (std::uint32_t j = 0; j < plan.table.chunks_per_loop; ++j) {
        const std::uint64_t chunk = run.chunk_bytes(j);
        const Slices slices = plan.slices(chunk);
        const std::uint64_t sum = std::reduce(slices.begin(), slices.end(), std::uint64_t{0});
        if (sum != chunk)
          return Violation{Violated::slices, fmt::format("slices of {} B for a chunk of {} B", sum, chunk)};
        if (std::ranges::max(slices) > slot)
          return Violation{Violated::slices, fmt::format("a slice of {} B does not fit a slot of {} B",
                                                         std::ranges::max(slices), slot)};
      }
  return std::nullopt;
}

/// What a part of the buffer holds: the contributions of `count` neighbouring ranks from position `first` on,
/// 0 being the rank in whose frame we are. An AllGather block is the contribution of the rank it belongs to.
struct Content {
  std::uint32_t part;
  std::uint32_t first;
  std::uint32_t count;
};

class RingExecution {
 public:
  RingExecution(Collective collective, const PrimitiveSequence& sequence)
      : collective_(collective), sequence_(sequence), n_(sequence.ranks), output_(n_, Content{0, 0, 0}) {
    if (collective == Collective::all_gather) output_[0] = {0, 0, 1};  // in place
  }

  Check run() {
    std::uint32_t step = 0;
    for (const PrimitiveRun& run : sequence_.runs)
      for (std::uint32_t i = 0; i < run.count; ++i, ++step)
        if (Check bad = execute(run.primitive, step)) return bad;
    if (received_ != sent_.size())
      return Violation{Violated::matching,
                       fmt::format("{} sends but {} receives in a loop", sent_.size(), received_)};
    return check_output();
  }

 private:
  Check execute(Primitive primitive, std::uint32_t step) {
    Content content{sequence_.part(0, step), 0, 1};
    if (primitive == Primitive::send && collective_ == Collective::all_gather && content.part != 0)
      return Violation{Violated::data,
                       fmt::format("step {} sends block {} of another rank", step, content.part)};
    if (receives(primitive)) {
      // The rank before did the same step in its frame; a message that it has not sent by now never comes.
      if (received_ == sent_.size())
        return Violation{
            Violated::progress,
            fmt::format("step {} waits for message {}, sent by no earlier step", step, received_)};
      const Content& message = sent_[received_++];
      const Content arrived{before(message.part), before(message.first), message.count};
      if (arrived.part != content.part)
        return Violation{Violated::matching, fmt::format("step {} expects part {} and gets part {}", step,
                                                         content.part, arrived.part)};
      if (Check bad = combine(primitive, step, arrived, content)) return bad;
    }
    if (stores(primitive)) {
      if (output_[content.part].count != 0)
        return Violation{Violated::data, fmt::format("step {} writes part {} again", step, content.part)};
      output_[content.part] = content;
    }
    if (sends(primitive)) sent_.push_back(content);
    return std::nullopt;
  }

  /// `content` holds the own contribution and gets the result.
  Check combine(Primitive primitive, std::uint32_t step, const Content& arrived, Content& content) const {
    if (!reduces(primitive)) {
      content = arrived;
      return std::nullopt;
    }
    // The own contribution, position 0, has to be the neighbour of those that arrived: then it is not among
    // them.
    if (arrived.count >= n_ || (arrived.first + arrived.count) % n_ != 0)
      return Violation{Violated::data,
                       fmt::format("step {} adds its data to {} contributions from position {} on", step,
                                   arrived.count, arrived.first)};
    content.first = arrived.first;
    content.count = arrived.count + 1;
    return std::nullopt;
  }

  Check check_output() const {
    for (std::uint32_t part = 0; part < n_; ++part) {
      const bool wanted = collective_ != Collective::reduce_scatter || part == 0;
      const Content& out = output_[part];
      const bool gathered = out.count == 1 && out.first == part;
      const bool reduced = out.count == n_;
      if (wanted && !(collective_ == Collective::all_gather ? gathered : reduced))
        return Violation{Violated::data, fmt::format("part {} ends with {} contributions from position {} on",
                                                     part, out.count, out.first)};
    }
    return std::nullopt;
  }

  std::uint32_t before(std::uint32_t position) const { return position == 0 ? n_ - 1 : position - 1; }

  Collective collective_;
  const PrimitiveSequence& sequence_;
  std::uint32_t n_;
  std::vector<Content> output_;  // [n], count 0: not written
  std::vector<Content> sent_;    // in the frame of the sender
  std::size_t received_ = 0;
};

/// A slice needs the credit of the one `window` slices before it, which the next rank gives in the step that
/// receives that one. All ranks being at the same step, it has to be an earlier step. Two loops show the seam
/// between them.
Check check_window(const Plan& plan) {
  std::vector<std::uint32_t> send_steps, receive_steps;
  std::uint32_t step = 0;
  for (int loop = 0; loop < 2; ++loop)
    for (const PrimitiveRun& run : plan.sequence.runs)
      for (std::uint32_t i = 0; i < run.count; ++i, ++step)
        for (std::uint32_t slice = 0; slice < plan.slices_per_chunk; ++slice) {
          if (sends(run.primitive)) send_steps.push_back(step * plan.slices_per_chunk + slice);
          if (receives(run.primitive)) receive_steps.push_back(step * plan.slices_per_chunk + slice);
        }
  for (std::size_t m = plan.window; m < send_steps.size(); ++m)
    if (receive_steps[m - plan.window] >= send_steps[m])
      return Violation{Violated::progress,
                       fmt::format("with a window of {} slices all ranks wait for the credit of slice {}",
                                   plan.window, m)};
  return std::nullopt;
}

/// Channels mostly repeat the trees of others.
Check check_trees_of(const Plan& plan) {
  const std::vector<ChannelTree>& trees = plan.execution->trees;
  for (std::uint32_t channel = 0; channel < plan.channels(); ++channel) {
    const auto same = [&](const ChannelTree& other) {
      return other.up == trees[channel].up && other.down == trees[channel].down;
    };
    if (std::any_of(trees.begin(), trees.begin() + channel, same)) continue;
    if (Check bad = prove_tree(trees[channel], plan.window)) return bad;
  }
  return std::nullopt;
}

Check check_conservation(const Plan& plan) {
  const std::uint64_t hops = plan.execution->ranks() - 1;
  const std::uint64_t times = plan.execution->collective == Collective::all_reduce ? 2 : 1;
  const std::uint64_t expected = times * hops * plan.buffer_bytes();
  const std::uint64_t sent = bytes_sent(plan);
  if (sent == expected) return std::nullopt;
  return Violation{Violated::conservation, fmt::format("{} B are sent instead of {} B", sent, expected)};
}

}  // namespace

std::string_view name_of(Violated what) {
  switch (what) {
    case Violated::rings:
      return "rings";
    case Violated::tiling:
      return "tiling";
    case Violated::slices:
      return "slices";
    case Violated::matching:
      return "matching";
    case Violated::progress:
      return "progress";
    case Violated::data:
      return "data";
    case Violated::conservation:
      return "conservation";
  }
  CALIPER_CHECK(false);
}

std::optional<Violation> prove(const Plan& plan) {
  const Execution& execution = *plan.execution;
  if (const Problems problems = check_channels(execution); !problems.empty())
    return Violation{Violated::rings, describe(problems.front())};
  if (execution.ranks() == 1) return std::nullopt;  // input and output are the same
  if (plan.channels() > execution.channels())
    return Violation{Violated::rings, fmt::format("{} channels are used, {} have a ring or tree",
                                                  plan.channels(), execution.channels())};
  if (Check bad = check_tiling(plan)) return bad;
  if (Check bad = check_slices(plan)) return bad;
  if (execution.algorithm == Algorithm::tree) {
    if (Check bad = check_trees_of(plan)) return bad;
  } else {
    if (Check bad = RingExecution(execution.collective, plan.sequence).run()) return bad;
    if (Check bad = check_window(plan)) return bad;
  }
  return check_conservation(plan);
}

}  // namespace caliper
