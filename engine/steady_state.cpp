#include "engine/steady_state.hpp"

#include <algorithm>
#include <cmath>

namespace caliper {
namespace {

/// A repetition that is worth watching: looking costs as much as some steps.
constexpr std::uint32_t kLong = 256;
constexpr double kSame = 1e-12;
constexpr std::size_t kMostCandidates = 4;  // rings do their loops at about the same time

}  // namespace

SteadyState::SteadyState(const FlowState& state) : state_(state) {
  for (const WorkerRun& worker : state_.workers)
    for (const Repeat* repeat = worker.repeat; repeat != worker.repeats_end; ++repeat)
      if (repeat->times >= kLong && candidates_.size() < kMostCandidates &&
          (candidates_.empty() || candidates_.back() != &worker))
        candidates_.push_back(&worker);
}

/// Everything that the next steps depend on, in a fixed order; times and amounts may be changed. Ends where
/// go_on() is false.
template <class Places, class Times, class Amounts, class GoOn>
void SteadyState::visit(Places places, Times times, Amounts amounts, GoOn go_on) {
  for (WorkerRun& worker : state_.workers) {
    if (!go_on()) return;
    places(static_cast<std::uint64_t>(worker.repeats_end - worker.repeat) << 32 |
           static_cast<std::uint64_t>(worker.end - worker.at));
    places(std::uint64_t{worker.waits_on} << 1 | std::uint64_t{worker.held});
    times(worker.free);
  }
  for (EdgeRun& edge : state_.edges) {
    if (!go_on()) return;
    places(std::uint64_t{edge.sent - edge.taken} << 32 | (edge.sent - edge.arrived));
    const std::uint32_t begun =
        std::min(edge.sent, edge.window);  // from its window on a sender needs credits
    places(std::uint64_t{edge.sent - edge.released} << 32 | (edge.releases == kNone ? 0 : begun));
    for (std::uint32_t slice = edge.taken; slice != edge.arrived; ++slice)
      times(state_.times_of_slices[edge.arrivals + (slice & edge.mask)]);
    if (edge.releases != kNone)
      for (std::uint32_t credit = edge.sent - begun; credit != edge.released; ++credit)
        times(state_.times_of_slices[edge.releases + (credit & edge.mask)]);
    if (edge.last_end > 0) times(edge.last_end);
  }
  for (SharedEdge& shared : state_.shared) {
    if (!go_on()) return;
    places(std::uint64_t{shared.sent - shared.ready} << 32 | (shared.sent - shared.begun));
    for (std::uint32_t i = shared.begun; i != shared.sent; ++i) {
      Transfer& transfer = state_.entries[shared.first_entry + (i & shared.mask)];
      places(transfer.bytes);
      places(std::uint64_t{transfer.cap} << 32 | transfer.receive);
      times(transfer.ready);
    }
  }
  for (Slot& slot : state_.slots) {
    places(slot.used);
    if (!slot.used) continue;
    places(slot.transfer.bytes);
    places(std::uint64_t{slot.transfer.cap} << 32 | slot.transfer.receive);
    times(slot.since);
    amounts(slot.remaining, static_cast<double>(slot.transfer.bytes));
  }
  for (std::uint32_t i = state_.ready_first; i != state_.ready_last; ++i)
    places(state_.ready_workers[i & (state_.ready_workers.size() - 1)]);
  for (std::uint32_t node = 0; node < state_.queue.nodes(); ++node) {
    places(state_.queue.pending(node));
    if (!state_.queue.pending(node)) continue;
    double time = state_.queue.time_of(node);
    times(time);
  }
  if (!state_.shared.empty()) times(state_.now);
  times(state_.latest);
}

/// The first worker in a long repetition; false where there is none.
bool SteadyState::choose_watched() {
  for (const WorkerRun* worker : candidates_)
    if (worker->left >= kLong) {
      watched_ = worker;
      repetition_ = worker->repeat;
      left_ = worker->left;
      observed_ = saved_at_ = lag_ = 0;
      next_save_ = 1;
      return true;
    }
  return false;
}

void SteadyState::take() {
  saved_.places.clear();
  saved_.times.clear();
  saved_.amounts.clear();
  saved_.left.clear();
  visit([&](std::uint64_t place) { saved_.places.push_back(place); },
        [&](double time) { saved_.times.push_back(time); },
        [&](double amount, double) { saved_.amounts.push_back(amount); }, [] { return true; });
  for (const WorkerRun& worker : state_.workers) saved_.left.push_back(worker.left);
  saved_.base = watched_->free;
  saved_at_ = observed_;
}

/// Whether the state is the saved one, some time later.
bool SteadyState::repeats() {
  const double base = watched_->free, shift = base - saved_.base;
  std::size_t place = 0, time = 0, amount = 0;
  bool same = true;
  visit(
      [&](std::uint64_t value) {
        same = same && place < saved_.places.size() && saved_.places[place] == value;
        ++place;
      },
      [&](double value) {
        same = same && time < saved_.times.size() &&
               std::abs(value - saved_.times[time] - shift) <= kSame * base;
        ++time;
      },
      [&](double value, double of) {
        same =
            same && amount < saved_.amounts.size() && std::abs(value - saved_.amounts[amount]) <= kSame * of;
        ++amount;
      },
      [&] { return same; });
  return same && place == saved_.places.size();
}

void SteadyState::observe() {
  if (!watched_ || watched_->repeat != repetition_ || watched_->left == 0) {
    watched_ = nullptr;
    if (!choose_watched()) return;
  }
  if (watched_->left == left_) return;
  left_ = watched_->left;
  ++observed_;
  if (saved_at_ > 0 && (lag_ == 0 || observed_ - saved_at_ == lag_) && repeats()) {
    const double shift = watched_->free - saved_.base;
    if (lag_ > 0 && std::abs(shift - period_) <= 2 * kSame * watched_->free) return skip(shift);
    lag_ = observed_ - saved_at_;
    period_ = shift;
    return take();
  }
  if (lag_ > 0 && observed_ - saved_at_ >= lag_) lag_ = 0;  // it did not repeat a second time
  if (lag_ == 0 && observed_ >= next_save_) {
    next_save_ *= 2;  // so that a saved state is as old as the longest period that can be seen
    take();
  }
}

/// Moves everything on by as many periods as all workers have left in their bodies.
void SteadyState::skip(double period) {
  std::uint32_t periods = kNone;
  for (std::size_t w = 0; w < state_.workers.size(); ++w) {
    const std::uint32_t done = saved_.left[w] - state_.workers[w].left;  // in a period
    if (done > 0) periods = std::min(periods, (state_.workers[w].left - 1) / done);
  }
  watched_ = nullptr;
  if (periods == kNone || periods < 2) return;
  --periods;  // the last one is computed
  const double shift = periods * period;
  visit([](std::uint64_t) {}, [&](double& time) { time += shift; }, [](double, double) {},
        [] { return true; });
  state_.queue.shift(shift);
  for (std::size_t w = 0; w < state_.workers.size(); ++w) {
    WorkerRun& worker = state_.workers[w];
    const std::uint32_t done = saved_.left[w] - worker.left;
    worker.left -= periods * done;
    skipped_ += std::uint64_t{periods} * done * worker.body;
  }
}

}  // namespace caliper
