#include "engine/flow_run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "base/check.hpp"
#include "engine/event_queue.hpp"
#include "engine/flow_setup.hpp"
#include "engine/flow_state.hpp"
#include "engine/independent_parts.hpp"
#include "engine/rate_recorder.hpp"
#include "engine/sharing.hpp"
#include "engine/steady_state.hpp"
#include "engine/stuck.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kFirstRoom = 16;  // slices
/// Later by more than rounding explains.
constexpr bool later(double a, double b) { return a - b > 1e-13 * a; }
constexpr std::uint64_t with_decision(std::uint64_t hash, std::uint64_t value) {
  return (hash + value) * 0x9e3779b97f4a7c15u;
}

class FlowRun {
 public:
  FlowRun(const Program& program, std::span<const double> numbers, OperationTimes* times);
  /// @param skip  whether what repeats may be skipped
  RunResult run(bool skip);

 private:
  void set_up_workers();
  void set_up_edges();
  void set_up_times();
  void run_part(const IndependentPart& part, bool skip);
  void drain();
  void advance(std::uint32_t w);
  void pass(WorkerRun& worker, double begin, Cause cause);
  void begin_operation(WorkerRun& worker, std::uint32_t receive, EdgeRun* send, double begin, Cause cause);
  void move_alone(WorkerRun& worker, EdgeRun& send, const Transfer& transfer);
  void share(WorkerRun& worker, EdgeRun& send, const Transfer& transfer);
  void reach_the_wire(std::uint32_t s);
  void occupy_slots(SharedEdge& shared);
  void end_transfer(std::uint32_t slot);
  void finish(SharedEdge& shared, const Transfer& transfer);
  void post(std::uint32_t e, double time);
  void grow(EdgeRun& edge);
  void release(std::uint32_t e, double time);
  void note_release(std::uint32_t e, double time);
  void handle(std::uint32_t node);
  void update_rates();
  void record_rates(std::span<const std::uint32_t> changed);
  void enqueue(std::uint32_t w) { ready_workers_[ready_last_++ & ready_mask_] = w; }
  void wake_if_waiting(std::uint32_t w, std::uint32_t e);
  /// An end that is the latest so far; `who` tells it from others.
  void note_end(std::uint64_t who, double time) {
    if (later(time, latest_)) last_ = who;
    latest_ = time;
  }
  FlowState state() {
    return {workers_, edges_,         times_of_slices_.get(), shared_,     entries_,
            slots_,   ready_workers_, ready_first_,           ready_last_, queue_,
            now_,     latest_};
  }
  std::uint64_t decisions() const;
  void prove_end() const;
  RunResult totals() const;
  std::uint32_t number_of(const EdgeRun& edge) const {
    return static_cast<std::uint32_t>(&edge - edges_.data());
  }

  const Program& program_;
  const FlowSetup setup_;
  OperationTimes* times_;
  std::optional<RateRecorder> recorder_;  // where there are times
  std::vector<WorkerRun> workers_;
  std::vector<EdgeRun> edges_;
  std::unique_ptr<double[]> times_of_slices_;  // rings of arrivals and releases
  std::vector<SharedEdge> shared_;
  std::vector<Transfer> entries_;  // rings of shared edges
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> release_edge_;  // [release nodes]
  Sharing sharing_;
  EventQueue queue_;                          // nodes: shared edges (next start), slots (end), releases
  std::vector<std::uint32_t> ready_workers_;  // ring of a power of two
  std::uint32_t ready_first_ = 0, ready_last_ = 0, ready_mask_ = 0;
  std::uint32_t running_ = kNone;
  double now_ = 0, latest_ = 0;
  std::uint64_t last_ = 0;             // whose end that was
  std::optional<SteadyState> steady_;  // of the part that runs
  bool rounds_ = false;                // it has no shared transfers: a round of its workers is a step
  std::uint64_t skipped_ = 0, skips_ = 0;
  std::uint64_t sent_bytes_ = 0, taken_bytes_ = 0, events_ = 0;
};

/// Without the links that cannot fill; a folded program has none.
SharingProblem pruned(const Program& program, SharingProblem problem) {
  if (program.route_users.empty()) keep_links(problem, links_that_can_fill(problem));
  return problem;
}

FlowRun::FlowRun(const Program& program, std::span<const double> numbers, OperationTimes* times)
    : program_(program),
      setup_(program, numbers),
      times_(times),
      sharing_(pruned(program, setup_.sharing), setup_.caps),
      queue_(0) {
  set_up_workers();
  set_up_edges();
  if (times_) set_up_times();
}

void FlowRun::set_up_workers() {
  workers_.resize(program_.workers.size());
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const ProgramWorker& from = program_.workers[w];
    WorkerRun& worker = workers_[w];
    const auto repeats = program_.repeats_of(from);
    worker.repeat = repeats.data();
    worker.repeats_end = repeats.data() + repeats.size();
    worker.sizes = program_.sizes.data() + from.first_size;
    worker.ports = program_.ports.data() + from.first_port;
    worker.enter_body(program_.operations.data());
  }
  ready_workers_.resize(std::bit_ceil(workers_.size() + 1));
  ready_mask_ = static_cast<std::uint32_t>(ready_workers_.size() - 1);
}

void FlowRun::set_up_edges() {
  edges_.resize(program_.edges.size());
  std::uint32_t rows = 0, entries = 0, release_nodes = 0;
  const auto take = [](std::uint32_t& next, std::uint32_t count) {
    return std::exchange(next, next + count);
  };
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    const ProgramEdge& from = program_.edges[e];
    const EdgeSetup& setup = setup_.edges[e];
    EdgeRun& edge = edges_[e];
    edge.window = from.window;
    edge.from = from.from.v;
    edge.to = from.to.v;
    edge.mode = from.mode;
    edge.routed = from.route.valid();
    edge.latency = setup.latency;
    edge.route_latency = setup.route_latency;
    CALIPER_CHECK(setup.sends < kNone);
    const bool scarce = setup.sends > from.window;
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(setup.sends, from.window));
    const std::uint32_t room = std::bit_ceil(std::max(most, 1u));
    // Without a lack of credits the window says little about how many slices lie there at a time.
    edge.mask = scarce ? room - 1 : std::min(room, kFirstRoom) - 1;
    edge.arrivals = take(rows, room);
    if (scarce) edge.releases = take(rows, room);
    if (scarce && !setup.releases_in_order) edge.release_node = take(release_nodes, from.window);
    if (!edge.routed || setup.sends == 0) continue;
    if (setup.slots == 1 && sharing_.alone(setup.first_slot)) {
      edge.capacity = sharing_.lone_rate(setup.first_slot, kInfinite);
      continue;
    }
    edge.shared = static_cast<std::uint32_t>(shared_.size());
    shared_.push_back({e, setup.first_slot, setup.slots, take(entries, room), room - 1});
  }
  times_of_slices_ = std::make_unique_for_overwrite<double[]>(rows);
  entries_.resize(entries);
  slots_.resize(shared_.empty() ? 0 : setup_.sharing.slots());
  for (std::uint32_t s = 0; s < shared_.size(); ++s)
    for (std::uint32_t slot = 0; slot < shared_[s].slots; ++slot)
      slots_[shared_[s].first_slot + slot].edge = s;
  const auto nodes = static_cast<std::uint32_t>(shared_.size() + slots_.size());
  release_edge_.resize(release_nodes);
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    if (edges_[e].release_node == kNone) continue;
    for (std::uint32_t i = 0; i < edges_[e].window; ++i) release_edge_[edges_[e].release_node + i] = e;
    edges_[e].release_node += nodes;
  }
  queue_ = EventQueue(nodes + release_nodes);
}

void FlowRun::set_up_times() {
  times_->first.assign(1, 0);
  for (const ProgramWorker& worker : program_.workers)
    times_->first.push_back(times_->first.back() + program_.operations_of(worker));
  for (auto* column : {&times_->begin, &times_->cost_end, &times_->transfer, &times_->done})
    column->assign(times_->first.back(), std::numeric_limits<double>::quiet_NaN());
  times_->cause.assign(times_->first.back(), Cause::worker);
  times_->last_period.assign(times_->first.back(), OperationTimes::kNoPeriod);
  times_->periods.clear();
  recorder_.emplace(pruned(program_, setup_.sharing), *times_);
}

void FlowRun::drain() {
  std::uint32_t round = ready_last_;
  while (ready_first_ != ready_last_) {
    if (steady_ && rounds_ && ready_first_ == round) {
      steady_->observe();
      round = ready_last_;
    }
    const std::uint32_t w = ready_workers_[ready_first_++ & ready_mask_];
    advance(w);
    running_ = kNone;
  }
}

/// All operations whose waits are over, or known to be.
void FlowRun::advance(std::uint32_t w) {
  WorkerRun& worker = workers_[w];
  running_ = w;
  while (worker.left != 0 && !worker.held) {
    const Operation op = *worker.at;
    double begin = worker.free;
    Cause cause = Cause::worker;
    std::uint64_t decision = 1;
    std::uint32_t receive = kNone;
    if (op.receive != kNoPort) {
      receive = worker.ports[op.receive].v;
      const EdgeRun& edge = edges_[receive];
      if (edge.arrived == edge.taken) {
        worker.waits_on = receive;
        return;
      }
      const double there = times_of_slices_[edge.arrivals + (edge.taken & edge.mask)];
      if (there > begin) {
        if (later(there, begin)) decision = 2;
        begin = there;
        cause = Cause::data;
      }
    }
    EdgeRun* send = nullptr;
    if (op.send != kNoPort) {
      const std::uint32_t e = worker.ports[op.send].v;
      send = &edges_[e];
      if (send->releases != kNone && send->sent >= send->window) {
        const std::uint32_t credit = send->sent - send->window;
        if (credit == send->released) {
          worker.waits_on = e;
          return;
        }
        const double there = times_of_slices_[send->releases + (credit & send->mask)];
        if (there > begin) {
          if (later(there, begin)) decision = 3;
          begin = there;
          cause = Cause::credit;
        }
      }
    }
    if (op.size == kOnlyWaits) {
      worker.decisions = with_decision(worker.decisions, decision);
      pass(worker, begin, cause);
      continue;
    }
    if (send) ++send->sent;
    if (receive != kNone) ++edges_[receive].taken;
    worker.decisions = with_decision(worker.decisions, decision);
    begin_operation(worker, receive, send, begin, cause);
  }
}

/// What the worker waited for is there; a later operation takes it.
void FlowRun::pass(WorkerRun& worker, double begin, Cause cause) {
  if (times_) {
    const std::uint64_t row =
        times_->first[running_] + worker.ordinal(program_.repeats_of(program_.workers[running_]));
    times_->begin[row] = times_->cost_end[row] = times_->done[row] = begin;
    times_->cause[row] = cause;
  }
  ++events_;
  worker.next(program_.operations.data());
  worker.free = begin;
}

void FlowRun::begin_operation(WorkerRun& worker, std::uint32_t receive, EdgeRun* send, double begin,
                              Cause cause) {
  const Operation& op = *worker.at;
  const KindCost& kind = setup_.kinds[op.kind];
  const std::uint64_t bytes = op.size == kNoSize ? 0 : worker.sizes[op.size];
  const double cost_end = begin + (kind.overhead + static_cast<double>(bytes) * kind.seconds_per_byte);
  std::uint64_t row = 0;
  if (times_) {
    row = times_->first[running_] + worker.ordinal(program_.repeats_of(program_.workers[running_]));
    times_->begin[row] = begin;
    times_->cost_end[row] = cost_end;
    times_->cause[row] = cause;
  }
  ++events_;
  worker.next(program_.operations.data());
  worker.free = cost_end;
  if (cost_end > latest_) note_end(with_decision(running_, worker.decisions), cost_end);
  if (receive != kNone) taken_bytes_ += bytes;
  if (send) sent_bytes_ += bytes;
  if (send && send->routed) {
    const Transfer transfer{cost_end + send->route_latency, bytes, row, kind.cap, receive, 0};
    if (send->shared != kNone)
      share(worker, *send, transfer);
    else
      move_alone(worker, *send, transfer);
    return;
  }
  if (times_) times_->done[row] = cost_end;
  if (receive != kNone) release(receive, cost_end);
  if (send) post(number_of(*send), cost_end);
}

/// A transfer on links of its own ends at a known time.
void FlowRun::move_alone(WorkerRun& worker, EdgeRun& send, const Transfer& transfer) {
  double start = transfer.ready;
  if (send.mode == TransferMode::detached_ordered && send.last_end > start) {
    if (later(send.last_end, start)) worker.decisions = with_decision(worker.decisions, 4);
    start = send.last_end;
  }
  const double rate = std::min(setup_.caps[transfer.cap], send.capacity);
  const double end = transfer.bytes == 0 ? start : start + static_cast<double>(transfer.bytes) / rate;
  send.last_end = end;
  if (send.mode == TransferMode::attached) worker.free = end;
  if (times_) {
    times_->transfer[transfer.row] = start;
    times_->done[transfer.row] = end;
    const std::uint32_t slot = setup_.edges[number_of(send)].first_slot;
    if (transfer.bytes > 0) recorder_->alone(transfer.row, slot, start, rate, setup_.caps[transfer.cap]);
  }
  if (transfer.receive != kNone) release(transfer.receive, end);
  post(number_of(send), end);
}

/// A transfer that depends on others is begun by an event, unless its time is now.
void FlowRun::share(WorkerRun& worker, EdgeRun& send, const Transfer& transfer) {
  SharedEdge& shared = shared_[send.shared];
  Transfer& entry = entries_[shared.first_entry + (shared.sent & shared.mask)];
  entry = transfer;
  entry.number = shared.sent++;
  worker.held = send.mode == TransferMode::attached;
  if (shared.sent - shared.ready > 1) return;  // behind one whose time has not come
  if (transfer.ready > now_)
    queue_.schedule(send.shared, transfer.ready);
  else
    reach_the_wire(send.shared);
}

/// The time of the next entry has come. Times of entries never fall.
void FlowRun::reach_the_wire(std::uint32_t s) {
  SharedEdge& shared = shared_[s];
  do {
    ++events_;
    ++shared.ready;
  } while (shared.ready != shared.sent &&
           entries_[shared.first_entry + (shared.ready & shared.mask)].ready <= now_);
  if (shared.ready != shared.sent)
    queue_.schedule(s, entries_[shared.first_entry + (shared.ready & shared.mask)].ready);
  occupy_slots(shared);
}

void FlowRun::occupy_slots(SharedEdge& shared) {
  for (std::uint32_t i = shared.first_slot; shared.begun != shared.ready;) {
    const Transfer& transfer = entries_[shared.first_entry + (shared.begun & shared.mask)];
    while (i < shared.first_slot + shared.slots && slots_[i].used) ++i;
    if (i == shared.first_slot + shared.slots) return;
    shared.decisions = with_decision(shared.decisions, later(now_, transfer.ready) ? 1 : 2);
    ++shared.begun;
    if (times_) times_->transfer[transfer.row] = now_;
    if (transfer.bytes == 0) {
      finish(shared, Transfer(transfer));
      continue;
    }
    Slot& slot = slots_[i];
    slot.used = true;
    slot.transfer = transfer;
    slot.remaining = static_cast<double>(transfer.bytes);
    slot.since = now_;
    sharing_.start(i, transfer.cap);
  }
}

void FlowRun::end_transfer(std::uint32_t i) {
  Slot& slot = slots_[i];
  sharing_.stop(i);
  slot.used = false;
  SharedEdge& shared = shared_[slot.edge];
  finish(shared, slot.transfer);
  occupy_slots(shared);
}

void FlowRun::finish(SharedEdge& shared, const Transfer& transfer) {
  const EdgeRun& edge = edges_[shared.edge];
  shared.decisions = with_decision(shared.decisions, transfer.number + std::uint64_t{3});
  if (times_) {
    times_->done[transfer.row] = now_;
    recorder_->ended(transfer.row, shared.first_slot, shared.slots);
  }
  if (edge.mode == TransferMode::attached) {
    WorkerRun& worker = workers_[edge.from];
    worker.held = false;
    worker.free = now_;
    if (edge.from != running_) enqueue(edge.from);
  }
  if (transfer.receive != kNone) release(transfer.receive, now_);
  post(shared.edge, now_);
}

void FlowRun::wake_if_waiting(std::uint32_t w, std::uint32_t e) {
  if (workers_[w].waits_on != e) return;
  workers_[w].waits_on = kNone;
  enqueue(w);
}

void FlowRun::post(std::uint32_t e, double time) {
  EdgeRun& edge = edges_[e];
  const double arrival = time + edge.latency;
  if (arrival > latest_) note_end(std::uint64_t{e} << 32 | edge.arrived, arrival);
  if (edge.arrived - edge.taken > edge.mask) grow(edge);
  times_of_slices_[edge.arrivals + (edge.arrived++ & edge.mask)] = arrival;
  wake_if_waiting(edge.to, e);
}

/// Doubles a full ring in the room that it has: what lies in the odd half of the new one moves there.
void FlowRun::grow(EdgeRun& edge) {
  const std::uint32_t old = edge.mask + 1;
  double* ring = &times_of_slices_[edge.arrivals];
  for (std::uint32_t slice = edge.taken; slice != edge.arrived; ++slice)
    if (slice & old) ring[(slice & edge.mask) + old] = ring[slice & edge.mask];
  edge.mask += old;
}

void FlowRun::release(std::uint32_t e, double time) {
  const EdgeRun& edge = edges_[e];
  if (edge.release_node == kNone || time <= now_) return note_release(e, time);
  // Releases of such an edge do not come in order: each waits for its time, so that they are noted in order.
  std::uint32_t node = edge.release_node;
  while (queue_.pending(node)) ++node;
  queue_.schedule(node, time);
}

void FlowRun::note_release(std::uint32_t e, double time) {
  EdgeRun& edge = edges_[e];
  if (edge.releases != kNone) times_of_slices_[edge.releases + (edge.released & edge.mask)] = time;
  ++edge.released;
  wake_if_waiting(edge.from, e);
}

void FlowRun::handle(std::uint32_t node) {
  if (node < shared_.size()) return reach_the_wire(node);
  ++events_;
  if (node < shared_.size() + slots_.size())
    end_transfer(node - static_cast<std::uint32_t>(shared_.size()));
  else
    note_release(release_edge_[node - shared_.size() - slots_.size()], now_);
}

void FlowRun::record_rates(std::span<const std::uint32_t> changed) {
  for (const std::uint32_t i : changed) {
    const Transfer& transfer = slots_[i].transfer;
    if (slots_[i].used) recorder_->set(transfer.row, i, sharing_.rate(i), setup_.caps[transfer.cap]);
  }
  recorder_->settle(now_);
}

void FlowRun::update_rates() {
  const std::span<const std::uint32_t> changed = sharing_.solve();
  if (times_) record_rates(changed);
  for (const std::uint32_t i : changed) {
    Slot& slot = slots_[i];
    if (!slot.used) continue;
    slot.remaining = std::max(0.0, slot.remaining - sharing_.previous_rate(i) * (now_ - slot.since));
    slot.since = now_;
    const auto node = static_cast<std::uint32_t>(shared_.size()) + i;
    queue_.cancel(node);
    queue_.schedule(node, now_ + slot.remaining / sharing_.rate(i));
  }
}

/// Parts begin at time 0 each, as if alone.
void FlowRun::run_part(const IndependentPart& part, bool skip) {
  now_ = latest_ = 0;
  last_ = 0;
  rounds_ = part.shared.empty();
  steady_.reset();
  if (skip && !steady_.emplace(state(), part).worthwhile()) steady_.reset();
  for (const std::uint32_t w : part.workers) enqueue(w);
  drain();
  update_rates();
  while (!queue_.empty()) {
    now_ = queue_.next_time();
    for (std::uint32_t node = queue_.pop_at(now_); node != EventQueue::kNone; node = queue_.pop_at(now_))
      handle(node);
    drain();
    update_rates();
    if (steady_) steady_->observe();
  }
  if (steady_) skipped_ += steady_->skipped();
  if (steady_) skips_ = with_decision(skips_, steady_->decisions());
}

RunResult FlowRun::run(bool skip) {
  double end = 0;
  std::uint64_t last = 0, number = 0;
  for (const IndependentPart& part : independent_parts(workers_.size(), edges_, shared_, sharing_)) {
    run_part(part, skip);
    ++number;
    if (later(latest_, end)) last = with_decision(number, last_);
    end = std::max(end, latest_);
  }
  latest_ = end;
  last_ = last;
  if (std::ranges::any_of(workers_, [](const WorkerRun& worker) { return worker.left != 0; })) {
    RunResult result;
    result.seconds = latest_;
    result.events = events_;
    result.stuck = explain_stuck(program_, workers_, edges_, latest_);
    return result;
  }
  prove_end();
  return totals();
}

/// Every slice was delivered and taken, with the bytes that its receiver expects.
void FlowRun::prove_end() const {
  for (const EdgeRun& edge : edges_)
    CALIPER_CHECK(edge.arrived == edge.sent && edge.taken == edge.sent && edge.released == edge.sent);
  CALIPER_CHECK(sent_bytes_ == taken_bytes_);
}

std::uint64_t FlowRun::decisions() const {
  if (!release_edge_.empty()) return 0;  // the order of releases is a decision too
  std::uint64_t hash = with_decision(with_decision(sharing_.decisions(), last_), skips_);
  for (const WorkerRun& worker : workers_) hash = with_decision(hash, worker.decisions);
  for (const SharedEdge& shared : shared_) hash = with_decision(hash, shared.decisions);
  return std::max<std::uint64_t>(hash, 1);
}

RunResult FlowRun::totals() const {
  RunResult result;
  result.seconds = latest_;
  result.events = events_;
  result.shared = !shared_.empty();
  result.decisions = decisions();
  result.skipped = skipped_;
  for (const ProgramWorker& worker : program_.workers)
    for (const Repeat& repeat : program_.repeats_of(worker)) {
      const std::uint64_t times = std::uint64_t{repeat.times} * worker.stands_for;
      result.operations += repeat.count * times;
      for (std::uint32_t i = repeat.first; i < repeat.first + repeat.count; ++i) {
        const Operation& op = program_.operations[i];
        if (op.send == kNoPort || op.size == kOnlyWaits) continue;
        result.slices += times;
        result.bytes += times * program_.bytes_of(worker, op);
      }
    }
  return result;
}

}  // namespace

RunResult run_flow_level(const Program& program, std::span<const double> numbers, OperationTimes* times) {
  return FlowRun(program, numbers, times).run(false);
}

RunResult run_to_steady_state(const Program& program, std::span<const double> numbers) {
  return FlowRun(program, numbers, nullptr).run(true);
}

}  // namespace caliper
