#include "engine/trace.hpp"

#include <iterator>

#include <fmt/format.h>

namespace caliper {
namespace {

void add_span(std::string& json, std::string_view name, const ProgramWorker& worker, std::uint32_t thread,
              double begin, double end, std::uint64_t bytes) {
  if (!(end > begin)) return;
  fmt::format_to(
      std::back_inserter(json),
      R"(,{{"name":"{}","ph":"X","pid":{},"tid":{},"ts":{:.4f},"dur":{:.4f},"args":{{"bytes":{}}}}})"
      "\n",
      name, worker.rank, thread, begin * 1e6, (end - begin) * 1e6, bytes);
}

}  // namespace

std::string chrome_trace(const Program& program, const OperationTimes& times) {
  std::string json = R"({"displayTimeUnit":"ns","traceEvents":[)"
                     "\n";
  json += R"({"name":"calipersim","ph":"i","pid":0,"tid":0,"ts":0,"s":"g"})"
          "\n";
  for (std::uint32_t w = 0; w < program.workers.size(); ++w) {
    const ProgramWorker& worker = program.workers[w];
    fmt::format_to(
        std::back_inserter(json),
        R"(,{{"name":"thread_name","ph":"M","pid":{0},"tid":{1},"args":{{"name":"channel {2} {3}"}}}})"
        "\n"
        R"(,{{"name":"process_name","ph":"M","pid":{0},"args":{{"name":"rank {0}"}}}})"
        "\n",
        worker.rank, w, worker.channel, program.roles[worker.role]);
    std::uint64_t row = times.first[w];
    for (const UnrolledOperation& op : program.unroll({w})) {
      add_span(json, program.kinds[op.kind.v].name, worker, w, times.begin[row], times.cost_end[row],
               op.bytes);
      // A detached transfer runs beside its worker: on a track of its own, or spans would overlap.
      const bool attached = op.send.valid() && program.edges[op.send.v].mode == TransferMode::attached;
      const auto track = attached ? w : w + static_cast<std::uint32_t>(program.workers.size());
      add_span(json, "transfer", worker, track, times.cost_end[row], times.done[row], op.bytes);
      ++row;
    }
  }
  return json + "]}\n";
}

}  // namespace caliper
