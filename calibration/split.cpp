#include "calibration/split.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/units.hpp"

namespace caliper {
namespace {

constexpr std::string_view kNotAskedFor = "neither fitted nor asked for in [validate]";

/// "64 KiB, 128 KiB, 256 KiB and 5 more"
std::string sizes_in_words(const Dataset& dataset, std::span<const ExperimentId> experiments) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (const ExperimentId id : experiments.first(std::min(kShown, experiments.size())))
    text += (text.empty() ? "" : ", ") + format_bytes(dataset[id].bytes);
  if (experiments.size() > kShown) text += fmt::format(" and {} more", experiments.size() - kShown);
  return text;
}

struct Rules {
  const Dataset& dataset;
  const SplitRules& rules;
  std::vector<bool> validated;  // [experiment]
  bool out_of_scope(ExperimentId id) const { return !rules.out_of_scope_reason[id.index].empty(); }
};

/// One problem for all sizes of the fit that are `wrong`.
void report(const Rules& in, const FitGroup& fit, const std::string& where,
            const std::function<bool(ExperimentId)>& wrong, std::string_view contradiction,
            std::string_view hint, Problems& problems) {
  std::vector<ExperimentId> found;
  std::ranges::copy_if(fit.experiments, std::back_inserter(found), wrong);
  if (found.empty()) return;
  problems.push_back({where,
                      fmt::format("fits what {}: {} of group '{}'", contradiction,
                                  sizes_in_words(in.dataset, found), in.dataset.groups[fit.group].name),
                      std::string(hint)});
}

void check_stage(const Rules& in, std::size_t stage, Problems& problems) {
  const std::string where = fmt::format("stage '{}'", in.rules.stage_names[stage]);
  const std::vector<FitGroup>& fits = in.rules.stage_fits[stage];
  if (fits.empty()) problems.push_back({where, "fits nothing", "name at least one group in 'fit'"});
  std::vector<bool> seen(in.dataset.groups.size());
  for (const FitGroup& fit : fits) {
    const std::string& group = in.dataset.groups[fit.group].name;
    if (fit.experiments.empty())
      problems.push_back({where, fmt::format("fits no size of group '{}'", group),
                          "its rule for sizes selects none that was measured"});
    if (seen[fit.group])
      problems.push_back(
          {where, fmt::format("fits group '{}' twice", group), "join the two rules for its sizes"});
    seen[fit.group] = true;
    for (const ExperimentId id : fit.experiments) CALIPER_CHECK(in.dataset[id].group == fit.group);
    CALIPER_CHECK(std::ranges::is_sorted(fit.experiments, std::less_equal<>{}));
    report(
        in, fit, where, [&](ExperimentId id) { return in.out_of_scope(id); }, "is declared out of scope",
        "leave them out of the fit, or take them into scope", problems);
    report(
        in, fit, where, [&](ExperimentId id) { return in.validated[id.index]; },
        "[validate] asks to hold out", "an experiment is either fitted or held out", problems);
  }
}

}  // namespace

std::string_view name_of(Set set) {
  switch (set) {
    case Set::calibration:
      return "cal";
    case Set::validation:
      return "val";
    case Set::out_of_scope:
      return "out_of_scope";
  }
  return "";
}

std::vector<ExperimentId> experiments_of(std::span<const FitGroup> fits) {
  std::vector<ExperimentId> all;
  for (const FitGroup& fit : fits) all.insert(all.end(), fit.experiments.begin(), fit.experiments.end());
  return all;
}

std::vector<ExperimentId> Split::members(Set which) const {
  std::vector<ExperimentId> ids;
  for (std::uint32_t i = 0; i < set.size(); ++i)
    if (set[i] == which) ids.push_back({i});
  return ids;
}

std::string Split::hash(const Dataset& dataset) const {
  std::vector<std::tuple<std::string_view, std::uint64_t, std::string_view>> rows;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    const Experiment& experiment = dataset[{i}];
    rows.emplace_back(dataset.groups[experiment.group].name, experiment.bytes, name_of(set[i]));
  }
  std::ranges::sort(rows);
  Hasher hasher;
  for (const auto& [group, bytes, name] : rows) hasher.add(group).add(bytes).add(name);
  return hasher.hex();
}

Result<Split> make_split(const Dataset& dataset, const SplitRules& rules) {
  const std::size_t count = dataset.experiments.size();
  CALIPER_CHECK(rules.stage_names.size() == rules.stage_fits.size() &&
                rules.out_of_scope_reason.size() == count);
  Rules in{dataset, rules, std::vector<bool>(count)};
  for (const ExperimentId id : rules.validated)
    if (!in.out_of_scope(id)) in.validated[id.index] = true;

  Problems problems;
  for (std::size_t stage = 0; stage < rules.stage_fits.size(); ++stage) check_stage(in, stage, problems);
  if (!problems.empty()) return problems;

  Split split{std::vector<Set>(count, Set::validation), rules.out_of_scope_reason, rules.stage_fits};
  for (const auto& fits : rules.stage_fits)
    for (const ExperimentId id : experiments_of(fits)) split.set[id.index] = Set::calibration;
  for (std::size_t i = 0; i < count; ++i) {
    if (split.set[i] == Set::calibration) continue;
    if (!rules.validated.empty() && !in.validated[i] && split.out_of_scope_reason[i].empty())
      split.out_of_scope_reason[i] = kNotAskedFor;
    if (!split.out_of_scope_reason[i].empty()) split.set[i] = Set::out_of_scope;
  }
  return split;
}

}  // namespace caliper
