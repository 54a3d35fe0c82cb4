#include "scenarios/result_folder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "scenarios/version.hpp"

namespace caliper {

namespace fs = std::filesystem;

Problems prepare_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    return {{folder.string(), fmt::format("cannot be made: {}", code.message()), "choose another --out"}};
  const fs::path probe = folder / ".probe";
  if (Problems problems = write_file(probe, ""); !problems.empty())
    return {{folder.string(), "cannot be written to", "choose another --out, or its permissions"}};
  fs::remove(probe, code);
  return {};
}

std::string other_calibration(const fs::path& folder, const Scenario& scenario, std::uint64_t seed) {
  const auto content = read_file(folder / "manifest.json");
  if (!content) return "";
  const auto manifest = nlohmann::json::parse(*content, nullptr, false);
  if (!manifest.is_object()) return "its manifest.json cannot be read";
  if (const auto before = manifest.find("seed"); before != manifest.end() && *before != seed)
    return fmt::format("was calibrated with seed {}", before->dump());
  if (const auto inputs = manifest.find("inputs"); inputs != manifest.end() && inputs->is_array())
    for (const InputFile& input : scenario.inputs) {
      const bool known = std::ranges::any_of(*inputs, [&](const nlohmann::json& entry) {
        return entry.is_object() && entry.value("sha256", nlohmann::json()) == input.sha256;
      });
      if (!known) return fmt::format("was calibrated with another {}", input.path);
    }
  return "";
}

std::string history_csv(const Scenario& scenario, const CalibrationRecord& calibration) {
  std::string csv = "stage,iteration,candidate,loss,best";
  for (const AuxiliaryParameter& parameter : scenario.parameters.auxiliary()) csv += "," + parameter.id;
  csv += ",failure\n";
  for (std::size_t s = 0; s < calibration.results.size(); ++s) {
    const StageOptions& stage = calibration.stages[s];
    for (const HistoryRow& row : calibration.results[s].history) {
      std::vector<std::string> values(scenario.parameters.size());
      for (std::size_t i = 0; i < stage.tuned.size(); ++i)
        values[stage.tuned[i]] = fmt::format("{}", row.parameters[i]);
      std::string failure = row.failure;
      for (char& c : failure)
        if (c == ',' || c == '"' || c == '\n') c = ' ';
      csv += fmt::format("{},{},{},{},{},{},{}\n", stage.name, row.iteration, row.candidate,
                         std::isfinite(row.loss) ? fmt::format("{}", row.loss) : "",
                         std::isfinite(row.best) ? fmt::format("{}", row.best) : "", fmt::join(values, ","),
                         failure);
    }
  }
  return csv;
}

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

using NamedContent = std::pair<std::string, std::string>;

std::string manifest_json(const Scenario& scenario, const CalibrationRecord* calibration,
                          const Manifest& manifest, const std::vector<NamedContent>& files) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["schema"] = 1;
  json["command"] = manifest.command;
  json["command_line"] = manifest.command_line;
  json["started"] = manifest.started;
  json["wall_s"] = manifest.watch.seconds();
  for (const PhaseWatch::Phase& phase : manifest.watch.phases())
    json["phases"].push_back({{"name", phase.name}, {"wall_s", phase.seconds}});
  json["host"] = host_name();
  for (const auto& [name, version] : versions()) json["versions"][name] = version;
  if (calibration) json["seed"] = calibration->seed;
  json["split_sha256"] = scenario.split.hash(scenario.dataset);
  json["inputs"] = Json::array();
  for (const InputFile& input : scenario.inputs)
    json["inputs"].push_back({{"path", input.path}, {"sha256", input.sha256}});
  json["outputs"] = Json::array();
  for (const auto& [name, content] : files)
    json["outputs"].push_back({{"path", name}, {"sha256", sha256_hex(content)}});
  if (calibration) {
    json["stages"] = Json::array();
    for (std::size_t s = 0; s < calibration->results.size(); ++s) {
      const StageResult& result = calibration->results[s];
      json["stages"].push_back({{"name", calibration->stages[s].name},
                                {"loss", result.loss},
                                {"iterations", result.iterations},
                                {"candidates", result.history.size()},
                                {"runs", result.counts.runs},
                                {"cache_hits", result.counts.hits},
                                {"stop", name_of(result.stop_reason)},
                                {"wall_s", result.seconds.total},
                                {"simulator_s", result.seconds.evaluation.simulator},
                                {"optimizer_s", result.seconds.optimizer},
                                {"cache_s", result.seconds.evaluation.cache}});
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace

Problems write_results(const fs::path& folder, const Scenario& scenario, const Assessment& assessment,
                       const CalibrationRecord* calibration, const std::string& calibrated,
                       const ReportData& report, Manifest& manifest) {
  std::vector<NamedContent> files;
  if (!calibrated.empty()) files.emplace_back("calibrated.toml", calibrated);
  if (calibration) files.emplace_back("history.csv", history_csv(scenario, *calibration));
  files.emplace_back("predictions.csv", predictions_csv(scenario.dataset, assessment.predictions));
  files.emplace_back("validation.json", validation_json(assessment.summaries, assessment.credibility));
  files.emplace_back("report.html", render_report(report));
  manifest.watch.end("report");
  files.emplace_back("manifest.json", manifest_json(scenario, calibration, manifest, files));
  std::vector<std::pair<fs::path, std::string>> placed;
  for (auto& [name, content] : files) placed.emplace_back(folder / name, std::move(content));
  return write_files(placed);
}

}  // namespace caliper
