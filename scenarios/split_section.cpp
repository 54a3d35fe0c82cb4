#include "scenarios/split_section.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace caliper {
namespace {

/// Rules of sizes to experiments.
class Resolver {
 public:
  Resolver(TomlFile& file, const std::vector<GroupSection>& groups, const MeasuredGroups& measured)
      : file_(file), measured_(measured), all_(groups.size()), in_scope_(groups.size()) {
    const Dataset& dataset = measured.dataset;
    for (std::uint32_t i = 0; i < dataset.experiments.size(); ++i) {
      const Experiment& experiment = dataset.experiments[i];
      reasons_.push_back(groups[experiment.group].group.out_of_scope_reason(experiment.bytes));
      all_[experiment.group].push_back({i});
      if (reasons_.back().empty()) in_scope_[experiment.group].push_back({i});
    }
  }

  /// Nothing where the rule is in error, which has been reported, or the group's measurements are.
  std::optional<FitGroup> resolve(const FitRule& rule) {
    if (!measured_.complete[rule.group]) return std::nullopt;
    auto chosen = select_sizes(rule.sizes, measured_.dataset, all_[rule.group], in_scope_[rule.group]);
    if (chosen) return FitGroup{rule.group, std::move(*chosen)};
    Problems problems = chosen.problems();
    for (Error& error : problems)
      error.what = fmt::format("group '{}': {}", measured_.dataset.groups[rule.group].name, error.what);
    file_.report(rule.line, std::move(problems));
    return std::nullopt;
  }

  const std::vector<ExperimentId>& in_scope(std::uint32_t group) const { return in_scope_[group]; }
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  TomlFile& file_;
  const MeasuredGroups& measured_;
  std::vector<std::vector<ExperimentId>> all_, in_scope_;  // [group]
  std::vector<std::string> reasons_;                       // [experiment]
};

/// What [validate] asks for by name; nothing where a point is in error.
std::optional<std::vector<ExperimentId>> resolve_validated(const ValidateSection& validate,
                                                           Resolver& resolver, const SplitRules& rules,
                                                           std::uint32_t group_count) {
  if (validate.all && validate.points.empty()) return std::vector<ExperimentId>{};
  std::vector<bool> wanted(resolver.reasons().size()), fitted(wanted.size());
  for (const auto& fits : rules.stage_fits)
    for (const ExperimentId id : experiments_of(fits)) fitted[id.index] = true;
  std::vector<std::uint32_t> groups = validate.groups;
  for (std::uint32_t i = 0; validate.all && i < group_count; ++i) groups.push_back(i);
  for (const std::uint32_t group : groups)
    for (const ExperimentId id : resolver.in_scope(group))
      if (!fitted[id.index]) wanted[id.index] = true;
  bool sound = true;
  for (const FitRule& point : validate.points) {
    const auto resolved = resolver.resolve(point);
    sound = sound && resolved;
    if (!resolved) continue;
    for (const ExperimentId id : resolved->experiments) wanted[id.index] = true;
  }
  if (!sound) return std::nullopt;
  std::vector<ExperimentId> validated;
  for (std::uint32_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) validated.push_back({i});
  return validated;
}

/// The stage that a problem of make_split names, so that the problem can say the line.
void report_split(TomlFile& file, const std::vector<StageSection>& stages, const Problems& problems) {
  for (const Error& error : problems) {
    const auto names = [&](const StageSection& stage) {
      return error.where == fmt::format("stage '{}'", stage.stage.name);
    };
    const auto stage = std::ranges::find_if(stages, names);
    file.report(stage == stages.end() ? 1 : stage->line, fmt::format("{} {}", error.where, error.what),
                error.hint);
  }
}

}  // namespace

ValidateSection read_validate(TomlSection& root, const GroupNames& groups) {
  ValidateSection into{root.line_of("validate"), true, {}, {}};
  auto section = root.table("validate", Need::optional);
  if (!section) return into;
  const bool has_points = section->value("points", Need::optional) != nullptr;
  const TomlEntry* which = section->value("groups", has_points ? Need::optional : Need::required);
  into.all = which && std::holds_alternative<std::string>(which->value.content);
  if (into.all) {
    if (const auto text = section->text("groups"); text && *text != "all")
      section->report("groups", fmt::format("'groups' in [validate] is '{}'", *text),
                      "write \"all\", or a list such as [\"ar-4x4\"]");
  } else if (which) {
    for (const std::string& name : section->texts("groups"))
      if (const auto group = find_group(*section, "groups", name, groups)) into.groups.push_back(*group);
  }
  into.points = read_fit_rules(*section, "points", "[validate]", groups);
  section->finish();
  return into;
}

std::optional<Split> declare_split(TomlFile& file, const std::vector<GroupSection>& groups,
                                   const MeasuredGroups& measured, const std::vector<StageSection>& stages,
                                   const ValidateSection& validate) {
  Resolver resolver(file, groups, measured);
  SplitRules rules;
  rules.out_of_scope_reason = resolver.reasons();
  bool sound = true;
  for (const StageSection& stage : stages) {
    rules.stage_names.push_back(stage.stage.name);
    std::vector<FitGroup>& fits = rules.stage_fits.emplace_back();
    for (const FitRule& rule : stage.fits) {
      auto fit = resolver.resolve(rule);
      sound = sound && fit;
      if (fit) fits.push_back(std::move(*fit));
    }
  }
  auto validated = resolve_validated(validate, resolver, rules, static_cast<std::uint32_t>(groups.size()));
  if (!sound || !validated) return std::nullopt;
  if (validated->empty() && !(validate.all && validate.points.empty())) {
    file.report(validate.line, "[validate] asks for no size that is in scope and not fitted",
                "an empty wish would mean: everything");
    return std::nullopt;
  }
  rules.validated = std::move(*validated);
  auto split = make_split(measured.dataset, rules);
  if (split) return std::move(*split);
  report_split(file, stages, split.problems());
  return std::nullopt;
}

}  // namespace caliper
