#include "validation/baseline.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace caliper {
namespace {

constexpr std::string_view kParameters = "parameters";

template <class T, class Key>
const T* find_by(const std::vector<T>& all, const Key& key, Key T::*member) {
  const auto found = std::ranges::find(all, key, member);
  return found == all.end() ? nullptr : &*found;
}

/// Calls fn(before, after) for each key of either list; null where that side lacks it.
template <class T, class Key, class Fn>
void for_each_pair(const std::vector<T>& before, const std::vector<T>& after, Key T::*key, Fn fn) {
  for (const T& row : before) fn(&row, find_by(after, row.*key, key));
  for (const T& row : after)
    if (!find_by(before, row.*key, key)) fn(static_cast<const T*>(nullptr), &row);
}

double relative_change(double before, double after) {
  if (before == after) return 0;
  return (after - before) / std::abs(before);
}

Verdict presence(const void* before, const void* after) {
  if (!before) return Verdict::added;
  return after ? Verdict::same : Verdict::gone;
}

/// NaN is beyond every tolerance.
bool within(double change, double tolerance) { return std::abs(change) <= tolerance; }

double tolerance_of(const Tolerances& general, const ToleranceOverrides& own, Metric metric) {
  const auto at = static_cast<std::size_t>(metric);
  return own[at].value_or(general[at]);
}

std::string text_of_time(const BaselineTime* time) { return time ? fmt::format("{:.7g} us", time->us) : ""; }

std::string text_of_error(double error) {
  return std::isfinite(error) ? fmt::format("{:.3f} %", error * 100) : "-";
}

class Comparison {
 public:
  Comparison(const Baseline& before, const Baseline& after) : before_(before), after_(after) {}

  std::vector<CheckRow> rows() && {
    for_each_pair(before_.parameters, after_.parameters, &BaselineParameter::id,
                  [this](const auto* before, const auto* after) { add_parameter(before, after); });
    for_each_pair(before_.groups, after_.groups, &BaselineGroup::name,
                  [this](const auto* before, const auto* after) { add_group(before, after); });
    return std::move(rows_);
  }

 private:
  void add_parameter(const BaselineParameter* before, const BaselineParameter* after) {
    const auto text = [](const BaselineParameter* p) {
      return p ? format_quantity(p->value, p->dimension, kParameterDigits) : std::string();
    };
    CheckRow row{std::string(kParameters), (before ? before : after)->id, "", text(before), text(after)};
    row.verdict = presence(before, after);
    row.tolerance = before_.tolerances[static_cast<std::size_t>(Metric::parameter)];
    if (before && after) {
      row.change = relative_change(before->value, after->value);
      if (!within(row.change, row.tolerance)) row.verdict = Verdict::moved;
    }
    rows_.push_back(std::move(row));
  }

  void add_group(const BaselineGroup* before, const BaselineGroup* after) {
    const std::string& name = (before ? before : after)->name;
    if (!before || !after) {
      const auto text = [](const BaselineGroup* g) {
        return g ? fmt::format("{} sizes", g->times.size()) : std::string();
      };
      CheckRow row{name, "group", "", text(before), text(after)};
      row.verdict = presence(before, after);
      rows_.push_back(std::move(row));
      return;
    }
    CheckRow execution{name, "execution", "", before->program.substr(0, 12), after->program.substr(0, 12)};
    if (before->program != after->program) execution.verdict = Verdict::moved;
    rows_.push_back(std::move(execution));
    for (const Set set : {Set::calibration, Set::validation}) add_errors(*before, *after, set);
    for_each_pair(before->times, after->times, &BaselineTime::bytes,
                  [&](const auto* b, const auto* a) { add_time(*before, b, a); });
  }

  void add_errors(const BaselineGroup& before, const BaselineGroup& after, Set set) {
    const BaselineErrors* b = find_by(before.errors, set, &BaselineErrors::set);
    const BaselineErrors* a = find_by(after.errors, set, &BaselineErrors::set);
    if (!b && !a) return;
    constexpr std::pair<Metric, double ErrorStatistics::*> kValues[] = {
        {Metric::mean, &ErrorStatistics::mean},
        {Metric::p50, &ErrorStatistics::p50},
        {Metric::p95, &ErrorStatistics::p95},
        {Metric::max, &ErrorStatistics::max}};
    for (const auto& [metric, value] : kValues) {
      const auto text = [&](const BaselineErrors* e) {
        return e ? text_of_error(e->error.*value) : std::string();
      };
      CheckRow row{before.name,
                   fmt::format("{} {}", set == Set::calibration ? "fitted" : "held-out", name_of(metric)), "",
                   text(b), text(a)};
      row.relative = false;
      row.verdict = presence(b, a);
      row.tolerance = tolerance_of(before_.tolerances, before.tolerances, metric);
      if (b && a) {
        row.change = a->error.*value - b->error.*value;
        if (!within(row.change, row.tolerance))
          row.verdict = row.change < 0 ? Verdict::better : Verdict::worse;
      }
      rows_.push_back(std::move(row));
    }
  }

  void add_time(const BaselineGroup& group, const BaselineTime* before, const BaselineTime* after) {
    const std::string size = format_bytes((before ? before : after)->bytes);
    CheckRow row{group.name, "time", size, text_of_time(before), text_of_time(after)};
    row.verdict = presence(before, after);
    row.tolerance = tolerance_of(before_.tolerances, group.tolerances, Metric::time);
    if (before && after) {
      row.change = relative_change(before->us, after->us);
      if (!within(row.change, row.tolerance)) row.verdict = Verdict::moved;
    }
    rows_.push_back(std::move(row));
    if (!before || !after) return;
    CheckRow set{group.name, "set", size, std::string(name_of(before->set)),
                 std::string(name_of(after->set))};
    if (before->set != after->set) set.verdict = Verdict::moved;
    rows_.push_back(std::move(set));
  }

  const Baseline& before_;
  const Baseline& after_;
  std::vector<CheckRow> rows_;
};

std::string text_of_change(const CheckRow& row) {
  if (std::isnan(row.change)) return "";
  return fmt::format("{:+.3f} {}", row.change * 100, row.relative ? "%" : "points");
}

std::string text_of_tolerance(const CheckRow& row) {
  if (std::isnan(row.tolerance)) return "none";
  return fmt::format("{:.4g} {}", row.tolerance * 100, row.relative ? "%" : "points");
}

std::string metric_of(const CheckRow& row) {
  return row.subject.empty() ? row.metric : fmt::format("{} at {}", row.metric, row.subject);
}

/// How many tolerances a row has moved.
double excess(const CheckRow& row) {
  const double times = std::abs(row.change) / row.tolerance;
  return std::isnan(times) ? std::numeric_limits<double>::infinity() : times;
}

}  // namespace

std::string_view name_of(Metric metric) {
  constexpr std::string_view kNames[] = {"time", "mean", "p50", "p95", "max", "parameter"};
  return kNames[static_cast<int>(metric)];
}

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"same", "better", "worse", "moved", "gone", "new"};
  return kNames[static_cast<int>(verdict)];
}

bool is_regression(Verdict verdict) { return verdict != Verdict::same && verdict != Verdict::better; }

std::vector<CheckRow> compare(const Baseline& baseline, const Baseline& now) {
  return Comparison(baseline, now).rows();
}

bool has_regression(std::span<const CheckRow> rows) {
  return std::ranges::any_of(rows, [](const CheckRow& row) { return is_regression(row.verdict); });
}

std::string largest_move(std::span<const CheckRow> rows) {
  const CheckRow* largest = nullptr;
  for (const CheckRow& row : rows)
    if (is_regression(row.verdict) && (!largest || excess(row) > excess(*largest))) largest = &row;
  if (!largest) return "";
  const std::string change = text_of_change(*largest);
  return fmt::format("{} {}: {}", largest->group, metric_of(*largest),
                     change.empty() ? name_of(largest->verdict) : change);
}

std::string describe(const CheckRow& row) {
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  std::string text = fmt::format("{} {}: baseline {}, now {}", row.group, metric_of(row), shown(row.baseline),
                                 shown(row.now));
  if (const std::string change = text_of_change(row); !change.empty())
    text += fmt::format(" ({}, tolerance {})", change, text_of_tolerance(row));
  return fmt::format("{}: {}", text, name_of(row.verdict));
}

std::vector<std::vector<std::string>> check_table(std::span<const CheckRow> rows) {
  std::vector<std::vector<std::string>> table = {
      {"group", "metric", "baseline", "now", "change", "tolerance", "verdict"}};
  for (const CheckRow& row : rows)
    if (row.verdict != Verdict::same)
      table.push_back({row.group, metric_of(row), row.baseline.empty() ? "-" : row.baseline,
                       row.now.empty() ? "-" : row.now, text_of_change(row), text_of_tolerance(row),
                       std::string(name_of(row.verdict))});
  return table;
}

}  // namespace caliper
