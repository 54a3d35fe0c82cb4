#include "scenarios/placement_section.hpp"

#include <set>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

/// One name a line in rank order; blank lines and lines that start with '#' do not count.
std::vector<std::uint32_t> read_ranks_file(const Machine& machine, std::string_view content,
                                           const std::string& name, Problems& problems) {
  std::vector<std::uint32_t> nodes;
  std::set<std::uint32_t> seen;
  std::uint32_t number = 0;
  for (const std::string_view line : split_lines(content)) {
    ++number;
    const std::string_view node_name = trim(line);
    if (node_name.empty() || node_name.starts_with('#')) continue;
    const std::string where = fmt::format("{}:{}", name, number);
    const auto node = machine.find_node(node_name);
    if (!node)
      problems.push_back(
          {where, fmt::format("unknown node '{}'", node_name), "one node name a line, in rank order"});
    else if (!seen.insert(*node).second)
      problems.push_back({where,
                          fmt::format("node '{}' stands twice, its ranks would be duplicates", node_name),
                          "every node once"});
    else
      nodes.push_back(*node);
  }
  if (nodes.empty() && problems.empty())
    problems.push_back({name + ":1", "names no node", "one node name a line"});
  return nodes;
}

Placement read_placement(TomlSection& section, std::string name, const Machine* machine, InputFiles& inputs) {
  Placement placement{std::move(name), section.text("source").value_or(""), {}};
  const auto hostlist = section.text("nodes", Need::optional);
  const auto ranks_file = section.text("ranks_file", Need::optional);
  const bool has_nodes = section.value("nodes", Need::optional),
             has_file = section.value("ranks_file", Need::optional);
  if (has_nodes == has_file) {
    section.file().report(section.line(),
                          fmt::format("{} has {} 'nodes' {} 'ranks_file'", section.name(),
                                      has_nodes ? "both" : "neither", has_nodes ? "and" : "nor"),
                          "it needs one of them: a hostlist, or a file of node names in rank order");
  } else if (hostlist && machine) {
    auto made = make_placement(*machine, placement.name, *hostlist, placement.source);
    if (made) {
      placement = std::move(*made);
    } else {
      for (const Error& error : made.problems()) section.report("nodes", error.what, error.hint);
    }
  } else if (ranks_file) {
    const auto path = inputs.resolve(*ranks_file);
    const auto content = inputs.read(path);
    Problems problems;
    if (!content)
      problems = content.problems();
    else if (machine)
      placement.nodes = read_ranks_file(*machine, *content, inputs.shown(path), problems);
    if (!problems.empty()) placement.nodes.clear();
    section.file().report(section.line_of("ranks_file"), std::move(problems));
  }
  section.finish();
  return placement;
}

}  // namespace

std::vector<Placement> read_placements(TomlSection& root, const Machine* machine, InputFiles& inputs) {
  std::vector<Placement> placements;
  for (auto& [name, section] : root.named_tables("placement"))
    placements.push_back(read_placement(section, name, machine, inputs));
  return placements;
}

}  // namespace caliper
