#include "scenarios/group_section.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/measurement_cells.hpp"

namespace caliper {
namespace {

constexpr std::array kCollectives = {Collective::all_reduce, Collective::all_gather,
                                     Collective::reduce_scatter};
constexpr std::array kAlgorithms = {Algorithm::ring, Algorithm::tree};
constexpr std::array kProtocols = {Protocol::simple, Protocol::ll, Protocol::ll128};
constexpr std::array kOrigins = {Origin::captured, Origin::derived, Origin::assumed};
constexpr std::array kLayouts = {NicLayout::pxn, NicLayout::pairs, NicLayout::oracle};
constexpr std::uint32_t kMostChannels = 64;                         // NCCL's MAXCHANNELS
constexpr std::uint32_t kMostNodes = 1'000'000, kMostGpus = 1'000;  // so that ranks fit 32 bits

std::optional<SizeRange> read_range(TomlSection& section, std::string_view key) {
  const auto text = section.text(key);
  if (!text) return std::nullopt;
  const auto range = parse_size_range(*text);
  if (range) return *range;
  for (const Error& error : range.problems()) section.report(key, error.what, error.hint);
  return std::nullopt;
}

template <class T>
void read_choice(TomlSection& section, std::string_view key, std::span<const T> values, Need need, T& into) {
  if (const auto text = section.text(key, need))
    if (const auto value = one_of(section, key, *text, values)) into = *value;
}

/// The log is read when the shape of the group is known: scenarios/captured_section.
std::optional<PlanLog> read_plan_log(TomlSection& entry, const std::string& owner, const PlanRange& plan) {
  const auto file = entry.text("log", Need::optional);
  const auto communicator = entry.text("communicator", Need::optional);
  if (!file) {
    if (communicator)
      entry.report("communicator", fmt::format("a plan of {} names a communicator of no log", owner),
                   "add log = \"...\"");
    if (plan.source == Origin::captured && !entry.value("channels", Need::optional))
      entry.report("source", fmt::format("a captured plan of {} states no 'channels'", owner),
                   "add log = \"...\" or channels = ..., or write source = \"derived\"");
    return std::nullopt;
  }
  if (plan.source != Origin::captured)
    entry.report("source", fmt::format("a plan of {} has a log and is not captured", owner),
                 "write source = \"captured\"");
  return PlanLog{*file, communicator, entry.line_of("log")};
}

void read_plans(TomlSection& section, GroupSection& into) {
  struct Read {
    PlanRange plan;
    std::uint32_t line;
    std::optional<PlanLog> log;
  };
  std::vector<Read> plans;
  for (TomlSection& entry : section.tables("plan")) {
    entry.rename(fmt::format("[[group.plan]] of {}", section.name_at("plan")));
    PlanRange plan;
    const auto sizes = read_range(entry, "sizes");
    read_choice<Algorithm>(entry, "algorithm", kAlgorithms, Need::required, plan.algorithm);
    read_choice<Protocol>(entry, "protocol", kProtocols, Need::required, plan.protocol);
    if (plan.algorithm == Algorithm::tree && into.group.collective != Collective::all_reduce)
      entry.report("algorithm", fmt::format("{} by trees", name_of(into.group.collective)),
                   "NCCL has trees for all_reduce only");
    plan.channels = entry.count("channels", Need::optional, 1, kMostChannels);
    read_choice<Origin>(entry, "source", kOrigins, Need::required, plan.source);
    auto log = read_plan_log(entry, section.name_at("plan"), plan);
    entry.finish();
    if (!sizes) {
      into.ranges_sound = false;
      continue;
    }
    plan.sizes = *sizes;
    for (const Read& other : plans)
      if (other.plan.sizes.overlaps(plan.sizes))
        entry.report(
            "sizes",
            fmt::format("plan ranges '{}' and '{}' of {} overlap", format_size_range(other.plan.sizes),
                        format_size_range(plan.sizes), section.name_at("plan")),
            "every size has one plan; ranges are half open");
    plans.push_back({plan, entry.line_of("sizes"), std::move(log)});
  }
  std::ranges::stable_sort(plans, {}, [](const Read& read) { return read.plan.sizes.begin; });
  for (Read& read : plans) {
    into.group.plans.push_back(std::move(read.plan));
    into.plan_lines.push_back(read.line);
    into.plan_logs.push_back(std::move(read.log));
  }
}

void read_out_of_scope(TomlSection& section, GroupSection& into) {
  std::vector<OutOfScope>& ranges = into.group.out_of_scope;
  for (TomlSection& entry : section.tables("out_of_scope")) {
    entry.rename(fmt::format("[[group.out_of_scope]] of {}", section.name_at("out_of_scope")));
    const auto sizes = read_range(entry, "sizes");
    const auto reason = entry.text("reason");
    entry.finish();
    if (!sizes || !reason) {
      into.ranges_sound = false;
      continue;
    }
    for (const OutOfScope& other : ranges)
      if (other.sizes.overlaps(*sizes))
        entry.report(
            "sizes",
            fmt::format("out-of-scope ranges '{}' and '{}' of {} overlap", format_size_range(other.sizes),
                        format_size_range(*sizes), section.name_at("out_of_scope")),
            "every size has one reason");
    ranges.push_back({*sizes, *reason});
  }
}

void read_measured_files(TomlSection& section, GroupSection& into) {
  for (TomlSection& entry : section.tables("measured")) {
    entry.rename(fmt::format("[[group.measured]] of {}", section.name()));
    const auto file = entry.text("file");
    const auto ranks = entry.count("ranks", Need::optional);
    const auto table = entry.count("table", Need::optional);
    if (file) {
      const auto same = [&](const MeasuredFile& other) {
        return other.file == *file && (other.table == table || !other.table || !table);
      };
      if (std::ranges::any_of(into.measured, same))
        entry.report("file", fmt::format("{} is measured twice by file '{}'", section.name(), *file),
                     "name each file once; of several tables in it each with its own 'table'");
      else
        into.measured.push_back({*file, entry.line_of("file"), ranks, table});
    }
    entry.finish();
  }
}

/// Placement, shape, and from them the GPU of each rank.
void read_shape(TomlSection& section, const GroupContext& context, ScenarioGroup& group) {
  group.nodes = section.count("nodes", Need::required, 1, kMostNodes).value_or(0);
  group.gpus_per_node = section.count("gpus_per_node", Need::required, 1, kMostGpus).value_or(0);
  const auto stated = section.count("ranks", Need::optional);
  const std::uint64_t product = std::uint64_t{group.nodes} * group.gpus_per_node;
  if (stated && product > 0 && *stated != product)
    section.report("ranks", fmt::format("'ranks' of {} is {}", section.name(), *stated),
                   fmt::format("{} nodes x {} GPUs a node are {}; the line may be left out", group.nodes,
                               group.gpus_per_node, product));

  const auto name = section.text("placement");
  if (!name) return;
  const auto found = std::ranges::find(context.placements, *name, &Placement::name);
  if (found == context.placements.end()) {
    std::vector<std::string> names;
    for (const Placement& placement : context.placements) names.push_back(placement.name);
    section.report("placement",
                   fmt::format("{} names the unknown placement '{}'", section.name_at("placement"), *name),
                   suggestion(*name, names));
    return;
  }
  group.placement = static_cast<std::uint32_t>(found - context.placements.begin());
  if (!context.machine || found->nodes.empty() || product == 0) return;
  auto ranks = found->ranks(*context.machine, group.nodes, group.gpus_per_node);
  if (ranks) {
    group.ranks = std::move(*ranks);
  } else {
    for (const Error& error : ranks.problems())
      section.report("nodes", fmt::format("{}: {}: {}", section.name(), error.where, error.what), error.hint);
  }
}

void read_software(TomlSection& section, GroupSection& into) {
  ScenarioGroup& group = into.group;
  if (const auto type = section.text("data_type")) {
    if (const ElementType* known = find_element_type(*type)) {
      group.data_type = known->name;
      group.element_bytes = known->bytes;
    } else {
      section.report("data_type", fmt::format("unknown data type '{}'", *type),
                     "write it like nccl-tests: float32, float16, bfloat16, int8, ...");
    }
  }
  into.states_nccl = section.value("nccl", Need::optional) != nullptr;
  if (const auto version = section.text("nccl", Need::optional)) {
    if (const auto family = family_of_version(*version)) {
      group.nccl = *version;
      group.family = *family;
    } else {
      section.report("nccl", fmt::format("'{}' is no NCCL version that is known", *version),
                     "write it like \"2.29.7\"; 2.4 is the oldest");
    }
  }
  if (const auto name = section.text("pool", Need::optional)) {
    if (const auto pool = parse_pool(*name)) {
      group.pool = *pool;
    } else {
      for (const Error& error : pool.problems()) section.report("pool", error.what, error.hint);
    }
  }
  read_choice<NicLayout>(section, "nic_layout", kLayouts, Need::optional, group.nic_layout);
}

GroupSection read_group(TomlSection& section, const GroupContext& context) {
  GroupSection into;
  into.line = section.line();
  ScenarioGroup& group = into.group;
  group.name = section.text("name").value_or("");
  if (!group.name.empty()) section.rename(fmt::format("group '{}'", group.name));
  read_choice<Collective>(section, "collective", kCollectives, Need::required, group.collective);
  read_shape(section, context, group);
  read_software(section, into);
  read_measured_files(section, into);
  read_plans(section, into);
  read_out_of_scope(section, into);
  section.finish();
  return into;
}

}  // namespace

std::vector<GroupSection> read_groups(TomlSection& root, const GroupContext& context) {
  std::optional<TomlSection> group_defaults;
  auto defaults = root.table("defaults", Need::optional);
  if (defaults) {
    group_defaults = defaults->table("group");
    if (group_defaults) group_defaults->rename("[defaults.group]");
    defaults->finish();
  }
  std::vector<GroupSection> groups;
  for (TomlSection& section : root.tables("group")) {
    if (group_defaults) section.fall_back_to(*group_defaults);
    GroupSection group = read_group(section, context);
    const auto same = [&](const GroupSection& other) { return other.group.name == group.group.name; };
    if (!group.group.name.empty() && std::ranges::any_of(groups, same))
      section.report("name", fmt::format("two groups are named '{}'", group.group.name), "names are unique");
    groups.push_back(std::move(group));
  }
  if (groups.empty())
    root.report("group", "the scenario has no [[group]]", "add at least one group of experiments");
  if (group_defaults && !groups.empty()) group_defaults->finish();
  return groups;
}

}  // namespace caliper
