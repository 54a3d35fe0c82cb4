#include "scenarios/stage_section.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr std::array kLosses = {Loss::rmse, Loss::relative_rmse, Loss::log_rmse};
constexpr Bounds kAboveZero{1e-12, 1e12};

FixedParameter read_fixed_one(TomlSection& section, const AuxiliaryParameter& row, ParameterIndex index) {
  const auto value = section.quantity("fix", row.dimension, Need::required, {row.lower, row.upper});
  const auto reason = section.text("reason");
  section.finish();
  return {index, value.value_or(row.value), reason.value_or("")};
}

/// The target is a time where the loss is one, otherwise a fraction.
void read_stop(TomlSection& section, ScenarioStage& stage) {
  auto stop = section.table("stop", Need::optional);
  if (!stop) return;
  stop->rename(fmt::format("'stop' of {}", section.name()));
  const Dimension dimension = stage.loss == Loss::rmse ? Dimension::time : Dimension::number;
  stage.stop.target = stop->quantity("target", dimension, Need::optional, kAboveZero);
  stage.stop.plateau = stop->count("plateau", Need::optional);
  stop->finish();
}

void read_budget(TomlSection& section, ScenarioStage& stage) {
  auto budget = section.table("budget", Need::optional);
  if (!budget) return;
  budget->rename(fmt::format("'budget' of {}", section.name()));
  stage.budget.iterations = budget->count("iterations", Need::optional).value_or(stage.budget.iterations);
  stage.budget.runs = budget->count("runs", Need::optional);
  stage.budget.wall_seconds = budget->quantity("wall", Dimension::time, Need::optional, kAboveZero);
  budget->finish();
}

/// Which stage tunes each parameter, so far.
class TunedBy {
 public:
  TunedBy(const ParameterTable& table, std::span<const FixedParameter> fixed)
      : table_(table), fixed_(fixed), stage_(table.size()) {}

  void read(TomlSection& section, ScenarioStage& stage) {
    for (const std::string& id : section.texts("tune")) {
      const auto index = table_.tunable(id);
      if (!index) {
        for (const Error& error : index.problems()) section.report("tune", error.what, error.hint);
      } else if (std::ranges::find(fixed_, *index, &FixedParameter::parameter) != fixed_.end()) {
        section.report("tune", fmt::format("{} tunes '{}', which [parameters] fixes", section.name(), id),
                       "do one of the two");
      } else if (!stage_[*index].empty()) {
        section.report(
            "tune", fmt::format("{} tunes '{}', which {} tunes already", section.name(), id, stage_[*index]),
            "each parameter is tuned by one stage, once");
      } else {
        stage_[*index] = section.name();
        stage.tune.push_back(*index);
      }
    }
  }

 private:
  const ParameterTable& table_;
  std::span<const FixedParameter> fixed_;
  std::vector<std::string> stage_;  // [parameter]
};

StageSection read_stage(TomlSection& section, TunedBy& tuned, const GroupNames& groups) {
  StageSection into{{}, {}, section.line_of("fit")};
  ScenarioStage& stage = into.stage;
  stage.name = section.text("name").value_or("");
  if (!stage.name.empty()) section.rename(fmt::format("stage '{}'", stage.name));
  tuned.read(section, stage);
  bool loss_known = true;  // otherwise the unit of the target is not known either
  if (const auto name = section.text("loss", Need::optional)) {
    const auto loss = one_of<Loss>(section, "loss", *name, kLosses);
    loss_known = loss.has_value();
    stage.loss = loss.value_or(stage.loss);
  }
  read_budget(section, stage);
  if (section.value("stop", Need::optional) && loss_known) read_stop(section, stage);
  if (section.value("fit")) into.fits = read_fit_rules(section, "fit", section.name(), groups);
  section.finish();
  return into;
}

}  // namespace

std::optional<std::uint32_t> find_group(TomlSection& section, std::string_view key, std::string_view name,
                                        const GroupNames& groups) {
  const auto found = std::ranges::find(groups, name);
  if (found != groups.end()) return static_cast<std::uint32_t>(found - groups.begin());
  section.report(key, fmt::format("unknown group '{}'", name), suggestion(name, groups));
  return std::nullopt;
}

std::vector<FitRule> read_fit_rules(TomlSection& section, std::string_view key, const std::string& owner,
                                    const GroupNames& groups) {
  std::vector<FitRule> rules;
  for (TomlSection& entry : section.tables(key)) {
    entry.rename(fmt::format("'{}' of {}", key, owner));
    const auto name = entry.text("group");
    const auto sizes = read_size_rule(entry, "sizes");
    entry.finish();
    const auto group = name ? find_group(entry, "group", *name, groups) : std::nullopt;
    if (group && sizes) rules.push_back({*group, *sizes, entry.line_of("sizes")});
  }
  return rules;
}

std::vector<FixedParameter> read_fixed(TomlSection& root, const ParameterTable& table) {
  std::vector<FixedParameter> fixed;
  for (auto& [id, section] : root.named_tables("parameters")) {
    const auto index = table.tunable(id);
    if (index) {
      fixed.push_back(read_fixed_one(section, table[*index], *index));
    } else {
      for (const Error& error : index.problems())
        section.file().report(section.line(), error.what, error.hint);
    }
  }
  return fixed;
}

std::vector<StageSection> read_stages(TomlSection& root, const ParameterTable& table,
                                      std::span<const FixedParameter> fixed, const GroupNames& groups) {
  std::vector<StageSection> stages;
  TunedBy tuned(table, fixed);
  for (TomlSection& section : root.tables("stage")) {
    StageSection stage = read_stage(section, tuned, groups);
    const auto same = [&](const StageSection& other) { return other.stage.name == stage.stage.name; };
    if (!stage.stage.name.empty() && std::ranges::any_of(stages, same))
      section.report("name", fmt::format("two stages are named '{}'", stage.stage.name), "names are unique");
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace caliper
