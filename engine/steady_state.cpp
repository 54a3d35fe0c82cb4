#include "engine/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace caliper {
namespace {

/// A repetition that is worth watching: looking costs as much as some steps.
constexpr std::uint32_t kLong = 24;
constexpr double kSame = 1e-12;
constexpr std::size_t kMostCandidates = 4;  // rings do their loops at about the same time

/// Whether it is in a long repetition, or will be.
bool has_long_repetition(const WorkerRun& worker) {
  if (worker.left >= kLong) return true;
  return worker.repeat != worker.repeats_end &&
         std::any_of(worker.repeat + 1, worker.repeats_end, [](const Repeat& r) { return r.times >= kLong; });
}

}  // namespace

SteadyState::SteadyState(const FlowState& state, const IndependentPart& part) : state_(state), part_(part) {
  for (const std::uint32_t w : part_.workers | std::views::reverse)
    if (has_long_repetition(state_.workers[w])) candidates_.push_back(&state_.workers[w]);
}

/// Everything that the next steps depend on, in a fixed order; times may be changed. Ends where go_on() is
/// false. What is left of a transfer follows from its end, which is pending, and from who moves beside it.
template <class Places, class Times, class GoOn>
void SteadyState::visit(Places places, Times times, GoOn go_on) {
  const auto pending = [&](std::uint32_t node) {
    places(state_.queue.pending(node));
    if (!state_.queue.pending(node)) return;
    double time = state_.queue.time_of(node);
    times(time);
  };
  for (const std::uint32_t w : part_.workers) {
    if (!go_on()) return;
    WorkerRun& worker = state_.workers[w];
    places(static_cast<std::uint64_t>(worker.repeats_end - worker.repeat) << 32 |
           static_cast<std::uint64_t>(worker.end - worker.at));
    places(std::uint64_t{worker.waits_on} << 1 | std::uint64_t{worker.held});
    times(worker.free);
  }
  for (const std::uint32_t e : part_.edges) {
    if (!go_on()) return;
    EdgeRun& edge = state_.edges[e];
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
    if (edge.release_node != kNone)
      for (std::uint32_t i = 0; i < edge.window; ++i) pending(edge.release_node + i);
  }
  const auto first_slot_node = static_cast<std::uint32_t>(state_.shared.size());
  for (const std::uint32_t row : part_.shared) {
    if (!go_on()) return;
    SharedEdge& shared = state_.shared[row];
    places(std::uint64_t{shared.sent - shared.ready} << 32 | (shared.sent - shared.begun));
    for (std::uint32_t i = shared.begun; i != shared.sent; ++i) {
      Transfer& transfer = state_.entries[shared.first_entry + (i & shared.mask)];
      places(transfer.bytes);
      places(std::uint64_t{transfer.cap} << 32 | transfer.receive);
      times(transfer.ready);
    }
    pending(row);
    for (std::uint32_t i = shared.first_slot; i < shared.first_slot + shared.slots; ++i) {
      Slot& slot = state_.slots[i];
      places(slot.used);
      if (!slot.used) continue;
      places(slot.transfer.bytes);
      places(std::uint64_t{slot.transfer.cap} << 32 | slot.transfer.receive);
      times(slot.since);
      pending(first_slot_node + i);
    }
  }
  for (std::uint32_t i = state_.ready_first; i != state_.ready_last; ++i)
    places(state_.ready_workers[i & (state_.ready_workers.size() - 1)]);
  if (!part_.shared.empty()) times(state_.now);
  times(state_.latest);
}

/// A worker in a long repetition; false where there is none yet.
bool SteadyState::choose_watched() {
  while (!candidates_.empty() && !has_long_repetition(*candidates_.back())) candidates_.pop_back();
  const auto looked_at = candidates_ | std::views::reverse | std::views::take(kMostCandidates);
  const auto found =
      std::ranges::find_if(looked_at, [](const WorkerRun* worker) { return worker->left >= kLong; });
  if (found == looked_at.end()) return false;
  watched_ = *found;
  repetition_ = watched_->repeat;
  left_ = watched_->left;
  observed_ = saved_at_ = lag_ = 0;
  next_save_ = 1;
  return true;
}

void SteadyState::take() {
  saved_.places.clear();
  saved_.times.clear();
  saved_.left.clear();
  visit([&](std::uint64_t place) { saved_.places.push_back(place); },
        [&](double time) { saved_.times.push_back(time); }, [] { return true; });
  for (const std::uint32_t w : part_.workers) saved_.left.push_back(state_.workers[w].left);
  saved_.base = watched_->free;
  saved_at_ = observed_;
}

/// Whether the state is the saved one, some time later.
bool SteadyState::repeats() {
  const double base = watched_->free, shift = base - saved_.base;
  std::size_t place = 0, time = 0;
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
    next_save_ += 1 + observed_ / 4;  // the later, the longer the periods that can be seen
    take();
  }
}

/// Moves everything on by as many periods as all workers have left in their bodies.
void SteadyState::skip(double period) {
  std::uint32_t periods = kNone;
  for (std::size_t i = 0; i < part_.workers.size(); ++i) {
    const WorkerRun& worker = state_.workers[part_.workers[i]];
    const std::uint32_t done = saved_.left[i] - worker.left;  // in a period
    if (done > 0) periods = std::min(periods, (worker.left - 1) / done);
  }
  watched_ = nullptr;
  if (periods == kNone || periods < 2) return;
  --periods;  // the last one is computed
  const double shift = periods * period;
  visit([](std::uint64_t) {}, [&](double& time) { time += shift; }, [] { return true; });
  state_.queue.shift(shift);
  decisions_ = (decisions_ + observed_ + (lag_ << 32) + periods) * 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < part_.workers.size(); ++i) {
    WorkerRun& worker = state_.workers[part_.workers[i]];
    const std::uint32_t done = saved_.left[i] - worker.left;
    worker.left -= periods * done;
    skipped_ += std::uint64_t{periods} * done * worker.body;
  }
}

}  // namespace caliper
