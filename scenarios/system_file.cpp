#include "scenarios/system_file.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "scenarios/toml_section.hpp"

namespace caliper {

namespace fs = std::filesystem;

namespace {

constexpr Bounds kRate{1, 1e18};  // bytes/s; a rate of nothing is no link
constexpr std::uint32_t kMostPorts = 100'000;

/// A fact as Machine::build names it ("node.gpus", "group 0"), and where the file states it.
struct StatedFact {
  std::string name;
  std::uint32_t line;
};

/// One table of facts: reads a key and remembers that the fact "prefix.key" needs a source.
class Facts {
 public:
  Facts(TomlSection section, std::string prefix, std::vector<StatedFact>& stated)
      : section_(std::move(section)), prefix_(std::move(prefix)), stated_(stated) {}

  std::string text(std::string_view key) { return section_.text(noted(key)).value_or(""); }
  std::uint32_t count(std::string_view key, std::uint32_t lower = 1) {
    return section_.count(noted(key), Need::required, lower, kMostPorts).value_or(0);
  }
  double rate(std::string_view key) {
    return section_.quantity(noted(key), Dimension::rate, Need::required, kRate).value_or(0);
  }
  std::vector<std::uint32_t> counts(std::string_view key) { return section_.counts(noted(key)); }
  const TomlEntry* value(std::string_view key) { return section_.value(noted(key)); }
  TomlSection& section() { return section_; }

 private:
  std::string_view noted(std::string_view key) {
    stated_.push_back({fmt::format("{}.{}", prefix_, key), section_.line_of(key)});
    return key;
  }
  TomlSection section_;
  std::string prefix_;
  std::vector<StatedFact>& stated_;
};

/// A row for each GPU.
std::vector<std::uint32_t> read_nvlinks(Facts& facts, std::uint32_t gpus) {
  TomlSection& section = facts.section();
  const TomlEntry* entry = facts.value("nvlinks");
  const auto* rows = std::get_if<TomlArray>(&entry->value.content);
  std::vector<std::uint32_t> links;
  bool square = rows && rows->size() == gpus;
  for (std::size_t i = 0; square && i < rows->size(); ++i) {
    const auto* row = std::get_if<TomlArray>(&(*rows)[i].content);
    square = row && row->size() == gpus;
    for (std::size_t j = 0; square && j < row->size(); ++j) {
      const auto* count = std::get_if<std::int64_t>(&(*row)[j].content);
      square = count && *count >= 0 && *count <= kMostPorts;
      if (square) links.push_back(static_cast<std::uint32_t>(*count));
    }
  }
  if (square) return links;
  section.report("nvlinks", fmt::format("'nvlinks' is no table of {} x {} whole numbers from 0", gpus, gpus),
                 "a row for each GPU, with the links to each GPU: nvlinks = [[0, 2], [2, 0]]");
  return {};
}

NodeSpec read_node(Facts facts) {
  NodeSpec node;
  node.gpu_model = facts.text("gpu_model");
  node.compute_capability = facts.count("compute_capability", 10);
  node.gpus = facts.count("gpus");
  TomlSection& section = facts.section();
  if (section.value("nvlinks", Need::optional))
    node.nvlinks = read_nvlinks(facts, node.gpus);
  else
    node.nvlinks_per_pair = facts.count("nvlinks_per_pair");
  node.nvlink_rate = facts.rate("nvlink_rate");
  node.nics = facts.count("nics", 0);
  if (node.nics > 0) {
    node.nic_rate = facts.rate("nic_rate");
    node.nic_of_gpu = facts.counts("nic_of_gpu");
    node.pcie_rate = facts.rate("pcie_rate");
  }
  if (!node.nic_of_gpu.empty() && node.gpus > 0 && node.nic_of_gpu.size() != node.gpus)
    section.report("nic_of_gpu",
                   fmt::format("'nic_of_gpu' has {} entries for {} GPUs", node.nic_of_gpu.size(), node.gpus),
                   "it names one NIC for each GPU");
  for (const std::uint32_t nic : node.nic_of_gpu)
    if (node.nics > 0 && nic >= node.nics)
      section.report("nic_of_gpu", fmt::format("'nic_of_gpu' names NIC {}", nic),
                     fmt::format("the node has NICs 0 to {}", node.nics - 1));
  section.finish();
  return node;
}

DragonflyPlusSpec read_fabric(Facts facts) {
  DragonflyPlusSpec fabric;
  TomlSection& section = facts.section();
  if (const std::string type = facts.text("type"); !type.empty() && type != "dragonfly-plus")
    section.report("type", fmt::format("fabric type '{}' is not known", type), "one of: dragonfly-plus");
  fabric.leaves_per_group = facts.count("leaves_per_group");
  fabric.spines_per_group = facts.count("spines_per_group");
  fabric.nodes_per_leaf = facts.count("nodes_per_leaf");
  fabric.links_per_leaf_spine = facts.count("links_per_leaf_spine");
  fabric.leaf_spine_rate = facts.rate("leaf_spine_rate");
  fabric.links_per_group_pair = facts.count("links_per_group_pair", 0);  // none where there is one group
  fabric.global_rate = facts.rate("global_rate");
  section.finish();
  return fabric;
}

void read_sources(TomlSection& root, const std::vector<StatedFact>& stated, SystemSpec& spec) {
  auto section = root.table("sources");
  if (!section) return;
  std::vector<std::string> facts;
  for (const StatedFact& fact : stated) facts.push_back(fact.name);
  facts.push_back("group.nodes");
  for (const std::string& fact : facts) {
    if (!section->value(fact, Need::optional))
      section->file().report(
          section->line(), fmt::format("fact '{}' has no source", fact),
          fmt::format("add \"{}\" = \"https://...\" or \"assumed: why\" to [sources]", fact));
    else if (auto source = section->text(fact))
      spec.sources[fact] = *source;
  }
  section->finish();
}

struct SystemFile {
  SystemSpec spec;
  std::vector<StatedFact> stated;
};

SystemFile read_root(TomlSection& root) {
  SystemSpec spec;
  root.count("schema", Need::required, 1, 1);
  spec.title = root.text("title").value_or("");
  std::vector<StatedFact> stated;
  if (auto section = root.table("node")) spec.node = read_node(Facts(std::move(*section), "node", stated));
  const Need fabric = spec.node.nics > 0 ? Need::required : Need::optional;
  if (spec.node.nics == 0 && root.value("fabric", Need::optional))
    root.report("fabric", "[fabric] of nodes without NICs", "give 'nics' of [node], or leave [fabric] out");
  else if (auto section = root.table("fabric", fabric))
    spec.fabric = read_fabric(Facts(std::move(*section), "fabric", stated));
  read_sources(root, stated, spec);
  for (TomlSection& group : root.tables("group")) {
    if (auto nodes = group.text("nodes")) {
      stated.push_back({fmt::format("group {}", spec.group_nodes.size()), group.line_of("nodes")});
      spec.group_nodes.push_back(*nodes);
    }
    group.finish();
  }
  if (spec.group_nodes.empty())
    root.report("group", "the system has no nodes", "add [[group]] with nodes = \"name[1-48]\"");
  root.finish();
  return {std::move(spec), std::move(stated)};
}

Result<SystemFile> read_system_file(std::string_view content, std::string name, const std::string& file) {
  const auto table = parse_toml(content, file);
  if (!table) return table.problems();
  TomlFile reading{file, {}};
  TomlSection root(reading, *table, "the system file", 1);
  SystemFile system = read_root(root);
  system.spec.name = std::move(name);
  if (!reading.problems.empty()) return reading.problems;
  return system;
}

}  // namespace

Result<SystemSpec> read_system(std::string_view content, std::string name, const std::string& file) {
  auto system = read_system_file(content, std::move(name), file);
  if (!system) return system.problems();
  return std::move(system->spec);
}

Result<Machine> read_machine(std::string_view content, std::string name, const std::string& file) {
  auto system = read_system_file(content, std::move(name), file);
  if (!system) return system.problems();
  auto machine = Machine::build(std::move(system->spec));
  if (machine) return machine;
  TomlFile reading{file, {}};
  for (const Error& error : machine.problems()) {
    const auto fact = std::ranges::find(system->stated, error.where, &StatedFact::name);
    if (fact != system->stated.end())
      reading.report(fact->line, fmt::format("{}: {}", error.where, error.what), error.hint);
    else
      reading.report(1, error.what, error.hint);
  }
  return std::move(reading.problems);
}

Result<fs::path> find_system(const std::string& name_or_path, const fs::path& base, const fs::path& systems) {
  std::error_code code;
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) {
    const fs::path path = base / name_or_path;
    if (fs::is_regular_file(path, code)) return path;
    return Error{"", fmt::format("system file '{}' does not exist", path.string()),
                 "a path is relative to the file that names it"};
  }
  const fs::path path = systems / (name_or_path + ".toml");
  if (fs::is_regular_file(path, code)) return path;
  std::vector<std::string> known;
  for (fs::directory_iterator at(systems, code), end; !code && at != end; at.increment(code))
    if (at->path().extension() == ".toml") known.push_back(at->path().stem().string());
  std::ranges::sort(known);
  return Error{"", fmt::format("unknown system '{}'", name_or_path),
               fmt::format("{} in {}; or the path of a system file", suggestion(name_or_path, known),
                           systems.string())};
}

}  // namespace caliper
