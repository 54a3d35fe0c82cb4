#include "tests/support/event_by_event.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>

namespace caliper::testing {
namespace {

struct Moving {  // a transfer that takes bandwidth
  std::uint32_t edge;
  UnrolledOperation op;
  double left, cap, rate = 0;
};

struct Edge {
  std::uint64_t sent = 0, arrived = 0, taken = 0, released = 0;
  std::deque<UnrolledOperation> queue;  // ordered: behind the one that moves
  bool moving = false;
};

struct Worker {
  std::vector<UnrolledOperation> operations;
  std::size_t next = 0;
  bool busy = false;
};

class Run {
 public:
  Run(const Program& program, std::span<const double> numbers) : p_(program), numbers_(numbers) {
    edges_.resize(p_.edges.size());
    for (std::uint32_t w = 0; w < p_.workers.size(); ++w) workers_.push_back({p_.unroll({w})});
  }

  double completion() {
    for (std::uint32_t w = 0; w < workers_.size(); ++w) begin(w);
    solve();
    for (;;) {
      const double event = events_.empty() ? kInfinite : events_.begin()->first;
      double end = kInfinite;
      for (const Moving& m : moving_) end = std::min(end, now_ + m.left / m.rate);
      const double next = std::min(event, end);
      if (next == kInfinite) break;
      // What ends together by the arithmetic of paper ends together here, rounding or not.
      std::vector<Moving> ended;
      for (Moving& m : moving_) m.left = std::max(0.0, m.left - m.rate * (next - now_));
      now_ = next;
      std::erase_if(moving_, [&](const Moving& m) {
        const bool over = m.left <= 1e-9 * m.rate * now_ * 1e-3;
        if (over) ended.push_back(m);
        return over;
      });
      for (const Moving& m : ended) transfer_ended(m.edge, m.op);
      while (!events_.empty() && events_.begin()->first <= now_) {
        const auto event_now = std::move(events_.begin()->second);
        events_.erase(events_.begin());
        event_now();
      }
      solve();
    }
    for (const Worker& worker : workers_)
      if (worker.next != worker.operations.size()) return std::numeric_limits<double>::quiet_NaN();
    return latest_;
  }

 private:
  double number(ExpressionId id) const { return numbers_[id.v]; }
  void at(double time, std::function<void()> what) { events_.emplace(time, std::move(what)); }

  void begin(std::uint32_t w) {
    Worker& worker = workers_[w];
    if (worker.busy || worker.next == worker.operations.size()) return;
    const UnrolledOperation op = worker.operations[worker.next];
    if (op.receive.valid() && edges_[op.receive.v].arrived == edges_[op.receive.v].taken) return;
    if (op.send.valid() && edges_[op.send.v].sent - edges_[op.send.v].released == p_.edges[op.send.v].window)
      return;
    if (op.only_waits) return go_on(w);
    if (op.receive.valid()) ++edges_[op.receive.v].taken;
    if (op.send.valid()) ++edges_[op.send.v].sent;
    worker.busy = true;
    const CostKind& kind = p_.kinds[op.kind.v];
    const double cost = number(kind.overhead) + static_cast<double>(op.bytes) * number(kind.seconds_per_byte);
    at(now_ + cost, [this, w, op] { cost_ended(w, op); });
  }

  void go_on(std::uint32_t w) {
    workers_[w].busy = false;
    ++workers_[w].next;
    begin(w);
  }

  void cost_ended(std::uint32_t w, const UnrolledOperation& op) {
    latest_ = std::max(latest_, now_);
    if (!op.send.valid() || !p_.edges[op.send.v].route.valid()) {
      finish(op);
      return go_on(w);
    }
    const ProgramEdge& edge = p_.edges[op.send.v];
    at(now_ + number(p_.route_latency[edge.route.v]), [this, op] { ready(op); });
    if (edge.mode != TransferMode::attached) go_on(w);
  }

  void ready(const UnrolledOperation& op) {
    Edge& edge = edges_[op.send.v];
    const bool ordered = p_.edges[op.send.v].mode == TransferMode::detached_ordered;
    if (ordered && edge.moving)
      edge.queue.push_back(op);
    else
      move(op);
  }

  void move(const UnrolledOperation& op) {
    edges_[op.send.v].moving = true;
    if (op.bytes == 0)
      transfer_ended(op.send.v, op);
    else
      moving_.push_back({op.send.v, op, static_cast<double>(op.bytes), number(p_.kinds[op.kind.v].rate_cap)});
  }

  void transfer_ended(std::uint32_t e, const UnrolledOperation& op) {
    edges_[e].moving = false;
    if (!edges_[e].queue.empty()) {
      const UnrolledOperation next = edges_[e].queue.front();
      edges_[e].queue.pop_front();
      move(next);
    }
    finish(op);
    if (p_.edges[e].mode == TransferMode::attached) go_on(p_.edges[e].from.v);
  }

  void finish(const UnrolledOperation& op) {
    latest_ = std::max(latest_, now_);
    if (op.receive.valid()) {
      ++edges_[op.receive.v].released;
      begin(p_.edges[op.receive.v].from.v);
    }
    if (op.send.valid()) {
      const std::uint32_t e = op.send.v;
      at(now_ + number(p_.edges[e].latency), [this, e] {
        ++edges_[e].arrived;
        latest_ = std::max(latest_, now_);
        begin(p_.edges[e].to.v);
      });
    }
  }

  /// Progressive filling over everything that moves.
  void solve() {
    std::vector<double> left, users(p_.links.size(), 0);
    for (const ProgramLink& link : p_.links) left.push_back(number(link.capacity));
    std::vector<char> frozen(moving_.size(), 0);
    const auto for_links = [&](const Moving& m, auto fn) {
      const std::uint32_t route = p_.edges[m.edge].route.v;
      for (std::uint32_t h = p_.route_first[route]; h < p_.route_first[route + 1]; ++h)
        fn(p_.route_links[h].v, p_.users(h));
    };
    for (const Moving& m : moving_) for_links(m, [&](std::uint32_t l, std::uint32_t u) { users[l] += u; });
    for (std::size_t unfrozen = moving_.size(); unfrozen > 0;) {
      double level = kInfinite;
      const auto share = [&](std::uint32_t l) { return left[l] / users[l]; };
      for (std::size_t i = 0; i < moving_.size(); ++i) {
        if (frozen[i]) continue;
        level = std::min(level, moving_[i].cap);
        for_links(moving_[i], [&](std::uint32_t l, std::uint32_t) { level = std::min(level, share(l)); });
      }
      std::vector<std::size_t> now_frozen;
      for (std::size_t i = 0; i < moving_.size(); ++i) {
        if (frozen[i]) continue;
        bool limited = moving_[i].cap == level;
        for_links(moving_[i], [&](std::uint32_t l, std::uint32_t) { limited |= share(l) == level; });
        if (limited) now_frozen.push_back(i);
      }
      for (const std::size_t i : now_frozen) {
        frozen[i] = 1;
        --unfrozen;
        moving_[i].rate = level;
        for_links(moving_[i], [&](std::uint32_t l, std::uint32_t u) {
          left[l] -= u * level;
          users[l] -= u;
        });
      }
    }
  }

  const Program& p_;
  const std::span<const double> numbers_;
  std::vector<Worker> workers_;
  std::vector<Edge> edges_;
  std::vector<Moving> moving_;
  std::multimap<double, std::function<void()>> events_;
  double now_ = 0, latest_ = 0;
};

}  // namespace

double event_by_event(const Program& program, std::span<const double> numbers) {
  return Run(program, numbers).completion();
}

}  // namespace caliper::testing
