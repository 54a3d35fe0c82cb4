#include "engine/critical_path.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"

namespace caliper {
namespace {

/// Rows of the operations that use an edge.
struct EdgeRows {
  std::vector<std::uint64_t> sent, taken;        ///< in the order of their begin
  std::vector<std::uint64_t> arrived, released;  ///< in the order of their end; empty: the same order
};

/// An operation of the program.
struct Step {
  std::uint32_t worker = 0;
  std::uint64_t row = 0;  ///< of OperationTimes
  KindId kind{};
  EdgeId receive{}, send{};
  std::uint64_t bytes = 0;
  bool only_waits = false;
};

/// What happened last.
struct Last {
  std::uint32_t worker;
  std::uint64_t row;
  bool arrives;  ///< its slice, else the end of its cost
};

class Walk {
 public:
  Walk(const Program& program, std::span<const double> numbers, const OperationTimes& times)
      : p_(program), numbers_(numbers), times_(times), edges_(program.edges.size()) {
    CALIPER_CHECK(numbers.size() == program.expressions.size());
    path_.by_expression.assign(numbers.size(), 0);
    path_.seconds = path_.approximate_seconds = 0;
    list_rows();
    for (EdgeRows& edge : edges_) {
      edge.arrived = by_end(edge.sent);
      edge.released = by_end(edge.taken);
    }
  }

  CriticalPath run() {
    std::optional<Step> step;
    bool to_its_end = false;  // of its transfer; else of its cost alone
    if (last_) {
      step = step_at(last_->worker, last_->row);
      to_its_end = last_->arrives;
    }
    if (to_its_end) add_arrival(*step);
    while (step) {
      if (to_its_end && moves(*step)) {
        add_transfer(*step);
        const double ready = times_.cost_end[step->row] + route_latency(*step);
        if (times_.transfer[step->row] != ready) {
          step = before_on_edge(*step);
          continue;
        }
        add(PathCost::route_latency, p_.route_latency[route_of(*step).v], times_.cost_end[step->row], ready,
            1);
      }
      add_cost(*step);
      step = waited_for(*step, to_its_end);
    }
    std::ranges::reverse(path_.parts);
    return std::move(path_);
  }

 private:
  void list_rows() {
    for (std::uint32_t w = 0; w < p_.workers.size(); ++w) {
      const ProgramWorker& worker = p_.workers[w];
      std::uint64_t row = times_.first[w];
      for (const Repeat& repeat : p_.repeats_of(worker))
        for (std::uint32_t time = 0; time < repeat.times; ++time)
          for (std::uint32_t i = repeat.first; i < repeat.first + repeat.count; ++i, ++row) {
            const Operation& op = p_.operations[i];
            if (op.size == kOnlyWaits) continue;
            if (op.receive != kNoPort) edges_[p_.edge_at(worker, op.receive).v].taken.push_back(row);
            if (op.send != kNoPort) {
              const EdgeId e = p_.edge_at(worker, op.send);
              edges_[e.v].sent.push_back(row);
              consider(times_.done[row] + number(edge(e).latency), w, row, true);
            }
            consider(times_.cost_end[row], w, row, false);
          }
      CALIPER_CHECK(row == times_.first[w + 1]);
    }
  }

  std::vector<std::uint64_t> by_end(std::vector<std::uint64_t> rows) const {
    const auto end = [&](std::uint64_t row) { return times_.done[row]; };
    if (std::ranges::is_sorted(rows, {}, end)) return {};
    std::ranges::stable_sort(rows, {}, end);
    return rows;
  }

  Step step_at(std::uint32_t w, std::uint64_t row) const {
    const ProgramWorker& worker = p_.workers[w];
    std::uint64_t left = row - times_.first[w];
    for (const Repeat& repeat : p_.repeats_of(worker)) {
      const std::uint64_t length = std::uint64_t{repeat.count} * repeat.times;
      if (left >= length) {
        left -= length;
        continue;
      }
      const Operation& op = p_.operations[repeat.first + left % repeat.count];
      return {w,
              row,
              {op.kind},
              p_.edge_at(worker, op.receive),
              p_.edge_at(worker, op.send),
              p_.bytes_of(worker, op),
              op.size == kOnlyWaits};
    }
    CALIPER_CHECK(false && "a row of the worker");
    return {};
  }

  double number(ExpressionId id) const { return numbers_[id.v]; }
  const ProgramEdge& edge(EdgeId id) const { return p_.edges[id.v]; }
  bool moves(const Step& step) const {
    return !step.only_waits && step.send.valid() && edge(step.send).route.valid();
  }
  RouteId route_of(const Step& step) const { return edge(step.send).route; }
  double route_latency(const Step& step) const { return number(p_.route_latency[route_of(step).v]); }
  double arrival(const Step& step) const { return times_.done[step.row] + number(edge(step.send).latency); }

  /// Parts are added in the order of the walk, from the end to the begin.
  void add(PathCost cost, ExpressionId expression, double begin, double end, double derivative,
           bool plain = true, LinkId link = {}) {
    path_.by_expression[expression.v] += derivative;
    if (begin == end) return;
    CALIPER_CHECK(begin < end);
    if (!plain) path_.approximate_seconds += end - begin;
    if (begin + (end - begin) != end) {  // see "Exactness"
      path_.parts.push_back({cost, plain, expression, link, end / 2, end - end / 2});
      end /= 2;
    }
    path_.parts.push_back({cost, plain, expression, link, begin, end - begin});
  }

  void add_arrival(const Step& step) {
    add(PathCost::edge_latency, edge(step.send).latency, times_.done[step.row], arrival(step), 1);
  }

  void add_transfer(const Step& step) {
    const CostKind& kind = p_.kinds[step.kind.v];
    double end = times_.done[step.row];
    std::uint64_t at = times_.last_period[step.row];
    // A rate that changed is nobody's alone.
    const bool constant =
        at == OperationTimes::kNoPeriod || times_.periods[at].previous == OperationTimes::kNoPeriod;
    for (; at != OperationTimes::kNoPeriod; at = times_.periods[at].previous) {
      const RatePeriod& period = times_.periods[at];
      const ExpressionId limit = period.link.valid() ? p_.links[period.link.v].capacity : kind.rate_cap;
      add(period.link.valid() ? PathCost::link : PathCost::rate_cap, limit, period.begin, end,
          -(end - period.begin) / number(limit), constant && period.plain, period.link);
      end = period.begin;
    }
    CALIPER_CHECK(end == times_.transfer[step.row]);
  }

  void add_cost(const Step& step) {
    const CostKind& kind = p_.kinds[step.kind.v];
    const double begin = times_.begin[step.row], end = times_.cost_end[step.row];
    const double between = std::min(end, begin + number(kind.overhead));
    add(PathCost::bytes, kind.seconds_per_byte, between, end, static_cast<double>(step.bytes));
    add(PathCost::overhead, kind.overhead, begin, between, 1);
  }

  /// Of equal ones the first, its arrival before its cost.
  void consider(double time, std::uint32_t w, std::uint64_t row, bool arrives) {
    if (time <= path_.seconds && last_) return;
    path_.seconds = time;
    last_ = {w, row, arrives};
  }

  /// The transfer that the step's waited for.
  Step before_on_edge(const Step& step) const {
    const std::vector<std::uint64_t>& sent = edges_[step.send.v].sent;
    const std::size_t slice = place_of(step.row, sent);
    CALIPER_CHECK(slice > 0 && times_.done[sent[slice - 1]] == times_.transfer[step.row]);
    return step_at(step.worker, sent[slice - 1]);
  }

  /// What ended when the step began, and whether at the end of its transfer. Nothing: the step began at 0.
  std::optional<Step> waited_for(const Step& step, bool& to_its_end) {
    const double begin = times_.begin[step.row];
    to_its_end = true;
    switch (times_.cause[step.row]) {
      case Cause::worker: {
        if (step.row == times_.first[step.worker]) {
          CALIPER_CHECK(begin == 0);
          return std::nullopt;
        }
        const Step before = step_at(step.worker, step.row - 1);
        to_its_end = moves(before) && edge(before.send).mode == TransferMode::attached;
        CALIPER_CHECK(begin == (to_its_end ? times_.done : times_.cost_end)[before.row]);
        return before;
      }
      case Cause::data: {
        const EdgeRows& rows = edges_[step.receive.v];
        const auto& arrived = rows.arrived.empty() ? rows.sent : rows.arrived;
        const Step sender = step_at(edge(step.receive).from.v, arrived[place_of(step.row, rows.taken)]);
        CALIPER_CHECK(begin == arrival(sender));
        add_arrival(sender);
        return sender;
      }
      case Cause::credit: {
        const EdgeRows& rows = edges_[step.send.v];
        const auto& released = rows.released.empty() ? rows.taken : rows.released;
        const Step receiver =
            step_at(edge(step.send).to.v, released[place_of(step.row, rows.sent) - edge(step.send).window]);
        CALIPER_CHECK(begin == times_.done[receiver.row]);
        return receiver;
      }
    }
    return std::nullopt;
  }

  /// Of an operation that only waits: the place of the one that takes what it waited for, the next.
  static std::size_t place_of(std::uint64_t row, const std::vector<std::uint64_t>& rows) {
    return static_cast<std::size_t>(std::ranges::lower_bound(rows, row) - rows.begin());
  }

  const Program& p_;
  const std::span<const double> numbers_;
  const OperationTimes& times_;
  std::vector<EdgeRows> edges_;
  std::optional<Last> last_;
  CriticalPath path_;
};

}  // namespace

CriticalPath critical_path(const Program& program, std::span<const double> numbers,
                           const OperationTimes& times) {
  return Walk(program, numbers, times).run();
}

std::vector<double> derivative_by_parameter(const Program& program, ParameterView parameters,
                                            const CriticalPath& path) {
  std::vector<double> derivative(parameters.size(), 0);
  for (std::size_t e = 0; e < program.expressions.size(); ++e) {
    if (path.by_expression[e] == 0) continue;
    for (const ParameterIndex by : program.expressions[e].parameters())
      derivative[by] += path.by_expression[e] * program.expressions[e].derivative(parameters, by);
  }
  return derivative;
}

}  // namespace caliper
