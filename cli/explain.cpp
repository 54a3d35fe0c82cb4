// calipersim explain: what is fixed, what is tuned, which plan runs, where each fact comes from, and what
// limits a run.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/limits.hpp"
#include "cli/options.hpp"
#include "collectives/plan.hpp"
#include "collectives/proof.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/direct_facts.hpp"
#include "scenarios/plan_picture.hpp"
#include "scenarios/scenario_simulator.hpp"

namespace caliper {
namespace {

using Json = nlohmann::ordered_json;

/// What is explained of one group at one size.
struct Explained {
  std::uint32_t group;
  std::uint64_t bytes;
  Execution execution;
  std::string program_hash;
  std::size_t operations;
  Json limits;
};

Json parameters_json(const Scenario& scenario) {
  const std::vector<double> start = scenario.starting_parameters();
  Json list = Json::array();
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i) {
    const AuxiliaryParameter& p = scenario.parameters[i];
    std::string role = "default";
    for (const FixedParameter& fixed : scenario.fixed)
      if (fixed.parameter == i) role = fmt::format("fixed: {}", fixed.reason);
    for (const ScenarioStage& stage : scenario.stages)
      for (const ParameterIndex tuned : stage.tune)
        if (tuned == i) role = fmt::format("tuned in stage {}", stage.name);
    list.push_back(
        {{"id", p.id},
         {"domain", name_of(p.domain)},
         {"value", format_quantity(start[i], p.dimension)},
         {"bounds", {format_quantity(p.lower, p.dimension), format_quantity(p.upper, p.dimension)}},
         {"role", role},
         {"meaning", p.meaning},
         {"source", p.source}});
  }
  return list;
}

Json direct_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const DirectFact& fact : direct_facts(scenario))
    list.push_back(
        {{"id", fact.id}, {"value", fact.value}, {"meaning", fact.meaning}, {"given_by", fact.given_by}});
  return list;
}

std::string ring_text(const Execution& execution, std::uint32_t channel) {
  constexpr std::size_t kMost = 32;
  const auto& order = execution.rings[channel].order;
  std::string text = fmt::format(
      "{}", fmt::join(order.begin(),
                      order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kMost)), " "));
  if (order.size() > kMost) text += fmt::format(" ... ({} ranks)", order.size());
  return text;
}

std::string crossing_text(const NodeCrossing& crossing) {
  return fmt::format("rank {} by gpu {} nic {} -> nic {} rank {}", crossing.from_rank, crossing.proxy_gpu.gpu,
                     crossing.out.nic, crossing.in.nic, crossing.to_rank);
}

/// Each rank as "parent<-rank", the root first.
Json tree_json(const Execution& execution, std::uint32_t channel) {
  constexpr std::size_t kMost = 32;
  const ChannelTree& tree = execution.trees[channel];
  std::vector<std::string> edges;
  for (std::uint32_t rank = 0; rank < tree.up.size(); ++rank)
    if (tree.up[rank] == kNoRank)
      edges.insert(edges.begin(), fmt::format("root {}:", rank));
    else
      edges.push_back(fmt::format("{}<-{}", tree.up[rank], rank));
  const bool cut = edges.size() > kMost;
  if (cut) edges.resize(kMost);
  Json json = {{"channel", channel},
               {"edges", fmt::format("{}{}", fmt::join(edges, " "),
                                     cut ? fmt::format(" ... ({} ranks)", tree.up.size()) : "")},
               {"crossings", Json::array()}};
  for (const TreeCrossing& crossing : tree.crossings)
    for (const NodeCrossing* way : {&crossing.up, &crossing.down})
      json["crossings"].push_back(crossing_text(*way));
  return json;
}

Json plan_json(const Scenario& scenario, const Explained& e) {
  const ScenarioGroup& group = scenario.groups[e.group];
  const Plan plan = make_plan(e.execution, e.bytes);
  const auto violation = prove(plan);
  Json json = {{"group", group.name},
               {"collective", name_of(group.collective)},
               {"ranks", e.execution.ranks()},
               {"size", format_bytes(e.bytes)},
               {"algorithm", name_of(e.execution.algorithm)},
               {"protocol", name_of(e.execution.protocol)},
               {"partition_family", name_of(e.execution.family)},
               {"channels", e.execution.channels()},
               {"channels_origin", name_of(e.execution.channels_origin)},
               {"channels_used", plan.channels()},
               {"rings_origin", name_of(e.execution.rings_origin)},
               {"window_slices", plan.window},
               {"bytes_sent", bytes_sent(plan)},
               {"operations", e.operations},
               {"program", e.program_hash},
               {"proof", violation ? violation->text : "every rank ends with the right data"}};
  json["limits"] = e.limits;
  json["derivation"] = e.execution.derivation;
  for (std::uint32_t c = 0; c < e.execution.trees.size(); ++c)
    json["trees"].push_back(tree_json(e.execution, c));
  for (std::uint32_t c = 0; c < e.execution.rings.size(); ++c) {
    Json ring = {{"channel", c}, {"order", ring_text(e.execution, c)}, {"crossings", Json::array()}};
    for (const NodeCrossing& crossing : e.execution.rings[c].crossings)
      ring["crossings"].push_back(crossing_text(crossing));
    json["rings"].push_back(ring);
  }
  json["chunks"] = Json::array();
  for (const ChunkRow& row : chunk_rows(plan))
    json["chunks"].push_back(
        {{"channels", fmt::format("{}-{}", row.first_channel, row.last_channel)},
         {"loops", row.loops},
         {"chunk_bytes", row.chunk_bytes},
         {"full_chunks", row.full_chunks},
         {"last_chunk_bytes", row.last_chunk_bytes},
         {"empty_chunks", row.empty_chunks},
         {"slice_bytes", std::vector(row.slices.begin(), row.slices.begin() + plan.slices_per_chunk)}});
  return json;
}

void print_parameters(const Json& json) {
  std::vector<std::vector<std::string>> rows = {{"auxiliary parameter", "value", "from", "to"}};
  std::vector<std::string> notes;
  for (const Json& p : json) {
    rows.push_back({p["id"], p["value"], p["bounds"][0], p["bounds"][1]});
    notes.push_back(fmt::format("  {} | {} | default: {}", p["role"].get<std::string>(),
                                p["meaning"].get<std::string>(), p["source"].get<std::string>()));
  }
  const std::string table = text_table(rows);
  std::size_t at = table.find('\n') + 1;
  fmt::print("{}", table.substr(0, at));
  for (const std::string& note : notes) {
    const std::size_t end = table.find('\n', at) + 1;
    fmt::print("{}{}\n", table.substr(at, end - at), note);
    at = end;
  }
}

/// "45056 + 45056".
std::string slices_text(const Json& slices) {
  std::string text;
  for (const Json& slice : slices) text += (text.empty() ? "" : " + ") + slice.dump();
  return text;
}

void print_plan(const Json& plan) {
  fmt::print("\n{} at {}: {} {} {} on {} ranks, {} of {} channels ({}), {}s {}\n",
             plan["group"].get<std::string>(), plan["size"].get<std::string>(),
             plan["collective"].get<std::string>(), plan["algorithm"].get<std::string>(),
             plan["protocol"].get<std::string>(), plan["ranks"].get<int>(), plan["channels_used"].get<int>(),
             plan["channels"].get<int>(), plan["channels_origin"].get<std::string>(),
             plan["algorithm"].get<std::string>(), plan["rings_origin"].get<std::string>());
  for (const Json& line : plan["derivation"]) fmt::print("  {}\n", line.get<std::string>());
  const bool trees = plan.contains("trees");
  for (const Json& ring : plan[trees ? "trees" : "rings"]) {
    fmt::print("  channel {:>2}: {}\n", ring["channel"].get<int>(),
               ring[trees ? "edges" : "order"].get<std::string>());
    for (const Json& crossing : ring["crossings"])
      fmt::print("              {}\n", crossing.get<std::string>());
  }
  std::vector<std::vector<std::string>> rows = {
      {"  channels", "loops", "chunk B", "full", "last B", "empty", "slices B"}};
  for (const Json& row : plan["chunks"])
    rows.push_back({"  " + row["channels"].get<std::string>(), row["loops"].dump(), row["chunk_bytes"].dump(),
                    row["full_chunks"].dump(), row["last_chunk_bytes"].dump(), row["empty_chunks"].dump(),
                    slices_text(row["slice_bytes"])});
  fmt::print("{}", text_table(rows));
  fmt::print("  window {} slices, {} operations, {} bytes sent in all\n  proof: {}\n  program {}\n",
             plan["window_slices"].dump(), plan["operations"].dump(), plan["bytes_sent"].dump(),
             plan["proof"].get<std::string>(), plan["program"].get<std::string>());
  print_limits(plan["limits"]);
}

Result<std::vector<Explained>> explain_groups(const Scenario& scenario,
                                              const std::vector<std::uint32_t>& groups,
                                              const std::vector<std::uint64_t>& sizes,
                                              ParameterView parameters) {
  std::vector<Explained> list;
  Problems problems;
  for (const std::uint32_t g : groups) {
    std::vector<std::uint64_t> of_group = sizes;
    if (of_group.empty())
      for (const ExperimentId id : scenario.dataset.of_group(g))
        if (scenario.groups[g].plan_for(scenario.dataset[id].bytes)) of_group = {scenario.dataset[id].bytes};
    if (of_group.empty())
      problems.push_back({fmt::format("group '{}'", scenario.groups[g].name),
                          "has no measured size to explain", "name sizes with --size 64MiB"});
    for (const std::uint64_t bytes : of_group) {
      const auto programs = GroupPrograms::build(scenario, g, {bytes});
      if (!programs)
        append(problems, programs.problems());
      else
        list.push_back({g, bytes, programs->execution(0), programs->hash(0),
                        operation_count(programs->plan(0)),
                        limits_json(scenario.parameters, programs->program(0), parameters)});
    }
  }
  if (!problems.empty()) return problems;
  return list;
}

std::string words_of(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return "AllReduce";
    case Collective::all_gather:
      return "AllGather";
    case Collective::reduce_scatter:
      return "ReduceScatter";
  }
  return {};
}

/// Problems: not one plan, a file that cannot be written.
Problems draw_plan(const Scenario& scenario, const std::vector<Explained>& explained,
                   const std::string& file) {
  if (explained.size() != 1)
    return {{"--svg", fmt::format("draws one plan, {} are asked for", explained.size()),
             "name one group, and one size: --group NAME --size 64MiB"}};
  const Explained& e = explained.front();
  const ScenarioGroup& group = scenario.groups[e.group];
  const std::string title = fmt::format("{} of {} on {} x {} GPUs", words_of(group.collective),
                                        format_bytes(e.bytes), group.nodes, group.gpus_per_node);
  const std::string subtitle =
      fmt::format("{}, group {}: {} {}, {} channels ({}), rings {}", scenario.machine.spec().name, group.name,
                  name_of(e.execution.algorithm), name_of(e.execution.protocol), e.execution.channels(),
                  name_of(e.execution.channels_origin), name_of(e.execution.rings_origin));
  return write_file(file, plan_svg(e.execution, scenario.machine, title, subtitle));
}

}  // namespace

int run_explain(const ExplainOptions& options) {
  const auto selection = select(options.scenario, options.groups, options.sizes);
  if (!selection) return report(selection.problems());
  const Scenario& scenario = selection->scenario;
  std::vector<std::string> doubts;
  const auto parameters = read_parameters(scenario, options.parameters, &doubts);
  if (!parameters) return report(parameters.problems());
  for (const std::string& doubt : doubts) warn(doubt);
  // Without a group: the parameters, and nothing of any plan.
  const bool with_plans = !options.groups.empty() || !options.sizes.empty();
  auto explained = explain_groups(scenario, with_plans ? selection->groups : std::vector<std::uint32_t>{},
                                  selection->sizes, *parameters);
  if (!explained) return report(explained.problems());
  if (!options.svg.empty())
    if (Problems problems = draw_plan(scenario, *explained, options.svg); !problems.empty())
      return report(problems);

  Json json = {
      {"title", scenario.title}, {"auxiliary", parameters_json(scenario)}, {"direct", direct_json(scenario)}};
  json["plans"] = Json::array();
  for (const Explained& e : *explained) json["plans"].push_back(plan_json(scenario, e));
  if (options.json) {
    fmt::print("{}\n", json.dump(2));
    return exit_code::kDone;
  }
  fmt::print("{}\n", scenario.title);
  if (!with_plans) {
    fmt::print("\n");
    print_parameters(json["auxiliary"]);
    fmt::print("\nDirect parameters, never tuned\n");
    for (const Json& fact : json["direct"])
      fmt::print("  {}: {}\n      {}; given by {}\n", fact["id"].get<std::string>(),
                 fact["value"].get<std::string>(), fact["meaning"].get<std::string>(),
                 fact["given_by"].get<std::string>());
    fmt::print("\nThe plan of a group: explain SCENARIO --group NAME [--size SIZE]\n");
  }
  for (const Json& plan : json["plans"]) print_plan(plan);
  return exit_code::kDone;
}

}  // namespace caliper
