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
      if (facts.gpus_per_node) compare("GPUs per node", *facts.gpus_per_node, group.gpus_per_node);
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

/// Whether what a table says of itself is what the group declares; what it does not say is no objection.
bool agrees(const RunFacts& facts, const ScenarioGroup& group) {
  const auto same = [](const auto& stated, const auto& declared) { return !stated || *stated == declared; };
  return same(facts.collective, name_of(group.collective)) &&
         (group.data_type.empty() || same(facts.data_type, group.data_type)) &&
         same(facts.ranks, group.nodes * group.gpus_per_node) && same(facts.nodes, group.nodes) &&
         same(facts.gpus_per_node, group.gpus_per_node);
}

/// The table that the scenario names; otherwise the only one, or the only one that agrees with the group.
std::optional<std::size_t> choose_table(TomlFile& file, const MeasuredFile& measured,
                                        const std::vector<MeasurementLog>& tables,
                                        const ScenarioGroup& group) {
  if (measured.table && *measured.table <= tables.size()) return *measured.table - 1;
  std::vector<std::string> labels;
  std::vector<std::size_t> agreeing;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    labels.push_back(fmt::format("table {} ({})", i + 1, label(tables[i])));
    if (agrees(tables[i].facts, group)) agreeing.push_back(i);
  }
  if (measured.table) {
    file.report(measured.line, fmt::format("'{}' has no table {}", measured.file, *measured.table),
                fmt::format("it has {}", fmt::join(labels, "; ")));
    return std::nullopt;
  }
  if (tables.size() == 1) return 0;  // whatever contradicts is said one by one
  if (agreeing.size() == 1) return agreeing.front();
  file.report(
      measured.line,
      fmt::format("of {} tables in '{}' {} with group '{}'", tables.size(), measured.file,
                  agreeing.empty() ? "none agrees" : fmt::format("{} agree", agreeing.size()), group.name),
      fmt::format("write table = N; there is {}", fmt::join(labels, "; ")));
  return std::nullopt;
}

/// Nothing where the file is missing or no table, or where the table to take is not clear.
std::optional<MeasurementLog> read_log(TomlFile& file, const MeasuredFile& measured,
                                       const ScenarioGroup& group, InputFiles& inputs,
                                       std::vector<SkippedRow>& skipped) {
  const auto path = inputs.resolve(measured.file);
  const auto content = inputs.read(path);
  if (!content) {
    file.report(measured.line, content.problems());
    return std::nullopt;
  }
  auto read = read_measurements(*content, inputs.shown(path));
  if (!read) {
    for (const Error& error : read.problems())
      file.report(measured.line, Problems{{error.where, error.what, error.hint}});
    return std::nullopt;
  }
  const auto table = choose_table(file, measured, read->tables, group);
  if (!table) return std::nullopt;
  MeasurementLog& log = read->tables[*table];
  for (const std::vector<Skipped>& rows : {read->skipped, log.skipped})
    for (const Skipped& row : rows) skipped.push_back({fmt::format("{}:{}", log.file, row.line), row.reason});
  return std::move(log);
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

bool same_measurements(const MeasurementLog& a, const MeasurementLog& b) {
  return std::ranges::equal(a.measurements, b.measurements, [](const Measurement& x, const Measurement& y) {
    return x.bytes == y.bytes && x.seconds == y.seconds && x.buffers == y.buffers;
  });
}

/// One run under two names is no repeat: it would make the noise look smaller than it is.
void refuse_copies(TomlFile& file, const GroupSection& group, std::span<const MeasurementLog> logs) {
  for (std::size_t a = 0; a < logs.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (logs[a].measurements.size() > 1 && same_measurements(logs[a], logs[b]))
        file.report(group.line,
                    fmt::format("'{}' and '{}' of group '{}' hold the same measurements", logs[b].file,
                                logs[a].file, group.group.name),
                    "a copy is no repeat: name the run once");
}

std::vector<Experiment> read_group(TomlFile& file, GroupSection& group, std::uint32_t index,
                                   InputFiles& inputs, MeasuredGroups& result) {
  std::vector<SkippedRow>& skipped = result.skipped;
  bool complete = true;
  std::vector<MeasurementLog> logs;
  for (const MeasuredFile& measured : group.measured) {
    auto log = read_log(file, measured, group.group, inputs, skipped);
    if (!log) {
      complete = false;
      continue;
    }
    adopt_nccl(file, group, log->facts);
    FactCheck(file, group, measured).run(log->facts);
    logs.push_back(std::move(*log));
  }
  refuse_copies(file, group, logs);
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
