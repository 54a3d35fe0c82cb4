#include "cli/command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "scenarios/scenario_loader.hpp"

namespace caliper {

namespace fs = std::filesystem;

void say(const std::string& line) { spdlog::info("{}", line); }
void warn(const std::string& line) { spdlog::warn("{}", line); }
void complain(const std::string& line) { spdlog::error("{}", line); }

int report(const Problems& problems) {
  for (const Error& problem : problems) complain(describe(problem));
  return exit_code::kBadInput;
}

fs::path shipped_folder(const std::string& name) {
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    for (const char* below : {"share/calipersim", "scenarios"})
      if (fs::is_directory(folder / below / name, code))
        return folder / below / name;  // code: what is not there is no folder
  return fs::path("scenarios") / name;
}

fs::path systems_folder() {
  if (const char* given = std::getenv("CALIPERSIM_SYSTEMS")) return given;
  return shipped_folder("systems");
}

Result<Scenario> load(const fs::path& scenario) { return load_scenario(scenario, systems_folder()); }

namespace {

Result<std::vector<std::uint32_t>> groups_named(const Scenario& scenario,
                                                const std::vector<std::string>& names) {
  std::vector<std::uint32_t> groups;
  Problems problems;
  std::vector<std::string> known;
  for (const ScenarioGroup& group : scenario.groups) known.push_back(group.name);
  for (const std::string& name : names) {
    const auto group = scenario.find_group(name);
    if (group)
      groups.push_back(*group);
    else
      problems.push_back(
          {"--group", fmt::format("no group '{}' in the scenario", name), suggestion(name, known)});
  }
  if (!problems.empty()) return problems;
  if (names.empty())
    for (std::uint32_t g = 0; g < scenario.groups.size(); ++g) groups.push_back(g);
  return groups;
}

Result<std::vector<std::uint64_t>> sizes_of(const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> sizes;
  Problems problems;
  for (const std::string& text : texts) {
    const auto size = parse_bytes(text);
    if (size)
      sizes.push_back(*size);
    else
      for (const Error& problem : size.problems()) problems.push_back({"--size", problem.what, problem.hint});
  }
  if (!problems.empty()) return problems;
  return sizes;
}

}  // namespace

Result<Selection> select(const std::string& scenario, const std::vector<std::string>& groups,
                         const std::vector<std::string>& sizes) {
  auto loaded = load(scenario);
  if (!loaded) return loaded.problems();
  auto indices = groups_named(*loaded, groups);
  auto bytes = sizes_of(sizes);
  Problems problems;
  if (!indices) append(problems, indices.problems());
  if (!bytes) append(problems, bytes.problems());
  if (!problems.empty()) return problems;
  return Selection{*std::move(loaded), *std::move(indices), *std::move(bytes)};
}

Problems write_import(const std::filesystem::path& path, const std::string& text) {
  std::error_code code;
  if (std::filesystem::exists(path, code)) {
    const auto there = read_file(path);
    if (!there) return there.problems();
    if (*there != text)
      return {{path.string(), "exists with other content", "remove it, or choose another name"}};
  }
  return write_file(path, text);
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 ? fmt::format("{:<{}}", row[c], width[c]) : fmt::format("  {:>{}}", row[c], width[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f} %", fraction * 100) : "-";
}

std::string quoted_command_line(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]#~`!{}") == std::string::npos;
    std::string quoted = word;
    if (!plain) {
      quoted = "'";
      for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      quoted += "'";
    }
    text += (i ? " " : "") + quoted;
  }
  return text;
}

}  // namespace caliper
