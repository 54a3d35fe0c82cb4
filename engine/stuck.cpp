#include "engine/stuck.hpp"

#include <optional>

namespace caliper {
namespace {

class Waits {
 public:
  Waits(const Program& program, std::span<const WorkerRun> workers, std::span<const EdgeRun> edges)
      : program_(program), workers_(workers), edges_(edges) {}

  /// None where the worker is done.
  std::optional<Wait> of(std::uint32_t w) const {
    const WorkerRun& worker = workers_[w];
    if (worker.left == 0) return std::nullopt;
    const ProgramWorker& from = program_.workers[w];
    const Operation& op = *worker.at;
    Wait wait{{w}, {}, {}, false, worker.ordinal(program_.repeats_of(from)), program_.operations_of(from), 0};
    if (op.receive != kNoPort) {
      wait.edge = worker.ports[op.receive];
      const EdgeRun& edge = edges_[wait.edge.v];
      wait.on = {edge.from};
      wait.slice = edge.taken;
      if (edge.arrived == edge.taken) return wait;
    }
    wait.edge = worker.ports[op.send];
    const EdgeRun& edge = edges_[wait.edge.v];
    wait.on = {edge.to};
    wait.for_credit = true;
    wait.slice = edge.released;
    return wait;
  }

 private:
  const Program& program_;
  const std::span<const WorkerRun> workers_;
  const std::span<const EdgeRun> edges_;
};

}  // namespace

StuckReport explain_stuck(const Program& program, std::span<const WorkerRun> workers,
                          std::span<const EdgeRun> edges, double seconds) {
  const Waits waits(program, workers, edges);
  StuckReport report{seconds, {}, {}};
  for (std::uint32_t w = 0; w < workers.size(); ++w)
    if (auto wait = waits.of(w)) report.waits.push_back(*wait);
  // Each waits on one other: following that from anywhere ends in a circle or at a worker that is done.
  std::vector<std::uint32_t> seen(workers.size(), kNone);
  for (std::uint32_t start = 0; start < report.waits.size() && report.cycle.empty(); ++start) {
    std::uint32_t w = report.waits[start].worker.v;
    while (seen[w] == kNone && waits.of(w)) {
      seen[w] = start;
      w = waits.of(w)->on.v;
    }
    if (seen[w] != start || !waits.of(w)) continue;
    for (std::uint32_t at = w;;) {
      report.cycle.push_back(*waits.of(at));
      at = report.cycle.back().on.v;
      if (at == w) break;
    }
  }
  return report;
}

}  // namespace caliper
