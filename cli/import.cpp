// calipersim import: foreign files into the project's own formats.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "scenarios/scenario_skeleton.hpp"
#include "scenarios/system_file.hpp"
#include "validation/measurement_log.hpp"
#include "validation/measurement_writer.hpp"

namespace caliper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A table and the file that it becomes.
struct Imported {
  MeasurementLog log;
  std::string format;
  std::size_t number, of;  ///< table so of so many in its file
  fs::path output;
};

struct Import {
  std::vector<Imported> tables;
  std::vector<std::pair<std::string, Skipped>> skipped;  ///< by input; of no table
  Problems refused;                                      ///< files of folders that hold no measurements
  fs::path scenario;                                     ///< empty: none is written
};

struct Input {
  std::string path;
  bool named;  ///< on the command line, not found in a folder
};

/// Files in the order given, those of a folder by name; hidden ones do not count.
Result<std::vector<Input>> files_of(const std::vector<std::string>& inputs) {
  std::vector<Input> files;
  for (const std::string& input : inputs) {
    std::error_code code;
    if (!fs::is_directory(input, code)) {
      files.push_back({input, true});
      continue;
    }
    std::set<std::string> names;
    for (fs::directory_iterator at(input, code), end; !code && at != end; at.increment(code))
      if (at->is_regular_file() && !at->path().filename().string().starts_with('.'))
        names.insert(at->path().string());
    if (code) return Error{input, fmt::format("cannot be listed: {}", code.message()), ""};
    if (names.empty()) return Error{input, "a folder without files", "folders in it are not searched"};
    for (const std::string& name : names) files.push_back({name, false});
  }
  return files;
}

/// Whether --out is a folder.
bool wants_folder(const ImportOptions& options) {
  std::error_code code;
  return options.inputs.size() > 1 || fs::is_directory(options.inputs.front(), code) ||
         fs::is_directory(options.out, code) || options.out.ends_with('/');
}

/// Reads one input. Problems are those that forbid the whole import.
Problems read_input(const Input& input, const ImportOptions& options, bool folder, Import& import) {
  const auto content = read_file(input.path);
  auto file = content ? read_measurements(*content, input.path) : Result<MeasurementFile>(content.problems());
  if (!file) {
    if (input.named) return file.problems();
    append(import.refused, file.problems());
    return {};
  }
  const std::size_t count = file->tables.size();
  if (!folder && count > 1) {
    std::vector<std::string> labels;
    for (const MeasurementLog& table : file->tables) labels.push_back(label(table));
    return {{input.path,
             fmt::format("{} tables ({}) do not go into one CSV file", count, fmt::join(labels, "; ")),
             "give a folder: --out DIR/"}};
  }
  for (const Skipped& skipped : file->skipped) import.skipped.emplace_back(input.path, skipped);
  const std::string stem = fs::path(input.path).stem().string();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = count == 1 ? stem + ".csv" : fmt::format("{}-{}.csv", stem, i + 1);
    import.tables.push_back({std::move(file->tables[i]), file->format, i + 1, count,
                             folder ? fs::path(options.out) / name : fs::path(options.out)});
  }
  return {};
}

Problems check_outputs(const std::vector<Imported>& tables) {
  Problems problems;
  std::map<fs::path, std::string> taken;
  for (const Imported& table : tables) {
    const auto [other, is_new] = taken.emplace(table.output, table.log.file);
    std::error_code code;
    if (!is_new)
      problems.push_back(
          {table.log.file,
           fmt::format("would be written to {}, as {} is", table.output.string(), other->second),
           "give the inputs different names"});
    else if (table.output.extension() != ".csv")
      problems.push_back({table.output.string(), "does not end in .csv",
                          "a file to write, or an existing folder or one with a final '/'"});
    else if (fs::equivalent(table.log.file, table.output, code))
      problems.push_back({table.output.string(), "is the input itself", "choose another name"});
  }
  return problems;
}

/// "A100" of "A100-SXM4-40GB" has to be in what a log calls its GPUs.
void warn_of_other_gpus(const std::string& system, const std::vector<Imported>& tables) {
  const std::string model = system.substr(0, system.find_first_of("- "));
  std::vector<std::string> others;
  for (const Imported& table : tables)
    if (const auto& gpu = table.log.facts.gpu_model; gpu && gpu->find(model) == std::string::npos)
      others.push_back(fmt::format("{} ({})", table.output.filename().string(), *gpu));
  if (!others.empty())
    warn(
        fmt::format("measured on other GPUs than the {} of the system: {}", system, fmt::join(others, ", ")));
}

/// The text of the scenario for what was imported; empty, with a warning, where nothing of it can be
/// simulated.
Result<std::string> scenario_of(const ImportOptions& options, const std::vector<Imported>& tables) {
  const auto path = find_system(options.system, ".", systems_folder());
  if (!path) return Error{"--system", path.problems().front().what, path.problems().front().hint};
  const auto content = read_file(*path);
  if (!content) return content.problems();
  const auto machine = read_machine(*content, path->stem().string(), path->string());
  if (!machine) return machine.problems();
  const bool is_path = options.system.find('/') != std::string::npos || options.system.ends_with(".toml");
  std::vector<SkeletonTable> skeleton;
  for (const Imported& table : tables) skeleton.push_back({table.log, table.output.filename().string()});
  const auto text = scenario_skeleton(
      is_path ? fs::absolute(*path).lexically_normal().string() : options.system, *machine, skeleton);
  if (text) {
    warn_of_other_gpus(machine->spec().node.gpu_model, tables);
    if (text->find("# Left out:") != std::string::npos)
      warn("some tables are left out of the scenario; its last lines but the stages say which and why");
    return text;
  }
  warn("no scenario is written, nothing of the measurements can be simulated:");
  for (const Error& reason : text.problems()) warn("  " + describe(reason));
  return std::string();
}

std::string facts_line(const RunFacts& facts) {
  std::vector<std::string> parts;
  const auto add = [&](const auto& value, const char* form) {
    if (value) parts.push_back(fmt::format(fmt::runtime(form), *value));
  };
  add(facts.nccl_version, "NCCL {}");
  add(facts.nccl_tests_version, "nccl-tests {}");
  if (facts.nodes && facts.gpus_per_node)
    parts.push_back(fmt::format("{}x{} GPUs", *facts.nodes, *facts.gpus_per_node));
  add(facts.gpu_model, "{}");
  add(facts.iterations, "{} iterations");
  add(facts.warmups, "{} warm-ups");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Lines that were left out for the same reason stand together.
void print_skipped(const std::vector<Skipped>& skipped) {
  struct Same {
    std::uint32_t first, last;
    std::size_t count;
  };
  std::vector<std::pair<std::string, Same>> reasons;
  for (const Skipped& row : skipped) {
    const auto found = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& reason) { return reason.first == row.reason; });
    if (found == reasons.end()) {
      reasons.push_back({row.reason, {row.line, row.line, 1}});
    } else {
      found->second.last = row.line;
      ++found->second.count;
    }
  }
  for (const auto& [reason, same] : reasons)
    if (same.count == 1)
      fmt::print("  line {}: {}\n", same.first, reason);
    else
      fmt::print("  lines {} to {}: {} ({} times)\n", same.first, same.last, reason, same.count);
}

void print(const Import& import) {
  for (const Imported& table : import.tables) {
    const MeasurementLog& log = table.log;
    fmt::print("{}: {}{}, {}: {} times kept, {} left out -> {}\n", log.file, table.format,
               table.of > 1 ? fmt::format(" {} of {}", table.number, table.of) : "", label(log),
               log.measurements.size(), log.skipped.size(), table.output.string());
    if (const std::string facts = facts_line(log.facts); !facts.empty()) fmt::print("  {}\n", facts);
    for (const std::string& note : log.notes) fmt::print("  note: {}\n", note);
    print_skipped(log.skipped);
  }
  for (const auto& [input, skipped] : import.skipped)
    fmt::print("{}: line {}: {}\n", input, skipped.line, skipped.reason);
  for (const Error& refused : import.refused) fmt::print("not imported: {}\n", describe(refused));
  if (!import.scenario.empty()) fmt::print("scenario -> {}\n", import.scenario.string());
}

Json skipped_json(const Skipped& row) { return {{"line", row.line}, {"reason", row.reason}}; }

Json table_json(const Imported& table) {
  const RunFacts& facts = table.log.facts;
  Json skipped = Json::array();
  for (const Skipped& row : table.log.skipped) skipped.push_back(skipped_json(row));
  const auto fact = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"input", table.log.file},
          {"format", table.format},
          {"table", table.number},
          {"line", table.log.line},
          {"collective", fact(facts.collective)},
          {"data_type", fact(facts.data_type)},
          {"nccl_version", fact(facts.nccl_version)},
          {"nccl_tests_version", fact(facts.nccl_tests_version)},
          {"gpu_model", fact(facts.gpu_model)},
          {"ranks", fact(facts.ranks)},
          {"nodes", fact(facts.nodes)},
          {"gpus_per_node", fact(facts.gpus_per_node)},
          {"iterations", fact(facts.iterations)},
          {"warmups", fact(facts.warmups)},
          {"aggregated_iterations", fact(facts.aggregated_iterations)},
          {"kept", table.log.measurements.size()},
          {"notes", table.log.notes},
          {"skipped", skipped},
          {"output", table.output.string()}};
}

Json json_of(const Import& import) {
  Json tables = Json::array(), skipped = Json::array(), refused = Json::array();
  for (const Imported& table : import.tables) tables.push_back(table_json(table));
  for (const auto& [input, row] : import.skipped) {
    skipped.push_back(skipped_json(row));
    skipped.back()["input"] = input;
  }
  for (const Error& error : import.refused)
    refused.push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  return {{"tables", tables},
          {"skipped", skipped},
          {"refused", refused},
          {"scenario", import.scenario.empty() ? Json(nullptr) : Json(import.scenario.string())}};
}

/// Everything that is to be written, or nothing.
Problems write(const ImportOptions& options, bool folder, Import& import) {
  std::vector<std::pair<fs::path, std::string>> files;
  Problems kept;
  for (const Imported& table : import.tables) {
    files.emplace_back(table.output, measurement_csv(table.log));
    const auto there = read_file(table.output);
    if (there && *there != files.back().second)
      kept.push_back(
          {table.output.string(), "exists with other content", "remove it, or choose another folder"});
  }
  if (!kept.empty()) return kept;
  if (!options.system.empty()) {
    const fs::path path = fs::path(options.out) / "scenario.toml";
    const auto text = scenario_of(options, import.tables);
    if (!text) return text.problems();
    std::error_code code;
    if (fs::exists(path, code)) {
      warn(fmt::format("{} exists and stays as it is", path.string()));
    } else if (!text->empty()) {
      files.emplace_back(path, *text);
      import.scenario = path;
    }
  }
  std::error_code code;
  if (folder) fs::create_directories(options.out, code);
  if (code) return {{options.out, fmt::format("cannot be made: {}", code.message()), ""}};
  return write_files(files);
}

}  // namespace

int run_import_nccl_tests(const ImportOptions& options) {
  const bool folder = wants_folder(options);
  const auto inputs = files_of(options.inputs);
  if (!inputs) return report(inputs.problems());
  Problems problems;
  if (!options.system.empty() && !folder)
    problems.push_back({"--system", "a scenario is written into a folder", "give a folder: --out DIR/"});
  Import import;
  for (const Input& input : *inputs) append(problems, read_input(input, options, folder, import));
  append(problems, check_outputs(import.tables));
  if (problems.empty() && import.tables.empty()) problems = import.refused;  // of folders, and nothing else
  if (problems.empty()) problems = write(options, folder, import);
  if (!problems.empty()) return report(problems);
  if (options.json)
    fmt::print("{}\n", json_of(import).dump(2, ' ', false, Json::error_handler_t::replace));
  else
    print(import);
  if (folder && options.system.empty())
    say("no scenario is written; --system NAME adds scenario.toml for that machine");
  return exit_code::kDone;
}

}  // namespace caliper
