// calipersim import: foreign files into the project's own formats.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "validation/measurement_log.hpp"
#include "validation/measurement_writer.hpp"

namespace caliper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json log_json(const MeasurementLog& log, const fs::path& written) {
  Json skipped = Json::array();
  for (const Skipped& row : log.skipped) skipped.push_back({{"line", row.line}, {"reason", row.reason}});
  const auto fact = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"input", log.file},
          {"format", log.format},
          {"collective", fact(log.facts.collective)},
          {"data_type", fact(log.facts.data_type)},
          {"nccl_version", fact(log.facts.nccl_version)},
          {"ranks", fact(log.facts.ranks)},
          {"kept", log.measurements.size()},
          {"skipped", skipped},
          {"output", written.string()}};
}

void print_log(const MeasurementLog& log, const fs::path& written) {
  fmt::print("{}: {}, {} times kept, {} left out -> {}\n", log.file, log.format, log.measurements.size(),
             log.skipped.size(), written.string());
  for (const Skipped& row : log.skipped) fmt::print("  line {}: {}\n", row.line, row.reason);
}

}  // namespace

int run_import_nccl_tests(const ImportOptions& options) {
  const bool folder =
      options.inputs.size() > 1 || fs::is_directory(options.out) || options.out.ends_with('/');
  std::vector<std::pair<MeasurementLog, fs::path>> logs;
  Problems problems;
  for (const std::string& input : options.inputs) {
    const auto content = read_file(input);
    auto log = content ? read_measurements(*content, input) : Result<MeasurementLog>(content.problems());
    if (!log)
      append(problems, log.problems());
    else
      logs.emplace_back(*std::move(log),
                        folder ? fs::path(options.out) / (fs::path(input).stem().string() + ".csv")
                               : fs::path(options.out));
  }
  for (std::size_t a = 0; a < logs.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (logs[a].second == logs[b].second)
        problems.push_back({options.inputs[a],
                            fmt::format("would be written to {} as well", logs[a].second.string()),
                            "give the inputs different names"});
  for (const auto& [log, path] : logs) {
    std::error_code code;
    if (path.extension() != ".csv")
      problems.push_back({path.string(), "does not end in .csv",
                          "a file to write, or an existing folder or one with a final '/'"});
    else if (fs::equivalent(log.file, path, code))
      problems.push_back({path.string(), "is the input itself", "choose another name"});
  }
  if (!problems.empty()) return report(problems);
  if (folder) {
    std::error_code code;
    fs::create_directories(options.out, code);
    if (code) return report({{options.out, fmt::format("cannot be made: {}", code.message()), ""}});
  }
  Json list = Json::array();
  for (const auto& [log, path] : logs) {
    if (Problems failed = write_file(path, measurement_csv(log)); !failed.empty()) return report(failed);
    if (options.json)
      list.push_back(log_json(log, path));
    else
      print_log(log, path);
  }
  if (options.json) fmt::print("{}\n", list.dump(2));
  return exit_code::kDone;
}

}  // namespace caliper
