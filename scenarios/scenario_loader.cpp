#include "scenarios/scenario_loader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "scenarios/captured_section.hpp"
#include "scenarios/input_files.hpp"
#include "scenarios/parameter_table.hpp"
#include "scenarios/placement_section.hpp"
#include "scenarios/split_section.hpp"
#include "scenarios/system_file.hpp"

namespace caliper {

namespace fs = std::filesystem;

namespace {

/// Nothing, and problems at the line of `system`, where there is no such machine.
std::optional<Machine> machine_of(TomlSection& root, const fs::path& systems, InputFiles& inputs) {
  const auto name = root.text("system");
  if (!name) return std::nullopt;
  const auto report = [&](Problems problems) {
    root.file().report(root.line_of("system"), std::move(problems));
    return std::nullopt;
  };
  const auto path = find_system(*name, inputs.folder(), systems);
  if (!path) return report(path.problems());
  const auto content = inputs.read(*path);
  if (!content) return report(content.problems());
  auto machine = read_machine(*content, path->stem().string(), path->string());
  if (!machine) return report(machine.problems());
  return *std::move(machine);
}

void refuse_unsupported(TomlSection& root) {
  const auto refuse = [&](std::string_view key, std::string_view header, std::string_view meaning) {
    if (root.value(key, Need::optional))
      root.report(key, fmt::format("{} ({}) is not supported yet", header, meaning), "leave it out");
  };
  refuse("job", "[[job]]", "other jobs beside a group");
  refuse("event", "[[event]]", "a link that fails or slows down");
  refuse("template", "[[template]]", "families of groups");
}

bool runs_beyond_ring_simple(const GroupSection& group) {
  return std::ranges::any_of(group.group.plans, [](const PlanRange& plan) {
    return plan.algorithm != Algorithm::ring || plan.protocol != Protocol::simple;
  });
}

std::vector<ModelGap> read_model_gaps(TomlSection& root, const GroupNames& groups) {
  std::vector<ModelGap> gaps;
  for (TomlSection& section : root.tables("model_gap")) {
    ModelGap gap{section.text("name").value_or(""), section.text("affects").value_or(""),
                 section.text("what").value_or("")};
    section.finish();
    const auto affected = [&](const std::string& name) { return matches(gap.affects, name); };
    if (!gap.affects.empty() && !groups.empty() && std::ranges::none_of(groups, affected))
      section.report("affects", fmt::format("no group is named like '{}'", gap.affects),
                     "name a group; '*' stands for anything");
    gaps.push_back(std::move(gap));
  }
  return gaps;
}

Result<Scenario> read_root(TomlSection& root, const fs::path& systems, InputFiles& inputs) {
  TomlFile& file = root.file();
  root.count("schema", Need::required, 1, 1);
  const auto title = root.text("title");
  constexpr DataKind kDataKinds[] = {DataKind::measured, DataKind::synthetic};
  const auto data = root.text("data", Need::optional).value_or(std::string(name_of(DataKind::measured)));
  const auto data_kind = one_of<DataKind>(root, "data", data, kDataKinds);
  refuse_unsupported(root);
  auto machine = machine_of(root, systems, inputs);
  std::vector<Placement> placements = read_placements(root, machine ? &*machine : nullptr, inputs);
  std::vector<GroupSection> groups = read_groups(root, {machine ? &*machine : nullptr, placements});
  GroupNames names;
  for (const GroupSection& group : groups) names.push_back(group.group.name);
  MeasuredGroups measured = read_measured(file, groups, placements, inputs);
  if (machine) read_captured(file, *machine, placements, groups, inputs);

  ParameterTable table = parameter_table(std::ranges::any_of(groups, runs_beyond_ring_simple));
  std::vector<FixedParameter> fixed = read_fixed(root, table);
  std::vector<StageSection> stages = read_stages(root, table, fixed, names);
  const ValidateSection validate = read_validate(root, names);
  auto split = declare_split(file, groups, measured, stages, validate);
  std::vector<ModelGap> gaps = read_model_gaps(root, names);
  root.finish();
  if (!file.problems.empty()) return std::move(file.problems);
  CALIPER_CHECK(machine && split && title && data_kind);

  Scenario scenario{std::move(*title),
                    *data_kind,
                    std::move(*machine),
                    std::move(placements),
                    {},  // groups follow
                    std::move(measured.dataset),
                    std::move(*split),
                    std::move(table),
                    {},  // stages follow
                    std::move(fixed),
                    std::move(gaps),
                    inputs.take(),
                    std::move(measured.skipped)};
  for (GroupSection& group : groups) scenario.groups.push_back(std::move(group.group));
  for (std::size_t g = 0; g < scenario.groups.size(); ++g)
    scenario.dataset.groups[g].data_type = scenario.groups[g].data_type;
  for (StageSection& stage : stages) scenario.stages.push_back(std::move(stage.stage));
  return scenario;
}

}  // namespace

Result<Scenario> read_scenario(std::string_view content, const fs::path& file, const fs::path& systems) {
  const auto table = parse_toml(content, file.string());
  if (!table) return table.problems();
  TomlFile reading{file.string(), {}};
  InputFiles inputs(file.parent_path());
  inputs.add(file, content);
  TomlSection root(reading, *table, "the scenario", 1);
  return read_root(root, systems, inputs);
}

Result<Scenario> load_scenario(const fs::path& file, const fs::path& systems) {
  const auto content = read_file(file);
  if (!content) return content.problems();
  return read_scenario(*content, file, systems);
}

}  // namespace caliper
