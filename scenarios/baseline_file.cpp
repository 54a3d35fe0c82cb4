#include "scenarios/baseline_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.hpp"
#include "scenarios/toml_section.hpp"
#include "scenarios/toml_text.hpp"

namespace caliper {
namespace {

constexpr std::string_view kHeader =
    "# What a scenario predicted when this baseline was taken; `calipersim check` compares with it.\n"
    "# `check --update --reason TEXT` writes the file anew. [tolerance] and [group.NAME.tolerance] are yours "
    "to\n"
    "# edit and are kept: `time` and `parameter` are relative shifts, the others the growth of an error as "
    "a\n"
    "# fraction (0.001 is 0.1 percentage points).\n";

constexpr std::array kSets = {Set::calibration, Set::validation, Set::out_of_scope};

std::string tolerance_lines(const ToleranceOverrides& tolerances) {
  std::string lines;
  for (const Metric metric : kMetrics)
    if (const auto& value = tolerances[static_cast<std::size_t>(metric)])
      lines += fmt::format("{} = {}\n", name_of(metric), *value);
  return lines;
}

std::string group_text(const BaselineGroup& group) {
  const std::string key = toml_string(group.name);
  std::string text = fmt::format("\n[group.{}]\nprogram = {}\n", key, toml_string(group.program));
  for (const auto& [set, error] : group.errors)
    text += fmt::format("{0} = {{ mean = {2:.{1}g}, p50 = {3:.{1}g}, p95 = {4:.{1}g}, max = {5:.{1}g} }}\n",
                        name_of(set), kErrorDigits, error.mean, error.p50, error.p95, error.max);
  if (const std::string own = tolerance_lines(group.tolerances); !own.empty())
    text += fmt::format("[group.{}.tolerance]\n{}", key, own);
  text += fmt::format("[group.{}.times]\n", key);
  for (const BaselineTime& time : group.times)
    text += fmt::format("{} = {{ us = {:.{}g}, set = \"{}\" }}\n", toml_string(format_bytes(time.bytes)),
                        time.us, kTimeDigits, name_of(time.set));
  return text;
}

}  // namespace

namespace {

std::size_t sizes_of(const Baseline& baseline) {
  std::size_t sizes = 0;
  for (const BaselineGroup& group : baseline.groups) sizes += group.times.size();
  return sizes;
}

}  // namespace

std::string baseline_toml(const Baseline& baseline) {
  std::string text(kHeader);
  text +=
      fmt::format("schema = 1\ntitle = {}\nmade_by = {}\nscenario_sha256 = {}\nsizes = {}\n\n[tolerance]\n",
                  toml_string(baseline.title), toml_string(baseline.made_by),
                  toml_string(baseline.scenario_sha256), sizes_of(baseline));
  for (const Metric metric : kMetrics)
    text += fmt::format("{} = {}\n", name_of(metric), baseline.tolerances[static_cast<std::size_t>(metric)]);
  for (const BaselineUpdate& update : baseline.updates) {
    text += fmt::format("\n[[update]]\ndate = {}\nreason = {}\n", toml_string(update.date),
                        toml_string(update.reason));
    if (!update.moved.empty()) text += fmt::format("moved = {}\n", toml_string(update.moved));
  }
  text += "\n[parameters]\n";
  for (const BaselineParameter& parameter : baseline.parameters) {
    const std::string value = format_quantity(parameter.value, parameter.dimension, kParameterDigits);
    text += fmt::format("{} = {}\n", toml_string(parameter.id),
                        parameter.dimension == Dimension::number ? value : toml_string(value));
  }
  for (const BaselineGroup& group : baseline.groups) text += group_text(group);
  return text;
}

namespace {

constexpr Bounds kShare{0, 1e6};

ToleranceOverrides read_tolerances(TomlSection& section, bool with_parameter) {
  ToleranceOverrides tolerances;
  for (const Metric metric : kMetrics)
    if (metric != Metric::parameter || with_parameter)
      tolerances[static_cast<std::size_t>(metric)] = section.number(name_of(metric), Need::optional, kShare);
  section.finish();
  return tolerances;
}

/// Its unit says what a quantity is: "8.4 us" a time, "20 GB/s" a rate, 0.98 a plain number.
void read_parameter(TomlFile& file, const TomlEntry& entry, Baseline& into) {
  if (const auto number = as_number(entry.value)) {
    into.parameters.push_back({entry.key, Dimension::number, *number});
    return;
  }
  if (const auto* text = std::get_if<std::string>(&entry.value.content))
    for (const Dimension dimension : {Dimension::time, Dimension::rate, Dimension::bytes})
      if (const auto value = parse_quantity(*text, dimension)) {
        into.parameters.push_back({entry.key, dimension, *value});
        return;
      }
  file.report(entry.line, fmt::format("'{}' in [parameters] is no quantity", entry.key),
              "write \"8.4 us\", \"20 GB/s\" or 0.98");
}

std::optional<BaselineErrors> read_errors(TomlSection& group, Set set) {
  auto section = group.table(name_of(set), Need::optional);
  if (!section) return std::nullopt;
  section->rename(fmt::format("'{}' of {}", name_of(set), group.name()));
  BaselineErrors errors{set, {}};
  errors.error.mean = section->number("mean", Need::required, kShare).value_or(0);
  errors.error.p50 = section->number("p50", Need::required, kShare).value_or(0);
  errors.error.p95 = section->number("p95", Need::required, kShare).value_or(0);
  errors.error.max = section->number("max", Need::required, kShare).value_or(0);
  section->finish();
  return errors;
}

std::vector<BaselineTime> read_times(TomlSection& group) {
  std::vector<BaselineTime> times;
  for (auto& [key, section] : group.named_tables("times")) {
    section.rename(fmt::format("'{}' of {}", key, group.name()));
    const auto bytes = parse_bytes(key);
    if (!bytes) section.file().report(section.line(), bytes.problems());
    const auto us = section.number("us", Need::required, {0, 1e18});
    const auto name = section.text("set");
    const auto set = name ? one_of<Set>(section, "set", *name, kSets) : std::nullopt;
    section.finish();
    if (!bytes || !us || !set) continue;
    if (std::ranges::find(times, *bytes, &BaselineTime::bytes) != times.end())
      section.file().report(section.line(),
                            fmt::format("{} stands twice in {}", format_bytes(*bytes), group.name()));
    times.push_back({*bytes, *us, *set});
  }
  std::ranges::sort(times, {}, &BaselineTime::bytes);
  return times;
}

BaselineGroup read_group(const std::string& name, TomlSection& section) {
  section.rename(fmt::format("[group.{}]", toml_string(name)));
  BaselineGroup group{name, section.text("program").value_or(""), {}, {}, {}};
  for (const Set set : {Set::calibration, Set::validation})
    if (auto errors = read_errors(section, set)) group.errors.push_back(*errors);
  if (auto tolerance = section.table("tolerance", Need::optional)) {
    tolerance->rename(fmt::format("[group.{}.tolerance]", toml_string(name)));
    group.tolerances = read_tolerances(*tolerance, false);
  }
  group.times = read_times(section);
  section.finish();
  return group;
}

void read_updates(TomlSection& root, Baseline& into) {
  for (TomlSection& section : root.tables("update")) {
    into.updates.push_back({section.text("date").value_or(""), section.text("reason").value_or(""),
                            section.text("moved", Need::optional).value_or("")});
    section.finish();
  }
  if (into.updates.empty())
    root.report("update", "the baseline has no [[update]]",
                "is it whole? `check --update --reason TEXT` writes a new one where none is");
}

Baseline read_root(TomlSection& root) {
  Baseline baseline;
  root.count("schema", Need::required, 1, 1);
  baseline.title = root.text("title").value_or("");
  baseline.made_by = root.text("made_by").value_or("");
  baseline.scenario_sha256 = root.text("scenario_sha256").value_or("");
  if (auto section = root.table("tolerance", Need::optional)) {
    const ToleranceOverrides given = read_tolerances(*section, true);
    for (std::size_t i = 0; i < given.size(); ++i)
      baseline.tolerances[i] = given[i].value_or(kDefaultTolerances[i]);
  }
  read_updates(root, baseline);
  if (const TomlEntry* parameters = root.value("parameters", Need::required)) {
    if (const auto* table = std::get_if<TomlTable>(&parameters->value.content))
      for (const TomlEntry& entry : *table) read_parameter(root.file(), entry, baseline);
    else
      root.report_kind(*parameters, "a table, [parameters]");
  }
  for (auto& [name, section] : root.named_tables("group"))
    baseline.groups.push_back(read_group(name, section));
  // A file that was cut between two lines is good TOML.
  if (const auto sizes = root.count("sizes", Need::optional, 0); sizes && *sizes != sizes_of(baseline))
    root.report("sizes", fmt::format("'sizes' is {}, the file holds {}", *sizes, sizes_of(baseline)),
                "is it whole? take it from where it was whole, or remove it and make a new one");
  root.finish();
  return baseline;
}

}  // namespace

Result<Baseline> parse_baseline(std::string_view content, const std::string& name) {
  const auto document = parse_toml(content, name);
  if (!document) return document.problems();
  TomlFile file{name, {}};
  TomlSection root(file, *document, "the baseline", 1);
  Baseline baseline = read_root(root);
  if (!file.problems.empty()) return std::move(file.problems);
  return baseline;
}

Result<Baseline> read_baseline(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return content.problems();
  return parse_baseline(*content, path.string());
}

}  // namespace caliper
