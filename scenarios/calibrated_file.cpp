#include "scenarios/calibrated_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.hpp"
#include "scenarios/direct_facts.hpp"
#include "scenarios/scenario_simulator.hpp"
#include "scenarios/toml_section.hpp"
#include "scenarios/toml_text.hpp"
#include "scenarios/version.hpp"

namespace caliper {
namespace {

constexpr int kDigits = 6;

/// A number as the file writes it: quantities are strings with their unit.
std::string written(double value, Dimension dimension) {
  const std::string text = format_quantity(value, dimension, kDigits);
  return dimension == Dimension::number ? text : toml_string(text);
}

std::string parameter_line(const AuxiliaryParameter& row, const CalibratedParameter& parameter) {
  std::string line = fmt::format("{} = {{ value = {}, class = \"auxiliary\"", toml_string(row.id),
                                 written(parameter.value, row.dimension));
  if (!parameter.stage.empty()) line += fmt::format(", stage = {}", toml_string(parameter.stage));
  if (parameter.interval)
    line += fmt::format(", interval = [{}, {}]", written(parameter.interval->first, row.dimension),
                        written(parameter.interval->second, row.dimension));
  return line + " }\n";
}

}  // namespace

std::string calibrated_toml(const Scenario& scenario, const CalibratedFile& content) {
  std::string text =
      "# Parameters found by a calibration. Direct facts and programs say for what they were found.\n";
  text += fmt::format(
      "schema = 1\ntitle = {}\nmade_by = {}\nscenario_sha256 = {}\nsplit_sha256 = {}\n\n[parameters]\n",
      toml_string(scenario.title), toml_string(version_text()), toml_string(scenario.inputs.front().sha256),
      toml_string(scenario.split.hash(scenario.dataset)));
  for (const CalibratedParameter& parameter : content.parameters)
    text += parameter_line(scenario.parameters[parameter.parameter], parameter);
  text += "\n[direct]\n";
  for (const DirectFact& fact : direct_facts(scenario))
    text += fmt::format("{} = {{ value = {}, class = \"direct\", given_by = {} }}\n", toml_string(fact.id),
                        toml_string(fact.value), toml_string(fact.given_by));
  for (const CalibratedGroup& group : content.groups) {
    std::vector<std::string> sizes;
    for (const std::uint64_t bytes : group.sizes) sizes.push_back(toml_string(format_bytes(bytes)));
    text += fmt::format("\n[[group]]\nname = {}\nprogram = {}\nsizes = [{}]\n", toml_string(group.name),
                        toml_string(group.program), fmt::join(sizes, ", "));
  }
  return text;
}

namespace {

std::optional<CalibratedParameter> read_parameter(TomlSection::Named& named, const ParameterTable& table) {
  TomlSection& section = named.section;
  const auto index = table.tunable(named.key);
  if (!index) {
    section.file().report(section.line(), index.problems());
    return std::nullopt;
  }
  const AuxiliaryParameter& row = table[*index];
  const auto value = section.quantity("value", row.dimension, Need::required, {row.lower, row.upper});
  CalibratedParameter parameter{*index, value.value_or(row.value),
                                section.text("stage", Need::optional).value_or(""), std::nullopt};
  if (const auto name = section.text("class", Need::optional); name && *name != "auxiliary")
    section.report("class", fmt::format("'{}' is auxiliary, not '{}'", named.key, *name));
  section.value("interval", Need::optional);
  section.finish();
  return value ? std::optional(parameter) : std::nullopt;
}

CalibratedGroup read_group(TomlSection& section) {
  CalibratedGroup group{
      section.text("name").value_or(""), {}, section.text("program").value_or(""), section.line()};
  for (const std::string& text : section.texts("sizes")) {
    const auto bytes = parse_bytes(text);
    if (bytes)
      group.sizes.push_back(*bytes);
    else
      section.file().report(section.line_of("sizes"), bytes.problems());
  }
  section.finish();
  return group;
}

}  // namespace

Result<CalibratedFile> parse_calibrated(std::string_view content, const std::string& name,
                                        const ParameterTable& table) {
  const auto document = parse_toml(content, name);
  if (!document) return document.problems();
  TomlFile file{name, {}};
  TomlSection root(file, *document, "the file", 1);
  CalibratedFile result;
  if (const auto schema = root.count("schema"); schema && *schema != 1)
    root.report("schema", fmt::format("schema {} is not known", *schema), "this version reads schema 1");
  for (const char* key : {"title", "made_by", "scenario_sha256", "split_sha256"})
    root.text(key, Need::optional);
  for (auto& named : root.named_tables("direct")) {
    result.direct.emplace_back(named.key, named.section.text("value").value_or(""));
    for (const char* key : {"class", "given_by"}) named.section.text(key, Need::optional);
    named.section.finish();
  }
  for (auto& named : root.named_tables("parameters"))
    if (const auto parameter = read_parameter(named, table)) result.parameters.push_back(*parameter);
  for (TomlSection& section : root.tables("group")) result.groups.push_back(read_group(section));
  root.finish();
  if (!file.problems.empty()) return file.problems;
  std::ranges::sort(result.parameters, {}, &CalibratedParameter::parameter);
  return result;
}

Result<CalibratedFile> read_calibrated(const std::filesystem::path& path, const ParameterTable& table) {
  const auto content = read_file(path);
  if (!content) return content.problems();
  return parse_calibrated(*content, path.string(), table);
}

std::vector<double> parameters_of(const Scenario& scenario, const CalibratedFile& file) {
  std::vector<double> values = scenario.starting_parameters();
  for (const CalibratedParameter& parameter : file.parameters) values[parameter.parameter] = parameter.value;
  return values;
}

Result<std::vector<double>> read_parameters(const Scenario& scenario, const std::string& path,
                                            std::vector<std::string>* doubts) {
  if (path.empty()) return scenario.starting_parameters();
  const auto file = read_calibrated(path, scenario.parameters);
  if (!file) return file.problems();
  if (doubts) *doubts = doubts_about(scenario, *file);
  return parameters_of(scenario, *file);
}

namespace {

/// A fact of the machine, not of groups and sizes, which a calibration may be carried over to.
bool is_of_machine(std::string_view id) {
  return id.starts_with("node.") || id.starts_with("nvlink.") || id.starts_with("nic.") ||
         id.starts_with("pcie.") || id.starts_with("fabric.");
}

}  // namespace

std::vector<std::string> doubts_about(const Scenario& scenario, const CalibratedFile& file) {
  std::vector<std::string> doubts;
  const std::vector<DirectFact> facts = direct_facts(scenario);
  for (const auto& [id, value] : file.direct) {
    const auto now = std::ranges::find(facts, id, &DirectFact::id);
    if (is_of_machine(id) && now != facts.end() && now->value != value)
      doubts.push_back(
          fmt::format("calibrated on another machine: {} was '{}', here it is '{}'", id, value, now->value));
  }
  std::vector<std::string> missing;
  for (ParameterIndex i = 0; i < scenario.parameters.size(); ++i)
    if (std::ranges::find(file.parameters, i, &CalibratedParameter::parameter) == file.parameters.end())
      missing.push_back(scenario.parameters[i].id);
  if (!missing.empty())
    doubts.push_back(fmt::format("not in the file, so at their default: {}", fmt::join(missing, ", ")));
  if (!file.groups.empty()) {
    std::vector<std::string> unknown;
    for (const ScenarioGroup& group : scenario.groups)
      if (std::ranges::find(file.groups, group.name, &CalibratedGroup::name) == file.groups.end())
        unknown.push_back(group.name);
    if (unknown.size() == scenario.groups.size())
      doubts.push_back("calibrated with none of the groups of this scenario");
  }
  return doubts;
}

Problems check_executions(const Scenario& scenario, const CalibratedFile& file, const std::string& name) {
  Problems problems;
  for (const CalibratedGroup& calibrated : file.groups) {
    const auto group = scenario.find_group(calibrated.name);
    if (!group) continue;  // a scenario may have other groups than the one that was calibrated
    const auto hash = group_program_hash(scenario, *group, calibrated.sizes);
    if (hash && *hash == calibrated.program) continue;
    problems.push_back(
        {fmt::format("{}:{}", name, calibrated.line),
         fmt::format("group '{}' is executed by another program than the one these parameters were found for",
                     calibrated.name),
         hash ? fmt::format("calibrated {:.12}, now {:.12}: undo the change of the plan, or calibrate again",
                            calibrated.program, *hash)
              : describe(hash.problems())});
  }
  return problems;
}

}  // namespace caliper
