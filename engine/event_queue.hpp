// Pending events in a total order: by time, then by key. An implicit 4-ary heap in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace caliper {

struct Event {
  double time;  ///< s
  std::uint64_t
      key;  ///< breaks ties: the order of simultaneous events is a property of the program, not of history
};

class EventQueue {
 public:
  void reserve(std::size_t events) { heap_.reserve(events); }
  bool full() const { return heap_.size() == heap_.capacity(); }
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Event& top() const { return heap_.front(); }

  void push(Event event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!before(event, heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  void pop() {
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(0, last);
  }

  /// Forgets the events whose key the predicate names. Cost: O(size).
  template <class Predicate>
  void remove_if(Predicate outdated) {
    std::erase_if(heap_, [&](const Event& event) { return outdated(event.key); });
    for (std::size_t at = heap_.size() / kArity + 1; at-- > 0;)
      if (at < heap_.size()) sink(at, heap_[at]);
  }

 private:
  static constexpr std::size_t kArity = 4;
  static bool before(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.key < b.key;
  }

  void sink(std::size_t at, Event last) {
    for (std::size_t child = at * kArity + 1; child < heap_.size(); child = at * kArity + 1) {
      const std::size_t end = child + kArity < heap_.size() ? child + kArity : heap_.size();
      std::size_t least = child;
      for (std::size_t c = child + 1; c < end; ++c)
        if (before(heap_[c], heap_[least])) least = c;
      if (!before(heap_[least], last)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = last;
  }

  std::vector<Event> heap_;
};

}  // namespace caliper
