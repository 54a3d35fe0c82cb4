// The state of a run at flow level, as plain rows.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/event_queue.hpp"
#include "engine/program.hpp"

namespace caliper {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct WorkerRun {
  double free = 0;  ///< s, when it can begin its next operation
  const Operation* at = nullptr;
  const Operation* end = nullptr;  ///< of the body that it is in
  std::uint32_t body = 0;          ///< operations of that body
  std::uint32_t left = 0;          ///< times that it is still to be done, this one included; 0: all is done
  const Repeat* repeat = nullptr;
  const Repeat* repeats_end = nullptr;
  const std::uint64_t* sizes = nullptr;
  const EdgeId* ports = nullptr;
  std::uint64_t decisions = 0;     ///< hash of which of its waits ended last, operation by operation
  std::uint32_t waits_on = kNone;  ///< edge
  bool held = false;               ///< by a transfer whose end is not known yet

  void enter_body(const Operation* operations) {
    if (repeat == repeats_end) return;
    body = repeat->count;
    left = repeat->times;
    at = operations + repeat->first;
    end = at + body;
  }
  void next(const Operation* operations) {
    if (++at != end) return;
    at -= body;
    if (--left > 0) return;
    ++repeat;
    enter_body(operations);
  }
  /// Operations that it has begun, which are not all done.
  /// @param repeats  of the worker
  std::uint64_t ordinal(std::span<const Repeat> repeats) const {
    std::uint64_t before = 0;
    for (const Repeat& r : repeats) {
      if (&r == repeat)
        return before + std::uint64_t{r.times - left} * r.count +
               static_cast<std::uint64_t>(at - (end - body));
      before += std::uint64_t{r.times} * r.count;
    }
    return before;
  }
};

/// How far sender and receiver are, in slices, modulo 2^32. What is known may lie ahead of the clock.
struct EdgeRun {
  std::uint32_t sent = 0;      ///< begun by the sender
  std::uint32_t arrived = 0;   ///< whose time of arrival is known
  std::uint32_t taken = 0;     ///< begun by the receiver
  std::uint32_t released = 0;  ///< whose time of release is known
  std::uint32_t window = 0;
  std::uint32_t mask = 0;          ///< of both rings of times
  std::uint32_t arrivals = 0;      ///< row of times_of_slices_
  std::uint32_t releases = kNone;  ///< likewise; kNone: more credits than slices, nobody ever waits for one
  std::uint32_t from = 0, to = 0;  ///< workers
  std::uint32_t shared = kNone;    ///< row of shared_; kNone: transfers depend on no others
  std::uint32_t release_node = kNone;  ///< first of `window` nodes: releases may come out of order
  TransferMode mode = TransferMode::attached;
  bool routed = false;
  double latency = 0, route_latency = 0;
  double capacity = 0;  ///< bytes/s for its own transfers, where not shared
  double last_end = 0;  ///< s, of its last transfer, where not shared
};

/// A transfer that was begun, or will be.
struct Transfer {
  double ready = 0;  ///< s, when it may take bandwidth
  std::uint64_t bytes = 0;
  std::uint64_t row = 0;          ///< of OperationTimes
  std::uint32_t cap = 0;          ///< row of FlowSetup::caps
  std::uint32_t receive = kNone;  ///< edge whose slice it holds
  std::uint32_t number = 0;       ///< on its edge
};

/// An edge whose transfers share links. Its transfers are begun in order; entries [begun, ready) wait for a
/// slot, [ready, sent) for their time.
struct SharedEdge {
  std::uint32_t edge = 0;
  std::uint32_t first_slot = 0, slots = 0;
  std::uint32_t first_entry = 0, mask = 0;
  std::uint32_t sent = 0, ready = 0, begun = 0;
  std::uint64_t decisions = 0;  ///< hash of which transfers waited for others, and of their order in the end
};

/// Room for one transfer.
struct Slot {
  double remaining = 0;        ///< bytes at `since`
  double since = 0;            ///< s
  std::uint32_t edge = kNone;  ///< row of shared_
  bool used = false;
  Transfer transfer;
};

/// All of it, for those who look at a run from outside.
struct FlowState {
  std::vector<WorkerRun>& workers;
  std::vector<EdgeRun>& edges;
  double* times_of_slices;  ///< rings of arrivals and releases
  std::vector<SharedEdge>& shared;
  std::vector<Transfer>& entries;  ///< rings of shared edges
  std::vector<Slot>& slots;
  std::vector<std::uint32_t>& ready_workers;  ///< ring of a power of two
  const std::uint32_t& ready_first;
  const std::uint32_t& ready_last;
  EventQueue& queue;
  double& now;     ///< s
  double& latest;  ///< s, the latest end so far
};

}  // namespace caliper
