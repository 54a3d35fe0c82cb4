#include "collectives/plan.hpp"

#include <numeric>

#include "base/hash.hpp"
#include "collectives/tree_lowering.hpp"

namespace caliper {
namespace {

/// Bytes that all ranks together send in one sending step of one loop of a ring.
std::uint64_t step_bytes(const Plan& plan, const LoopRun& run) {
  const auto sliced = [&](std::uint64_t chunk) {
    const Slices slices = plan.slices(chunk);
    return std::reduce(slices.begin(), slices.end(), std::uint64_t{0});
  };
  // AllReduce: the ranks are at different chunks, each at one. Otherwise all send pieces of the same size.
  if (plan.table.chunks_per_loop == 1) return plan.execution->ranks() * sliced(run.chunk_bytes(0));
  std::uint64_t sum = 0;
  for (std::uint32_t j = 0; j < plan.table.chunks_per_loop; ++j) sum += sliced(run.chunk_bytes(j));
  return sum;
}

std::uint64_t loops_of(const Plan& plan, std::uint32_t channel) {
  std::uint64_t loops = 0;
  for (const LoopRun& run : plan.table.channels[channel]) loops += run.loops;
  return loops;
}

/// How the chunks of a loop look; equal for runs that a person would call alike.
ChunkRow row_of(const Plan& plan, std::uint32_t channel, const LoopRun& run) {
  ChunkRow row{channel, channel, run.loops, run.chunk_bytes(0), 0, 0, 0, {}};
  const std::uint32_t chunks = plan.table.chunks_per_loop;
  row.slices = plan.slices(row.chunk_bytes);
  if (row.chunk_bytes == 0) {
    row.empty_chunks = chunks;
    return row;
  }
  const std::uint64_t behind_full =
      run.extent < run.chunk ? 0
                             : (run.extent - run.chunk) / run.spacing + 1;  // chunks that end by the extent
  row.full_chunks = row.chunk_bytes < run.chunk
                        ? 1
                        : static_cast<std::uint32_t>(std::min<std::uint64_t>(behind_full, chunks));
  if (row.full_chunks < chunks) row.last_chunk_bytes = run.chunk_bytes(row.full_chunks);
  row.empty_chunks = chunks - row.full_chunks - (row.last_chunk_bytes > 0 ? 1 : 0);
  return row;
}

bool alike(const ChunkRow& a, const ChunkRow& b) {
  return a.loops == b.loops && a.chunk_bytes == b.chunk_bytes && a.full_chunks == b.full_chunks &&
         a.last_chunk_bytes == b.last_chunk_bytes;
}

}  // namespace

std::uint64_t Plan::buffer_bytes() const {
  const std::uint64_t blocks = execution->collective == Collective::all_reduce ? 1 : execution->ranks();
  return count * execution->element_bytes * blocks;
}

std::string Plan::hash() const {
  Hasher hasher;
  hasher.add("calipersim plan 1")
      .add(name_of(execution->collective))
      .add(std::uint64_t{execution->element_bytes})
      .add(count)
      .add(std::uint64_t{window})
      .add(std::uint64_t{table.chunks_per_loop});
  for (const auto& runs : table.channels) {
    hasher.add(std::uint64_t{runs.size()});
    for (const LoopRun& run : runs)
      hasher.add(run.loops).add(run.offset).add(run.stride).add(run.chunk).add(run.extent);
  }
  // Ring/Simple is what a plan was before there was anything else.
  if (execution->algorithm != Algorithm::ring || execution->protocol != Protocol::simple) {
    hasher.add(name_of(execution->algorithm))
        .add(name_of(execution->protocol))
        .add(std::uint64_t{slices_per_chunk});
    for (const auto& runs : table.channels)
      for (const LoopRun& run : runs) hasher.add(run.spacing);
  }
  return hasher.hex();
}

Plan make_plan(const Execution& execution, std::uint64_t bytes) {
  CALIPER_CHECK(bytes <= kMaxMessageBytes);
  CALIPER_CHECK(execution.ranks() >= 1 && execution.channels() >= 1);
  const std::uint32_t ranks = execution.ranks();
  const std::uint64_t blocks = execution.collective == Collective::all_reduce ? 1 : ranks;
  const Connection connection = connection_of(execution.algorithm, execution.protocol);
  Plan plan{.execution = &execution,
            .bytes = bytes,
            .count = bytes / (execution.element_bytes * blocks),
            .sequence = {ranks, 0, {}},
            .table = {},
            .slices_per_chunk = connection.slices_per_chunk,
            .window = connection.window};
  if (ranks == 1) return plan;
  if (execution.algorithm == Algorithm::ring) plan.sequence = make_sequence(execution.collective, ranks);
  plan.table = make_chunk_table({execution.collective, execution.family, ranks, execution.element_bytes,
                                 execution.channels(), plan.count, execution.algorithm, execution.protocol,
                                 execution.algorithm == Algorithm::tree ? execution.nodes() : 1});
  return plan;
}

std::uint64_t bytes_sent(const Plan& plan) {
  std::uint64_t sum = 0;
  if (plan.execution->algorithm == Algorithm::tree) {
    for (const auto& runs : plan.table.channels)
      for (const LoopRun& run : runs) sum += run.loops * run.chunk_bytes(0);
    return sum * 2 * (plan.execution->ranks() - 1);  // up and down each edge
  }
  for (const auto& runs : plan.table.channels)
    for (const LoopRun& run : runs) sum += run.loops * step_bytes(plan, run);
  return sum * plan.sequence.sends();
}

std::uint64_t operation_count(const Plan& plan) {
  const std::uint64_t ranks = plan.execution->ranks();
  if (plan.count == 0) return 0;
  if (ranks == 1) return 1;
  const bool ring = plan.execution->algorithm == Algorithm::ring;
  std::uint64_t sum = 0;
  for (std::uint32_t channel = 0; channel < plan.channels(); ++channel) {
    const std::uint64_t loops = loops_of(plan, channel);
    if (!ring) {
      const TreeWork work = tree_work(plan.execution->trees[channel]);
      sum += work.blocks + loops * work.operations;
      continue;
    }
    const std::uint64_t proxies = plan.execution->rings[channel].crossings.size();
    sum += ranks * (1 + loops * plan.sequence.steps() * plan.slices_per_chunk);
    sum += proxies * loops * plan.sequence.sends() * plan.slices_per_chunk;
  }
  return sum;
}

std::uint64_t worker_count(const Plan& plan) {
  if (plan.execution->ranks() == 1) return plan.count > 0 ? 1 : 0;
  std::uint64_t sum = 0;
  for (std::uint32_t channel = 0; channel < plan.channels(); ++channel) {
    if (plan.execution->algorithm == Algorithm::ring) {
      sum += plan.execution->ranks() + plan.execution->rings[channel].crossings.size();
    } else {
      const TreeWork work = tree_work(plan.execution->trees[channel]);
      sum += work.blocks + work.proxies;
    }
  }
  return sum;
}

std::uint64_t slice_count(const Plan& plan) {
  std::uint64_t sum = 0;
  for (std::uint32_t channel = 0; channel < plan.channels(); ++channel) {
    const std::uint64_t loops = loops_of(plan, channel);
    if (plan.execution->algorithm == Algorithm::tree) {
      sum += loops * tree_work(plan.execution->trees[channel]).slices;
      continue;
    }
    const std::uint64_t senders = plan.execution->ranks() + plan.execution->rings[channel].crossings.size();
    sum += senders * loops * plan.sequence.sends() * plan.slices_per_chunk;
  }
  return sum;
}

std::vector<ChunkRow> chunk_rows(const Plan& plan) {
  std::vector<ChunkRow> rows;        // of the channels before
  std::vector<ChunkRow> last_block;  // of the last group of equal channels
  for (std::uint32_t channel = 0; channel < plan.channels(); ++channel) {
    std::vector<ChunkRow> mine;
    for (const LoopRun& run : plan.table.channels[channel]) mine.push_back(row_of(plan, channel, run));
    if (std::ranges::equal(mine, last_block, alike)) {
      for (ChunkRow& row : last_block) row.last_channel = channel;
      continue;
    }
    rows.insert(rows.end(), last_block.begin(), last_block.end());
    last_block = std::move(mine);
  }
  rows.insert(rows.end(), last_block.begin(), last_block.end());
  return rows;
}

}  // namespace caliper
