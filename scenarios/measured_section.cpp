#include "scenarios/measured_section.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/units.hpp"
#include "validation/measurement_cells.hpp"
#include "validation/measurement_log.hpp"
#include "validation/noise.hpp"

namespace caliper {
namespace {

/// One file against its group.
class FactCheck {
 public:
  FactCheck(TomlFile& file, const GroupSection& group, const MeasuredFile& measured)
      : file_(file), group_(group), measured_(measured) {}

  void run(const RunFacts& facts) {
    const ScenarioGroup& group = group_.group;
    const std::uint32_t ranks = group.nodes * group.gpus_per_node;
    if (facts.collective) compare("collective", *facts.collective, std::string(name_of(group.collective)));
    if (facts.data_type && !group.data_type.empty()) {
      const auto type = find_element_type(*facts.data_type);
      compare("data type", std::string(type ? type->name : *facts.data_type), group.data_type);
    }
    if (ranks > 0) {
      if (facts.ranks) compare("ranks", *facts.ranks, ranks);
      if (facts.nodes) compare("nodes", *facts.nodes, group.nodes);
      if (measured_.ranks && *measured_.ranks != ranks)
        contradiction("'ranks' beside the file", *measured_.ranks, ranks);
    }
    if (facts.nccl_version && !group.nccl.empty()) compare("NCCL version", *facts.nccl_version, group.nccl);
  }

 private:
  template <class T>
  void compare(std::string_view fact, const T& measured, const T& declared) {
    if (measured != declared)
      contradiction(fmt::format("{} in '{}'", fact, measured_.file), measured, declared);
  }
  template <class T>
  void contradiction(const std::string& what, const T& measured, const T& declared) {
    file_.report(measured_.line,
                 fmt::format("{}: {}, but group '{}' has {}", what, measured, group_.group.name, declared),
                 "a group holds measurements of what it describes; correct the group or the file");
  }

  TomlFile& file_;
  const GroupSection& group_;
  const MeasuredFile& measured_;
};

/// Nothing where the file is missing or no table.
std::optional<MeasurementLog> read_log(TomlFile& file, const MeasuredFile& measured, InputFiles& inputs) {
  const auto path = inputs.resolve(measured.file);
  const auto content = inputs.read(path);
  if (!content) {
    file.report(measured.line, content.problems());
    return std::nullopt;
  }
  auto log = read_measurements(*content, inputs.shown(path));
  if (log) return std::move(*log);
  for (const Error& error : log.problems())
    file.report(measured.line, Problems{{error.where, error.what, error.hint}});
  return std::nullopt;
}

void adopt_nccl(TomlFile& file, GroupSection& group, const RunFacts& facts) {
  if (group.states_nccl || !facts.nccl_version || !group.group.nccl.empty()) return;
  if (const auto family = family_of_version(*facts.nccl_version)) {
    group.group.nccl = *facts.nccl_version;
    group.group.family = *family;
  } else {
    file.report(group.line,
                fmt::format("NCCL version '{}' of a measured file is not known", *facts.nccl_version),
                "state nccl = \"2.29.7\" or what it was");
  }
}

/// Every size that is measured and in scope has a plan.
void check_coverage(TomlFile& file, const GroupSection& group, std::span<const Experiment> experiments) {
  if (!group.ranges_sound) return;
  std::vector<std::string> uncovered;
  for (const Experiment& experiment : experiments)
    if (!group.group.plan_for(experiment.bytes) && group.group.out_of_scope_reason(experiment.bytes).empty())
      uncovered.push_back(format_bytes(experiment.bytes));
  if (uncovered.empty()) return;
  const std::size_t count = uncovered.size();
  constexpr std::size_t kShown = 3;
  uncovered.resize(std::min(count, kShown));
  file.report(group.plan_lines.empty() ? group.line : group.plan_lines.front(),
              fmt::format("group '{}' has no plan for {} of its measured sizes in scope: {}{}",
                          group.group.name, count, fmt::join(uncovered, ", "), count > kShown ? ", ..." : ""),
              "extend the sizes of a [[group.plan]], or declare them in [[group.out_of_scope]]");
}

std::vector<Experiment> read_group(TomlFile& file, GroupSection& group, std::uint32_t index,
                                   InputFiles& inputs, MeasuredGroups& result) {
  std::vector<SkippedRow>& skipped = result.skipped;
  bool complete = true;
  std::vector<MeasurementLog> logs;
  for (const MeasuredFile& measured : group.measured) {
    auto log = read_log(file, measured, inputs);
    if (!log) {
      complete = false;
      continue;
    }
    adopt_nccl(file, group, log->facts);
    FactCheck(file, group, measured).run(log->facts);
    for (const Skipped& row : log->skipped)
      skipped.push_back({fmt::format("{}:{}", log->file, row.line), row.reason});
    logs.push_back(std::move(*log));
  }
  Pooled pooled = pool_measurements(logs, group.group.pool, index);
  for (const std::uint64_t bytes : pooled.left_out)
    skipped.push_back(
        {fmt::format("group '{}'", group.group.name),
         fmt::format("{} was not measured {}", format_bytes(bytes), name_of(group.group.pool))});
  if (!logs.empty() && pooled.experiments.empty())
    file.report(group.line,
                fmt::format("the files of group '{}' hold no usable measurement", group.group.name),
                fmt::format("look at them, or at pool = \"{}\"", name_of(group.group.pool)));
  result.complete.push_back(complete);
  return std::move(pooled.experiments);
}

}  // namespace

MeasuredGroups read_measured(TomlFile& file, std::vector<GroupSection>& groups,
                             const std::vector<Placement>& placements, InputFiles& inputs) {
  MeasuredGroups result;
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    GroupSection& section = groups[i];
    const ScenarioGroup& group = section.group;
    std::vector<Experiment> experiments = read_group(file, section, i, inputs, result);
    check_coverage(file, section, experiments);
    if (group.nccl.empty() && !section.states_nccl)
      file.report(section.line, fmt::format("the NCCL version of group '{}' is not known", group.name),
                  "add nccl = \"2.29.7\" or what it was, here or in [defaults.group]");
    result.dataset.groups.push_back(
        {group.name, std::string(name_of(group.collective)), group.nodes * group.gpus_per_node,
         group.placement < placements.size() ? placements[group.placement].name : "",
         noise_floor(experiments)});
    std::ranges::move(experiments, std::back_inserter(result.dataset.experiments));
  }
  return result;
}

}  // namespace caliper
