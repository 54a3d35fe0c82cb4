#include "scenarios/direct_facts.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/units.hpp"
#include "collectives/plan.hpp"
#include "scenarios/scenario_simulator.hpp"

namespace caliper {
namespace {

std::string rate(double bytes_per_second) { return format_quantity(bytes_per_second, Dimension::rate, 6); }

/// Each different text once, with the groups that it holds for where there are several.
std::string over_groups(const Scenario& scenario, const std::function<std::string(std::uint32_t)>& text_of) {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (std::uint32_t g = 0; g < scenario.groups.size(); ++g) {
    const std::string text = text_of(g);
    const auto same = std::ranges::find(values, text, [](const auto& value) { return value.first; });
    if (same == values.end())
      values.push_back({text, {scenario.groups[g].name}});
    else
      same->second.push_back(scenario.groups[g].name);
  }
  if (values.size() == 1) return values[0].first;
  std::vector<std::string> parts;
  for (const auto& [text, groups] : values)
    parts.push_back(fmt::format("{} ({})", text, fmt::join(groups, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The execution at the largest measured size with a plan (or at the begin of the first plan).
std::optional<Execution> typical_execution(const Scenario& scenario, std::uint32_t group) {
  const ScenarioGroup& g = scenario.groups[group];
  std::uint64_t bytes = g.plans.empty() ? 0 : g.plans.front().sizes.begin;
  for (const ExperimentId id : scenario.dataset.of_group(group))
    if (g.plan_for(scenario.dataset[id].bytes)) bytes = scenario.dataset[id].bytes;
  auto execution = execution_of(scenario, group, bytes);
  return execution ? std::optional(*std::move(execution)) : std::nullopt;
}

std::string channels_text(const Scenario& scenario, std::uint32_t group) {
  const auto execution = typical_execution(scenario, group);
  if (!execution) return "no plan";
  return fmt::format("{}, {}", execution->channels(), name_of(execution->channels_origin));
}

std::string ring_text(const Scenario& scenario, std::uint32_t group) {
  const auto execution = typical_execution(scenario, group);
  if (!execution) return "no plan";
  return fmt::format("one per channel, {}", name_of(execution->rings_origin));
}

/// "4 a pair", or by GPU where pairs differ: "0 1 1 2; 1 0 2 1; ...".
std::string nvlinks_of(const NodeSpec& node) {
  if (node.nvlinks.empty()) return fmt::format("{} a pair", node.nvlinks_per_pair);
  std::string text;
  for (std::uint32_t gpu = 0; gpu < node.gpus; ++gpu)
    text += fmt::format(
        "{}{}", gpu == 0 ? "" : "; ",
        fmt::join(node.nvlinks.begin() + gpu * node.gpus, node.nvlinks.begin() + (gpu + 1) * node.gpus, " "));
  return text;
}

/// Each different text once, with the sizes that it holds for where there are several.
template <class TextOf>
std::string over_plans(const ScenarioGroup& group, TextOf text_of) {
  if (group.plans.empty()) return "no plan";
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (const PlanRange& plan : group.plans) {
    const std::string text = text_of(plan);
    auto same = std::ranges::find(values, text, [](const auto& value) { return value.first; });
    if (same == values.end()) same = values.insert(same, {text, {}});
    same->second.push_back(format_size_range(plan.sizes));
  }
  if (values.size() == 1) return values.front().first;
  std::vector<std::string> parts;
  for (const auto& [text, sizes] : values)
    parts.push_back(fmt::format("{} [{}]", text, fmt::join(sizes, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string chunk_text(const PlanRange& plan) {
  const Connection connection = connection_of(plan.algorithm, plan.protocol);
  return fmt::format("by NCCL's partition, at most {} (see explain)",
                     format_bytes(connection.slices_per_chunk * connection.slot_bytes));
}

std::string slice_text(const PlanRange& plan) {
  const Connection connection = connection_of(plan.algorithm, plan.protocol);
  if (connection.slices_per_chunk == 1) return "the chunk";
  return fmt::format("half a chunk, at least 32 KiB, at most {}", format_bytes(connection.slot_bytes));
}

std::string window_text(const PlanRange& plan) {
  return fmt::format("{} slices", connection_of(plan.algorithm, plan.protocol).window);
}

std::map<std::string, std::string, std::less<>> texts_of(const Scenario& scenario) {
  const NodeSpec& node = scenario.machine.spec().node;
  const DragonflyPlusSpec& fabric = scenario.machine.spec().fabric;
  const auto of_groups = [&scenario](auto text_of) {
    return over_groups(scenario,
                       [&](std::uint32_t g) { return std::string(text_of(scenario.groups[g], g)); });
  };
  const auto of_network = [&node](std::string text) {
    return node.nics > 0 ? text : std::string("none, nodes have no NICs");
  };
  using Group = const ScenarioGroup&;
  return {
      {"node.gpus", fmt::format("{} x {}", node.gpus, node.gpu_model)},
      {"node.nics", fmt::format("{}", node.nics)},
      {"node.nic_of_gpu", of_network(fmt::format("{}", fmt::join(node.nic_of_gpu, ", ")))},
      {"nvlink.links", nvlinks_of(node)},
      {"nvlink.rate", rate(node.nvlink_rate)},
      {"nic.rate", of_network(rate(node.nic_rate))},
      {"pcie.rate", of_network(rate(node.pcie_rate))},
      {"fabric.shape", of_network(fmt::format("{} groups, {} leaves and {} spines a group, {} nodes a leaf",
                                              scenario.machine.groups(), fabric.leaves_per_group,
                                              fabric.spines_per_group, fabric.nodes_per_leaf))},
      {"fabric.links", of_network(fmt::format("{} a leaf and spine, {} a pair of groups",
                                              fabric.links_per_leaf_spine, fabric.links_per_group_pair))},
      {"fabric.rates", of_network(fmt::format("leaf-spine {}, global {}", rate(fabric.leaf_spine_rate),
                                              rate(fabric.global_rate)))},
      {"fabric.routing", of_network("minimal")},
      {"placement.nodes", of_groups([&scenario](Group g, std::uint32_t) {
         const Placement& placement = scenario.placements[g.placement];
         return fmt::format("{}: first {} nodes from {}", placement.name, g.nodes,
                            scenario.machine.node_name(placement.nodes.front()));
       })},
      {"placement.rank_order", "node by node, GPUs ascending"},
      {"collective", of_groups([](Group g, std::uint32_t) { return std::string(name_of(g.collective)); })},
      {"message size", of_groups([&scenario](Group, std::uint32_t g) {
         const auto ids = scenario.dataset.of_group(g);
         if (ids.empty()) return std::string("none measured");
         return fmt::format("{} sizes, {} .. {}", ids.size(),
                            format_bytes(scenario.dataset[ids.front()].bytes),
                            format_bytes(scenario.dataset[ids.back()].bytes));
       })},
      {"ranks", of_groups([](Group g, std::uint32_t) {
         return fmt::format("{} nodes x {} GPUs", g.nodes, g.gpus_per_node);
       })},
      {"nccl.version", of_groups([](Group g, std::uint32_t) {
         return fmt::format("{}, family {}", g.nccl, name_of(g.family));
       })},
      {"algorithm", of_groups([](Group g, std::uint32_t) {
         return over_plans(g, [](const PlanRange& plan) { return std::string(name_of(plan.algorithm)); });
       })},
      {"protocol", of_groups([](Group g, std::uint32_t) {
         return over_plans(g, [](const PlanRange& plan) { return std::string(name_of(plan.protocol)); });
       })},
      {"channels", of_groups([&scenario](Group, std::uint32_t g) { return channels_text(scenario, g); })},
      {"ring_order", of_groups([&scenario](Group, std::uint32_t g) { return ring_text(scenario, g); })},
      {"nic_layout", of_groups([](Group g, std::uint32_t) {
         return g.nodes > 1 ? std::string(name_of(g.nic_layout)) : std::string("none used");
       })},
      {"chunk_size", of_groups([](Group g, std::uint32_t) { return over_plans(g, chunk_text); })},
      {"slice_size", of_groups([](Group g, std::uint32_t) { return over_plans(g, slice_text); })},
      {"window", of_groups([](Group g, std::uint32_t) { return over_plans(g, window_text); })},
  };
}

}  // namespace

std::vector<DirectFact> direct_facts(const Scenario& scenario) {
  const auto texts = texts_of(scenario);
  std::vector<DirectFact> facts;
  for (const DirectParameter& row : scenario.parameters.direct()) {
    const auto text = texts.find(row.id);
    CALIPER_CHECK(text != texts.end());
    facts.push_back({row.id, row.meaning, text->second, row.given_by});
  }
  return facts;
}

}  // namespace caliper
