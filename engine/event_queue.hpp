// Pending events in order of time. Who may have an event is known from the start: a fixed set of nodes, each
// with at most one event pending.
//
// Simulated machines are regular and events of one time are many, so events are kept in a bucket for each
// distinct time, and only the buckets are ordered, by an implicit 4-ary heap. A bucket is found by a small
// cache of times; where the cache forgets one, two buckets of the same time exist, which costs a heap
// operation and nothing else. Within a time the order is that of scheduling: a property of the program.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace caliper {

class EventQueue {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  explicit EventQueue(std::uint32_t nodes)
      : nodes_(nodes, Node{kNone, kNone, kNone}), buckets_(2 * std::size_t{nodes} + 16), cache_(kCache, 0) {
    heap_.reserve(buckets_.size());
    free_.reserve(buckets_.size());
    for (std::size_t b = buckets_.size(); b-- > 0;) free_.push_back(static_cast<std::uint32_t>(b));
  }

  bool empty() {
    drop_empty_buckets();
    return heap_.empty();
  }
  /// Of the earliest event; the queue is not empty.
  double next_time() {
    drop_empty_buckets();
    return heap_.front().time;
  }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  bool pending(std::uint32_t node) const { return nodes_[node].bucket != kNone; }
  /// Of a pending node.
  double time_of(std::uint32_t node) const { return buckets_[nodes_[node].bucket].time; }

  /// The node is not pending. Nothing is allocated.
  void schedule(std::uint32_t node, double time) {
    const std::uint32_t b = bucket_of(time);
    Bucket& bucket = buckets_[b];
    nodes_[node] = {bucket.last, kNone, b};
    (bucket.last == kNone ? bucket.first : nodes_[bucket.last].next) = node;
    bucket.last = node;
  }

  /// Forgets the node's event, if it has one.
  void cancel(std::uint32_t node) {
    Node& n = nodes_[node];
    if (n.bucket == kNone) return;
    Bucket& bucket = buckets_[n.bucket];
    (n.previous == kNone ? bucket.first : nodes_[n.previous].next) = n.next;
    (n.next == kNone ? bucket.last : nodes_[n.next].previous) = n.previous;
    n.bucket = kNone;
  }

  /// Takes the first scheduled event of this time, the earliest there is; kNone where there is no other.
  std::uint32_t pop_at(double time) {
    while (!heap_.empty() && heap_.front().time == time) {
      Bucket& bucket = buckets_[heap_.front().bucket];
      const std::uint32_t node = bucket.first;
      if (node != kNone) {
        Node& n = nodes_[node];
        bucket.first = n.next;
        (n.next == kNone ? bucket.last : nodes_[n.next].previous) = kNone;
        n.bucket = kNone;
        return node;
      }
      if (!second_has(time)) return kNone;  // what is scheduled next takes the place of the empty bucket
      drop_empty_buckets();
    }
    return kNone;
  }

  /// Moves all events by the same time.
  void shift(double seconds) {
    for (Entry& entry : heap_) {
      entry.time += seconds;
      buckets_[entry.bucket].time = entry.time;
    }
  }

 private:
  struct Node {
    std::uint32_t previous, next, bucket;  // bucket kNone: not pending
  };
  struct Bucket {
    double time = std::numeric_limits<double>::quiet_NaN();  // NaN: free
    std::uint32_t first = kNone, last = kNone;
  };
  struct Entry {
    double time;
    std::uint64_t serial;
    std::uint32_t bucket;
  };
  static constexpr std::size_t kArity = 4, kCache = 64;

  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.serial < b.serial;
  }
  static std::size_t cache_row(double time) {
    return static_cast<std::size_t>((std::bit_cast<std::uint64_t>(time) * 0x9e3779b97f4a7c15u) >> 58);
  }

  std::uint32_t bucket_of(double time) {
    std::uint32_t& cached = cache_[cache_row(time)];
    if (buckets_[cached].time == time) return cached;
    if (free_.empty()) purge();
    cached = free_.back();
    free_.pop_back();
    buckets_[cached] = {time, kNone, kNone};
    push({time, serial_++, cached});
    return cached;
  }

  void release(std::uint32_t bucket) {
    buckets_[bucket].time = std::numeric_limits<double>::quiet_NaN();
    free_.push_back(bucket);
  }

  void drop_empty_buckets() {
    while (!heap_.empty() && buckets_[heap_.front().bucket].first == kNone) {
      release(heap_.front().bucket);
      const Entry last = heap_.back();
      heap_.pop_back();
      if (!heap_.empty()) sink(0, last);
    }
  }

  /// Frees the buckets that cancelling has emptied: at most as many as there are nodes are not empty.
  void purge() {
    std::size_t kept = 0;
    for (const Entry& entry : heap_) {
      if (buckets_[entry.bucket].first == kNone)
        release(entry.bucket);
      else
        heap_[kept++] = entry;
    }
    heap_.resize(kept);
    for (std::size_t at = heap_.size() / kArity + 1; at-- > 0;)
      if (at < heap_.size()) sink(at, heap_[at]);
  }

  /// Whether a bucket behind the first has this time, the earliest.
  bool second_has(double time) const {
    for (std::size_t child = 1; child < heap_.size() && child <= kArity; ++child)
      if (heap_[child].time == time) return true;
    return false;
  }

  void push(Entry entry) {
    if (!heap_.empty() && buckets_[heap_.front().bucket].first == kNone) {
      release(heap_.front().bucket);
      return sink(0, entry);
    }
    std::size_t at = heap_.size();
    heap_.push_back(entry);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!before(entry, heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = entry;
  }

  void sink(std::size_t at, Entry last) {
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

  std::vector<Node> nodes_;
  std::vector<Bucket> buckets_;
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> free_, cache_;  // cache_: the bucket that a time was last seen in
  std::uint64_t serial_ = 0;
};

}  // namespace caliper
