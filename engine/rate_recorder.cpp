#include "engine/rate_recorder.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace caliper {
namespace {

/// Rates that are equal on paper are what is left of links after others, and so may differ by rounding.
constexpr double kOneAndRounding = 1 + 1e-9;

}  // namespace

RateRecorder::RateRecorder(SharingProblem problem, OperationTimes& times)
    : problem_(std::move(problem)),
      times_(times),
      moving_(problem_.slots()),
      crossing_first_(problem_.capacity.size() + 1, 0),
      crossings_(problem_.path_links.size()),
      link_touched_(problem_.capacity.size(), 0),
      slot_touched_(problem_.slots(), 0) {
  for (const std::uint32_t link : problem_.path_links) ++crossing_first_[link + 1];
  for (std::size_t link = 0; link < problem_.capacity.size(); ++link)
    crossing_first_[link + 1] += crossing_first_[link];
  std::vector<std::uint32_t> next(crossing_first_.begin(), crossing_first_.end() - 1);
  for (std::uint32_t slot = 0; slot < problem_.slots(); ++slot)
    for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop)
      crossings_[next[problem_.path_links[hop]]++] = {slot, problem_.path_users[hop]};
}

/// Of equal ones the cap, then the link that comes first in the path.
RateRecorder::Limit RateRecorder::limit_of(std::uint32_t slot) const {
  const Moving& own = moving_[slot];
  if (own.rate == own.cap) return {LinkId{}, true};
  // Max-min fairness: a transfer below its cap is among the fastest of a full link.
  Limit among_others{LinkId{}, false};
  for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop) {
    const std::uint32_t link = problem_.path_links[hop];
    double users = 0, load = 0;
    bool alike = true, fastest = true;
    for (std::uint32_t c = crossing_first_[link]; c < crossing_first_[link + 1]; ++c) {
      const Moving& other = moving_[crossings_[c].slot];
      if (other.rate == 0) continue;
      users += crossings_[c].users;
      load += crossings_[c].users * other.rate;
      alike &= other.rate == own.rate;
      fastest &= other.rate <= own.rate * kOneAndRounding;
    }
    if (alike && problem_.capacity[link] / users == own.rate) return {LinkId{link}, true};
    const bool full = load * kOneAndRounding >= problem_.capacity[link];
    if (fastest && full && !among_others.link.valid()) among_others.link = {link};
  }
  CALIPER_CHECK(among_others.link.valid());
  return among_others;
}

void RateRecorder::alone(std::uint64_t row, std::uint32_t slot, double begin, double rate, double cap) {
  moving_[slot] = {row, rate, cap};
  note(slot, begin);
  moving_[slot] = {};
}

void RateRecorder::touch(std::uint32_t slot) {
  if (!std::exchange(slot_touched_[slot], 1)) touched_slots_.push_back(slot);
  for (std::uint32_t hop = problem_.path_first[slot]; hop < problem_.path_first[slot + 1]; ++hop)
    if (!std::exchange(link_touched_[problem_.path_links[hop]], 1))
      touched_links_.push_back(problem_.path_links[hop]);
}

void RateRecorder::set(std::uint64_t row, std::uint32_t slot, double rate, double cap) {
  moving_[slot] = {row, rate, cap};
  touch(slot);
}

void RateRecorder::ended(std::uint64_t row, std::uint32_t first_slot, std::uint32_t slots) {
  for (std::uint32_t slot = first_slot; slot < first_slot + slots; ++slot) {
    if (moving_[slot].rate == 0 || moving_[slot].row != row) continue;
    moving_[slot] = {};
    touch(slot);
  }
}

void RateRecorder::settle(double now) {
  for (const std::uint32_t link : touched_links_) {
    link_touched_[link] = 0;
    for (std::uint32_t c = crossing_first_[link]; c < crossing_first_[link + 1]; ++c)
      if (!std::exchange(slot_touched_[crossings_[c].slot], 1)) touched_slots_.push_back(crossings_[c].slot);
  }
  touched_links_.clear();
  for (const std::uint32_t slot : touched_slots_) {
    slot_touched_[slot] = 0;
    if (moving_[slot].rate != 0) note(slot, now);
  }
  touched_slots_.clear();
}

void RateRecorder::note(std::uint32_t slot, double now) {
  const Moving& moving = moving_[slot];
  const Limit limit = limit_of(slot);
  std::uint64_t& last = times_.last_period[moving.row];
  if (last != OperationTimes::kNoPeriod) {
    const RatePeriod& before = times_.periods[last];
    if (before.rate == moving.rate && before.link == limit.link && before.plain == limit.plain) return;
  }
  times_.periods.push_back({now, moving.rate, limit.link, limit.plain, last});
  last = times_.periods.size() - 1;
}

}  // namespace caliper
