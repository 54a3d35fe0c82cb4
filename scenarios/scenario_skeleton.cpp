#include "scenarios/scenario_skeleton.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "scenarios/parameter_table.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/toml_text.hpp"
#include "validation/measurement_cells.hpp"

namespace caliper {
namespace {

/// Where no table says which library ran; it decides how buffers are cut.
constexpr const char* kAssumedNccl = "2.29.7";

/// One table on its way into the scenario.
struct Candidate {
  const SkeletonTable* table;
  ScenarioGroup group;
  bool nccl_assumed = false;
  std::set<std::uint64_t> sizes;                  ///< measured, with a plan
  std::map<std::uint64_t, std::string> left_out;  ///< measured, but no program can be made: why
};

std::string_view short_name(Collective collective) {
  return collective == Collective::all_reduce ? "ar" : collective == Collective::all_gather ? "ag" : "rs";
}

/// "n[01-03],m7" of names in this order: neighbours that count up share a bracket.
std::string hostlist_of(const std::vector<std::string>& names) {
  const auto parts = [](const std::string& name) {
    const auto last_other = name.find_last_not_of("0123456789");
    const std::size_t digits = last_other == std::string::npos ? 0 : last_other + 1;
    return std::pair{name.substr(0, digits), name.substr(digits)};
  };
  const auto follows = [&](const std::string& a, const std::string& b) {
    const auto [stem_a, number_a] = parts(a);
    const auto [stem_b, number_b] = parts(b);
    const auto left = parse_uint(number_a), right = parse_uint(number_b);
    return stem_a == stem_b && number_a.size() == number_b.size() && left && right && *left + 1 == *right;
  };
  std::vector<std::string> items;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t last = first;
    while (last + 1 < names.size() && follows(names[last], names[last + 1])) ++last;
    const auto [stem, number] = parts(names[first]);
    items.push_back(first == last ? names[first]
                                  : fmt::format("{}[{}-{}]", stem, number, parts(names[last]).second));
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(items, ","));
}

/// The NCCL version that tables agree on, for those that do not say.
std::optional<std::string> common_nccl(const std::vector<SkeletonTable>& tables) {
  std::set<std::string> versions;
  for (const SkeletonTable& table : tables)
    if (table.log.facts.nccl_version) versions.insert(*table.log.facts.nccl_version);
  return versions.size() == 1 ? std::optional(*versions.begin()) : std::nullopt;
}

/// The group of a table; its reason where there can be none.
Result<Candidate> candidate_of(const SkeletonTable& table, const Machine& machine,
                               const std::string& other_nccl) {
  const RunFacts& facts = table.log.facts;
  const auto no = [](std::string what) { return Error{"", std::move(what), ""}; };
  if (!facts.collective) return no("its collective is not named");
  const auto collective = collective_named(*facts.collective);
  if (!collective) return no(fmt::format("{} is not simulated", *facts.collective));
  const ElementType* type = facts.data_type ? find_element_type(*facts.data_type) : nullptr;
  if (!type) return no("its data type is not stated");
  if (!facts.nodes || !facts.gpus_per_node) return no("its nodes and GPUs a node are not stated");
  if (*facts.nodes * *facts.gpus_per_node < 2) return no("one rank sends nothing");
  Candidate candidate{.table = &table, .group = {}, .sizes = {}, .left_out = {}};
  ScenarioGroup& group = candidate.group;
  group.collective = *collective;
  group.nodes = *facts.nodes;
  group.gpus_per_node = *facts.gpus_per_node;
  group.data_type = type->name;
  group.element_bytes = type->bytes;
  group.nccl = facts.nccl_version.value_or(other_nccl);
  candidate.nccl_assumed = !facts.nccl_version;
  const auto family = family_of_version(group.nccl);
  if (!family) return no(fmt::format("NCCL {} is not known", group.nccl));
  group.family = *family;
  group.plans.emplace_back();
  const auto in_place = [](const Measurement& m) { return m.buffers == Buffers::in_place; };
  group.pool = std::any_of(table.log.measurements.begin(), table.log.measurements.end(), in_place)
                   ? Pool::in_place
                   : Pool::out_of_place;
  if (group.nodes > machine.nodes() || group.gpus_per_node > machine.spec().node.gpus)
    return no(fmt::format("{} x {} GPUs are more than the system has", group.nodes, group.gpus_per_node));
  Placement first{"A", "", {}};
  for (std::uint32_t node = 0; node < group.nodes; ++node) first.nodes.push_back(node);
  auto ranks = first.ranks(machine, group.nodes, group.gpus_per_node);
  if (!ranks) return no(describe(ranks.problems()));
  group.ranks = *std::move(ranks);
  return candidate;
}

/// Sorts the measured sizes into those that can be simulated and others. The costly test, whether a program
/// fits the memory, is made from the largest size down to the first that fits.
void try_sizes(Candidate& candidate, const Machine& machine) {
  Scenario scenario{.title = {},
                    .data_kind = DataKind::measured,
                    .machine = machine,
                    .placements = {},
                    .groups = {candidate.group},
                    .dataset = {},
                    .split = {},
                    .parameters = parameter_table(false),
                    .stages = {},
                    .fixed = {},
                    .model_gaps = {},
                    .inputs = {},
                    .skipped = {}};
  const Buffers wanted =
      candidate.group.pool == Pool::out_of_place ? Buffers::out_of_place : Buffers::in_place;
  for (const Measurement& measurement : candidate.table->log.measurements) {
    const auto execution = execution_of(scenario, 0, measurement.bytes);
    if (!execution)
      candidate.left_out.emplace(measurement.bytes, execution.problems().front().what);
    else if (measurement.buffers == wanted)
      candidate.sizes.insert(measurement.bytes);
  }
  while (!candidate.sizes.empty()) {
    const std::uint64_t largest = *candidate.sizes.rbegin();
    const auto programs = GroupPrograms::build(scenario, 0, {largest});
    if (programs) return;
    candidate.left_out.emplace(largest, programs.problems().front().what);
    candidate.sizes.erase(largest);
  }
}

void add_plans(std::string& toml, const Candidate& candidate) {
  // Plans cover everything between the sizes that are left out; those are out of scope, each by itself.
  std::vector<std::pair<SizeRange, std::string>> gaps;
  for (const auto& [bytes, reason] : candidate.left_out) gaps.push_back({{bytes, bytes + 1}, reason});
  std::uint64_t begin = 0;
  const auto add_plan = [&](SizeRange range) {
    if (range.begin >= range.end) return;
    toml += fmt::format(
        "[[group.plan]]\nsizes = {}\nalgorithm = \"ring\"\nprotocol = \"simple\"\n"
        "source = \"derived\"\n",
        toml_string(format_size_range(range)));
  };
  for (const auto& [range, reason] : gaps) {
    add_plan({begin, range.begin});
    begin = range.end;
  }
  add_plan({begin, SizeRange::kNoEnd});
  for (const auto& [range, reason] : gaps)
    toml += fmt::format("[[group.out_of_scope]]         # left out\nsizes = {}\nreason = {}\n",
                        toml_string(format_size_range(range)), toml_string("cannot be simulated: " + reason));
}

std::string comment_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

void add_group(std::string& toml, const Candidate& candidate) {
  const ScenarioGroup& group = candidate.group;
  toml += fmt::format(
      "\n[[group]]\nname = {}\ncollective = \"{}\"\nnodes = {}\ngpus_per_node = {}\n"
      "data_type = \"{}\"\nnccl = {}{}\n",
      toml_string(group.name), name_of(group.collective), group.nodes, group.gpus_per_node, group.data_type,
      toml_string(group.nccl), candidate.nccl_assumed ? "             # assumed: the file does not say" : "");
  if (group.pool == Pool::out_of_place)
    toml += "pool = \"out_of_place\"          # nothing else was measured\n";
  for (const std::string& note : candidate.table->log.notes)
    toml += fmt::format("# note: {}\n", comment_of(note));
  toml += fmt::format("[[group.measured]]\nfile = {}\n", toml_string(candidate.table->file));
  add_plans(toml, candidate);
}

/// Every second size: what lies between is held out.
void add_stage(std::string& toml, std::string_view name, const char* tune, const Candidate& candidate) {
  toml += fmt::format(
      "\n[[stage]]\nname = \"{}\"\ntune = {}\nfit = [{{ group = {}, sizes = {{ every = 2, from = 0 }} }}]\n"
      "loss = \"log_rmse\"\nbudget = {{ iterations = 30, wall = \"10 min\" }}\n",
      name, tune, toml_string(candidate.group.name));
}

void add_stages(std::string& toml, const std::vector<Candidate>& groups) {
  constexpr std::size_t kEnoughSizes = 4;
  const Candidate *up = nullptr, *out = nullptr;
  for (const Candidate& group : groups) {
    const ScenarioGroup& g = group.group;
    if (g.collective != Collective::all_reduce || group.sizes.size() < kEnoughSizes || g.ranks.size() < 2)
      continue;
    const Candidate*& best = g.nodes == 1 ? up : out;
    if (!best || best->group.ranks.size() < g.ranks.size()) best = &group;
  }
  toml += up || out ? "\n# A proposal: parameters of the node on AllReduce inside one, then those of the "
                      "network on the\n"
                      "# largest communicator. What no stage fits is held out.\n"
                    : "\n# No [[stage]]: that takes an AllReduce of four sizes or more, inside a node or "
                      "between nodes.\n";
  if (up)
    add_stage(toml, "scale-up",
              R"(["gpu.launch", "gpu.slice_overhead", "gpu.channel_rate", "gpu.copy_rate"])", *up);
  if (out) add_stage(toml, "scale-out", R"(["net.send_delay", "net.duplex"])", *out);
  toml += "\n[validate]\ngroups = \"all\"\n";
}

std::string header(const std::string& system, const Machine& machine, const std::vector<Candidate>& groups) {
  std::uint32_t nodes = 1;
  std::set<std::string> gpus;
  for (const Candidate& candidate : groups) {
    nodes = std::max(nodes, candidate.group.nodes);
    if (candidate.table->log.facts.gpu_model) gpus.insert(comment_of(*candidate.table->log.facts.gpu_model));
  }
  std::vector<std::string> names;
  for (std::uint32_t node = 0; node < nodes; ++node) names.push_back(machine.node_name(node));
  return fmt::format(
      R"(# A skeleton made from measurements: it runs as it stands. Before you believe it, decide
#  * where the ranks ran: placement A is the first nodes of the system;
#  * which sizes ran Ring and Simple at all: NCCL takes LL and LL128 for small ones, Tree for some scales. Declare the
#    others before anything is fitted, in the group that they are of:
#      [[group.out_of_scope]]
#      sizes = ".. 64 MiB"
#      reason = "protocol switch"
# GPUs that the files name: {}; of the system: {}.
schema = 1
title = "Imported measurements"
system = {}

[placement.A]
nodes = {}
source = "assumed: the first nodes of the system; the files do not say where the ranks ran"

[defaults.group]
placement = "A"
)",
      gpus.empty() ? "none" : fmt::format("{}", fmt::join(gpus, ", ")), machine.spec().node.gpu_model,
      toml_string(system), toml_string(hostlist_of(names)));
}

}  // namespace

namespace {

/// The earlier table with the same measurements; null where there is none.
const SkeletonTable* copied_from(const std::vector<SkeletonTable>& tables, const SkeletonTable& table) {
  const auto same = [](const Measurement& a, const Measurement& b) {
    return a.bytes == b.bytes && a.seconds == b.seconds && a.buffers == b.buffers;
  };
  for (const SkeletonTable& other : tables) {
    if (&other == &table) return nullptr;
    const RunFacts &a = other.log.facts, &b = table.log.facts;
    if (a.collective == b.collective && a.nodes == b.nodes && a.gpus_per_node == b.gpus_per_node &&
        std::ranges::equal(other.log.measurements, table.log.measurements, same))
      return &other;
  }
  return nullptr;
}

}  // namespace

Result<std::string> scenario_skeleton(const std::string& system, const Machine& machine,
                                      const std::vector<SkeletonTable>& tables) {
  const std::string other_nccl = common_nccl(tables).value_or(kAssumedNccl);
  std::vector<Candidate> groups;
  Problems left_out;
  std::map<std::string, int> names;
  for (const SkeletonTable& table : tables) {
    const std::string where = fmt::format("{} ({})", table.file, label(table.log));
    auto candidate = candidate_of(table, machine, other_nccl);
    if (const SkeletonTable* first = copied_from(tables, table))
      candidate = Error{"", fmt::format("holds the same measurements as {}", first->file), ""};
    if (candidate) try_sizes(*candidate, machine);
    if (!candidate) {
      left_out.push_back({where, candidate.problems().front().what, ""});
    } else if (candidate->sizes.empty()) {
      left_out.push_back({where, candidate->left_out.begin()->second, ""});
    } else {
      ScenarioGroup& group = candidate->group;
      group.name = fmt::format("{}-{}x{}", short_name(group.collective), group.nodes, group.gpus_per_node);
      if (const int number = ++names[group.name]; number > 1) group.name += fmt::format("-{}", number);
      groups.push_back(*std::move(candidate));
    }
  }
  if (groups.empty()) return left_out;
  std::string toml = header(system, machine, groups);
  for (const Candidate& candidate : groups) add_group(toml, candidate);
  if (!left_out.empty()) toml += "\n# Left out:\n";
  for (const Error& error : left_out) toml += fmt::format("#   {}\n", comment_of(describe(error)));
  add_stages(toml, groups);
  return toml;
}

}  // namespace caliper
