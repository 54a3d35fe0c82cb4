#include "engine/flow_run.hpp"

#include <algorithm>
#include <cmath>

#include "engine/event_queue.hpp"
#include "engine/max_min.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Kinds of events, the highest bits of their key: at one time, slices become visible before costs end, and
/// so on.
enum class EventKind : std::uint64_t { arrival, cost_end, transfer_ready, transfer_end };

/// Kind in 2 bits, the row it is about in 32, a stamp in 30 that tells a transfer's valid end from outdated
/// ones.
constexpr std::uint64_t kStampMask = (std::uint64_t{1} << 30) - 1;
constexpr std::uint64_t key_of(EventKind kind, std::uint32_t row, std::uint32_t stamp = 0) {
  return static_cast<std::uint64_t>(kind) << 62 | static_cast<std::uint64_t>(row) << 30 |
         (stamp & kStampMask);
}
constexpr EventKind kind_of(std::uint64_t key) { return static_cast<EventKind>(key >> 62); }
constexpr std::uint32_t row_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 30); }
constexpr std::uint32_t stamp_of(std::uint64_t key) { return static_cast<std::uint32_t>(key & kStampMask); }

struct KindCost {
  double overhead, seconds_per_byte, rate_cap;
};

/// One edge: how far sender and receiver are, in slices. sent >= arrived >= taken >= released.
struct EdgeState {
  std::uint64_t sent = 0;      ///< begun by the sender
  std::uint64_t arrived = 0;   ///< visible to the receiver
  std::uint64_t taken = 0;     ///< begun by the receiver
  std::uint64_t released = 0;  ///< given back to the sender
  double latency = 0;
  double route_latency = 0;
  std::uint32_t first_slot = 0, slots = 0;  ///< of its concurrent transfers
  std::uint32_t queue_first = 0,
                queued = 0;  ///< operations that wait for their turn, oldest first (ordered edges)
};

struct WorkerState {
  std::uint32_t next;  ///< operation
  std::uint32_t end;
  bool busy = false;
};

/// Room for one transfer.
struct SlotState {
  double remaining = 0;  ///< bytes at `since`
  double since = 0;      ///< s
  std::uint32_t operation = kNone;
  std::uint32_t stamp = 0;
};

bool concurrent(const ProgramEdge& edge) { return edge.mode == TransferMode::detached; }

class FlowRun {
 public:
  FlowRun(const Program& program, std::span<const double> numbers, OperationTimes* times);
  RunResult run();

 private:
  void begin_if_possible(std::uint32_t worker);
  void on_cost_end(std::uint32_t worker);
  void on_transfer_ready(std::uint32_t op);
  void on_transfer_end(std::uint32_t slot, std::uint32_t stamp);
  void on_arrival(std::uint32_t edge);
  void occupy(std::uint32_t slot, std::uint32_t op);
  void finish(std::uint32_t op);
  void update_rates();
  void schedule(double time, std::uint64_t key);
  void dispatch(std::uint64_t key);
  std::uint32_t free_slot(const EdgeState& edge) const;
  StuckReport explain() const;
  std::optional<Wait> wait_of(std::uint32_t worker) const;

  double number(ExpressionId id) const { return numbers_[id.v]; }

  const Program& program_;
  std::span<const double> numbers_;
  OperationTimes* times_;
  std::vector<KindCost> kinds_;
  std::vector<WorkerState> workers_;
  std::vector<EdgeState> edges_;
  std::vector<SlotState> slots_;
  std::vector<std::uint32_t> slot_edge_;
  std::vector<std::uint32_t> waiting_;  // queues of ordered edges, room for `window` each
  MaxMinSharing sharing_;
  EventQueue queue_;
  double now_ = 0;
  RunResult result_;
};

/// Slots in the order of the edges: one per edge with a route, `window` where its transfers run side by side.
std::uint32_t slots_of(const ProgramEdge& edge) {
  if (!edge.route.valid()) return 0;
  return concurrent(edge) ? edge.window : 1;
}

SharingProblem sharing_problem(const Program& program, std::span<const double> numbers) {
  std::vector<double> edge_cap(program.edges.size(), 0);
  for (std::size_t op = 0; op < program.operations(); ++op)
    if (program.op_send[op].valid()) {
      double& cap = edge_cap[program.op_send[op].v];
      cap = std::max(cap, numbers[program.kinds[program.op_kind[op].v].rate_cap.v]);
    }
  SharingProblem problem;
  for (const ProgramLink& link : program.links) problem.capacity.push_back(numbers[link.capacity.v]);
  problem.path_first.push_back(0);
  for (std::size_t e = 0; e < program.edges.size(); ++e) {
    const ProgramEdge& edge = program.edges[e];
    for (std::uint32_t i = 0; i < slots_of(edge); ++i) {
      for (std::uint32_t h = program.route_first[edge.route.v]; h < program.route_first[edge.route.v + 1];
           ++h)
        problem.path_links.push_back(program.route_links[h].v);
      problem.path_first.push_back(static_cast<std::uint32_t>(problem.path_links.size()));
      problem.largest_cap.push_back(edge_cap[e]);
    }
  }
  prune_links_that_never_fill(problem);
  return problem;
}

FlowRun::FlowRun(const Program& program, std::span<const double> numbers, OperationTimes* times)
    : program_(program), numbers_(numbers), times_(times), sharing_(sharing_problem(program, numbers)) {
  for (const CostKind& kind : program.kinds) {
    const KindCost cost{number(kind.overhead), number(kind.seconds_per_byte), number(kind.rate_cap)};
    CALIPER_CHECK(cost.overhead >= 0 && cost.seconds_per_byte >= 0 && cost.rate_cap > 0);
    kinds_.push_back(cost);
  }
  for (std::size_t w = 0; w < program.workers.size(); ++w)
    workers_.push_back({program.worker_first[w], program.worker_first[w + 1]});
  std::vector<std::uint32_t> most_on_the_way(program.edges.size(), 0);
  for (const EdgeId send : program.op_send)
    if (send.valid())
      most_on_the_way[send.v] = std::min(most_on_the_way[send.v] + 1, program.edges[send.v].window);
  std::uint32_t waiting = 0;
  for (const ProgramEdge& edge : program.edges) {
    EdgeState state;
    state.latency = number(edge.latency);
    state.route_latency = edge.route.valid() ? number(program.route_latency[edge.route.v]) : 0;
    CALIPER_CHECK(state.latency >= 0 && state.route_latency >= 0);
    state.first_slot = static_cast<std::uint32_t>(slot_edge_.size());
    state.slots = slots_of(edge);
    slot_edge_.resize(slot_edge_.size() + state.slots, static_cast<std::uint32_t>(edges_.size()));
    state.queue_first = waiting;
    if (edge.mode == TransferMode::detached_ordered) waiting += edge.window;
    edges_.push_back(state);
  }
  slots_.resize(slot_edge_.size());
  waiting_.resize(waiting, kNone);
  if (times_) {
    for (auto* column : {&times_->begin, &times_->cost_end, &times_->done})
      column->assign(program.operations(), std::numeric_limits<double>::quiet_NaN());
  }
  // Twice what can be valid at once: a worker has one event pending, a slot one end, an edge its slices on
  // the way.
  std::size_t valid = workers_.size() + slots_.size();
  for (std::size_t e = 0; e < edges_.size(); ++e)
    valid +=
        (edges_[e].latency > 0) * most_on_the_way[e] + (edges_[e].route_latency > 0) * most_on_the_way[e];
  queue_.reserve(2 * valid + 16);
}

void FlowRun::schedule(double time, std::uint64_t key) {
  if (queue_.full())
    queue_.remove_if([this](std::uint64_t k) {
      return kind_of(k) == EventKind::transfer_end && (slots_[row_of(k)].stamp & kStampMask) != stamp_of(k);
    });
  queue_.push({time, key});
}

void FlowRun::begin_if_possible(std::uint32_t w) {
  WorkerState& worker = workers_[w];
  if (worker.busy || worker.next == worker.end) return;
  const std::uint32_t op = worker.next;
  const EdgeId receive = program_.op_receive[op], send = program_.op_send[op];
  if (receive.valid() && edges_[receive.v].arrived == edges_[receive.v].taken) return;
  if (send.valid() && edges_[send.v].sent - edges_[send.v].released == program_.edges[send.v].window) return;
  if (receive.valid()) ++edges_[receive.v].taken;
  if (send.valid()) {
    ++edges_[send.v].sent;
    result_.bytes_sent += program_.op_bytes[op];
  }
  worker.busy = true;
  const KindCost& cost = kinds_[program_.op_kind[op].v];
  if (times_) times_->begin[op] = now_;
  schedule(now_ + (cost.overhead + static_cast<double>(program_.op_bytes[op]) * cost.seconds_per_byte),
           key_of(EventKind::cost_end, w));
}

void FlowRun::on_cost_end(std::uint32_t w) {
  WorkerState& worker = workers_[w];
  const std::uint32_t op = worker.next;
  if (times_) times_->cost_end[op] = now_;
  const EdgeId send = program_.op_send[op];
  if (!send.valid() || !program_.edges[send.v].route.valid()) {
    finish(op);
  } else {
    const EdgeState& edge = edges_[send.v];
    if (edge.route_latency > 0)
      schedule(now_ + edge.route_latency, key_of(EventKind::transfer_ready, op));
    else
      on_transfer_ready(op);
    if (program_.edges[send.v].mode == TransferMode::attached) return;
  }
  worker.busy = false;
  ++worker.next;
  begin_if_possible(w);
}

std::uint32_t FlowRun::free_slot(const EdgeState& edge) const {
  for (std::uint32_t slot = edge.first_slot; slot < edge.first_slot + edge.slots; ++slot)
    if (slots_[slot].operation == kNone) return slot;
  return kNone;
}

void FlowRun::on_transfer_ready(std::uint32_t op) {
  const std::uint32_t e = program_.op_send[op].v;
  EdgeState& edge = edges_[e];
  const std::uint32_t slot = free_slot(edge);
  if (slot != kNone) {
    occupy(slot, op);
    return;
  }
  // Only an ordered edge can be full here: a window bounds what an edge has under way.
  const std::uint32_t window = program_.edges[e].window;
  CALIPER_CHECK(program_.edges[e].mode == TransferMode::detached_ordered && edge.queued < window);
  waiting_[edge.queue_first + edge.queued++] = op;
}

void FlowRun::occupy(std::uint32_t slot, std::uint32_t op) {
  SlotState& state = slots_[slot];
  state.operation = op;
  state.remaining = static_cast<double>(program_.op_bytes[op]);
  state.since = now_;
  if (program_.op_bytes[op] == 0) {
    schedule(now_, key_of(EventKind::transfer_end, slot, state.stamp));
    return;
  }
  sharing_.start(slot, kinds_[program_.op_kind[op].v].rate_cap);
}

void FlowRun::on_transfer_end(std::uint32_t slot, std::uint32_t stamp) {
  SlotState& state = slots_[slot];
  if (state.operation == kNone || (state.stamp & kStampMask) != stamp)
    return;  // outdated by a change of rate
  const std::uint32_t op = state.operation, e = slot_edge_[slot];
  if (program_.op_bytes[op] > 0) sharing_.stop(slot);
  state.operation = kNone;
  ++state.stamp;
  EdgeState& edge = edges_[e];
  if (edge.queued > 0) {
    const auto queue = waiting_.begin() + edge.queue_first;
    occupy(slot, *queue);
    std::copy(queue + 1, queue + edge.queued--, queue);  // a window is a handful of slices
  }
  finish(op);
  if (program_.edges[e].mode == TransferMode::attached) {
    const std::uint32_t w = program_.edges[e].from.v;
    workers_[w].busy = false;
    ++workers_[w].next;
    begin_if_possible(w);
  }
}

void FlowRun::finish(std::uint32_t op) {
  if (times_) times_->done[op] = now_;
  ++result_.operations;
  result_.seconds = std::max(result_.seconds, now_);
  if (const EdgeId receive = program_.op_receive[op]; receive.valid()) {
    ++edges_[receive.v].released;
    begin_if_possible(program_.edges[receive.v].from.v);
  }
  if (const EdgeId send = program_.op_send[op]; send.valid()) {
    ++result_.slices;
    result_.bytes_delivered += program_.op_bytes[op];
    if (edges_[send.v].latency > 0)
      schedule(now_ + edges_[send.v].latency, key_of(EventKind::arrival, send.v));
    else
      on_arrival(send.v);
  }
}

void FlowRun::on_arrival(std::uint32_t e) {
  ++edges_[e].arrived;
  result_.seconds = std::max(result_.seconds, now_);
  begin_if_possible(program_.edges[e].to.v);
}

void FlowRun::update_rates() {
  for (const std::uint32_t slot : sharing_.solve()) {
    SlotState& state = slots_[slot];
    if (state.operation == kNone) continue;
    state.remaining = std::max(0.0, state.remaining - sharing_.previous_rate(slot) * (now_ - state.since));
    state.since = now_;
    ++state.stamp;
    schedule(now_ + state.remaining / sharing_.rate(slot),
             key_of(EventKind::transfer_end, slot, state.stamp));
  }
}

void FlowRun::dispatch(std::uint64_t key) {
  ++result_.events;
  switch (kind_of(key)) {
    case EventKind::arrival:
      return on_arrival(row_of(key));
    case EventKind::cost_end:
      return on_cost_end(row_of(key));
    case EventKind::transfer_ready:
      return on_transfer_ready(row_of(key));
    case EventKind::transfer_end:
      return on_transfer_end(row_of(key), stamp_of(key));
  }
}

RunResult FlowRun::run() {
  for (std::uint32_t w = 0; w < workers_.size(); ++w) begin_if_possible(w);
  while (!queue_.empty()) {
    now_ = queue_.top().time;
    do {
      const std::uint64_t key = queue_.top().key;
      queue_.pop();
      dispatch(key);
    } while (!queue_.empty() && queue_.top().time == now_);
    update_rates();
  }
  if (result_.operations != program_.operations()) {
    result_.stuck = explain();
    return result_;
  }
  for (const EdgeState& edge : edges_) CALIPER_CHECK(edge.arrived == edge.sent && edge.released == edge.sent);
  CALIPER_CHECK(result_.bytes_delivered == result_.bytes_sent);
  return result_;
}

std::optional<Wait> FlowRun::wait_of(std::uint32_t w) const {
  const WorkerState& worker = workers_[w];
  if (worker.next == worker.end) return std::nullopt;
  const std::uint32_t first = program_.worker_first[w];
  Wait wait{{w}, {}, {}, false, worker.next - first, worker.end - first, 0};
  const EdgeId receive = program_.op_receive[worker.next];
  if (receive.valid() && edges_[receive.v].arrived == edges_[receive.v].taken) {
    wait.edge = receive;
    wait.on = program_.edges[receive.v].from;
    wait.slice = edges_[receive.v].taken;
  } else {
    wait.edge = program_.op_send[worker.next];
    wait.on = program_.edges[wait.edge.v].to;
    wait.for_credit = true;
    wait.slice = edges_[wait.edge.v].released;
  }
  return wait;
}

StuckReport FlowRun::explain() const {
  StuckReport report{now_, {}, {}};
  for (std::uint32_t w = 0; w < workers_.size(); ++w)
    if (auto wait = wait_of(w)) report.waits.push_back(*wait);
  // Each waits on one other: following that from anywhere ends in a circle or at a worker that is done.
  std::vector<std::uint32_t> seen(workers_.size(), kNone);
  for (std::uint32_t start = 0; start < report.waits.size() && report.cycle.empty(); ++start) {
    std::uint32_t w = report.waits[start].worker.v;
    while (seen[w] == kNone && wait_of(w)) {
      seen[w] = start;
      w = wait_of(w)->on.v;
    }
    if (seen[w] != start || !wait_of(w)) continue;
    for (std::uint32_t at = w;;) {
      report.cycle.push_back(*wait_of(at));
      at = report.cycle.back().on.v;
      if (at == w) break;
    }
  }
  return report;
}

}  // namespace

RunResult run_flow_level(const Program& program, std::span<const double> numbers, OperationTimes* times) {
  CALIPER_CHECK(numbers.size() == program.expressions.size());
  return FlowRun(program, numbers, times).run();
}

}  // namespace caliper
