#include "bench/load_figures.hpp"

#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "bench/load_data.hpp"
#include "scenarios/calibrated_file.hpp"
#include "scenarios/scenario_loader.hpp"

namespace caliper::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
/// s, by group and size.
using Times = std::map<std::pair<std::string, std::uint64_t>, double>;

constexpr std::string_view kPredictionsHeader = "group,size_bytes,measured_us,default_us,calibrated_us,set";

Result<Times> calibrated_times(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return text.problems();
  const auto lines = split_lines(*text);
  if (lines.empty() || lines.front() != kPredictionsHeader)
    return Error{file.string(), "is no predictions.csv of calipersim", ""};
  Times times;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split(lines[i], ',');
    const auto bytes = cells.size() == 6 ? parse_uint(cells[1]) : std::nullopt;
    const auto time = bytes ? parse_double(cells[4]) : std::nullopt;
    if (!time) return Error{fmt::format("{}:{}", file.string(), i + 1), "holds no calibrated time", ""};
    times[{std::string(cells[0]), *bytes}] = *time * 1e-6;
  }
  return times;
}

Result<Times> true_times(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return text.problems();
  const auto points = parse_simulated(*text, file.string());
  if (!points) return points.problems();
  Times times;
  for (const SimulatedPoint& point : *points) times[{point.group, point.bytes}] = point.seconds;
  return times;
}

std::vector<LoadGroup> groups_of(const Scenario& scenario, const Times& truth, const Times& calibrated) {
  std::vector<LoadGroup> groups;
  for (std::uint32_t g = 0; g < scenario.groups.size(); ++g) {
    const std::string& name = scenario.groups[g].name;
    std::vector<double> predicted, exact, measured;
    for (const ExperimentId id : scenario.dataset.of_group(g)) {
      if (scenario.split.set[id.index] != Set::validation) continue;
      const Experiment& experiment = scenario.dataset[id];
      const auto prediction = calibrated.find({name, experiment.bytes}),
                 time = truth.find({name, experiment.bytes});
      if (prediction == calibrated.end() || time == truth.end()) continue;
      predicted.push_back(prediction->second);
      exact.push_back(time->second);
      measured.push_back(experiment.seconds);
    }
    groups.push_back({name, error_statistics(predicted, exact), error_statistics(predicted, measured)});
  }
  return groups;
}

std::vector<LoadParameter> parameters_of(const Scenario& scenario, std::span<const double> truth,
                                         std::span<const double> found) {
  std::vector<LoadParameter> parameters;
  for (const ScenarioStage& stage : scenario.stages)
    for (const ParameterIndex i : stage.tune)
      parameters.push_back({scenario.parameters[i].id, scenario.parameters[i].dimension, truth[i], found[i]});
  return parameters;
}

Result<Json> json_of(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return text.problems();
  Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return Error{file.string(), "is no JSON", ""};
  return json;
}

/// What the loss of a stage cannot be below but by fitting noise.
double loss_of_truth(const Scenario& scenario, std::size_t stage, const Times& truth) {
  const std::vector<FitGroup>& fits = scenario.split.stage_fits[stage];
  std::vector<double> times;
  for (const ExperimentId id : experiments_of(fits)) {
    const Experiment& experiment = scenario.dataset[id];
    const auto time = truth.find({scenario.groups[experiment.group].name, experiment.bytes});
    times.push_back(time == truth.end() ? NAN : time->second);
  }
  return stage_loss(scenario.stages[stage].loss, scenario.dataset, fits, times).value;
}

/// What manifest.json and run.json say; they throw where a key is missing.
void add_times(const Scenario& scenario, const Times& truth, const Json& manifest, const Json& run,
               LoadFigures& figures) {
  run.at("wall_s").get_to(figures.wall);
  run.at("user_s").get_to(figures.user);
  run.at("system_s").get_to(figures.system);
  run.at("peak_rss_MiB").get_to(figures.peak_rss_mib);
  figures.versions = manifest.at("versions");
  for (const Json& phase : manifest.at("phases"))
    figures.phases.emplace_back(phase.at("name"), phase.at("wall_s"));
  for (const Json& stage : manifest.at("stages")) {
    const std::size_t index = figures.stages.size();
    figures.stages.push_back({stage.at("name"), stage.at("candidates"), stage.at("iterations"),
                              experiments_of(scenario.split.stage_fits[index]).size(), stage.at("runs"),
                              stage.at("wall_s"), stage.at("simulator_s"), stage.at("optimizer_s"),
                              stage.at("cache_s"), stage.at("loss"), loss_of_truth(scenario, index, truth)});
  }
}

double ratio_to_paper(const LoadFigures& figures) {
  return PaperLoad::thread_seconds() / (figures.wall * figures.threads);
}

std::uint64_t runs_of(const LoadFigures& figures) {
  std::uint64_t runs = 0;
  for (const LoadStage& stage : figures.stages) runs += stage.runs;
  return runs;
}

/// Sum of a member over the stages.
double sum(const LoadFigures& figures, double LoadStage::*member) {
  double total = 0;
  for (const LoadStage& stage : figures.stages) total += stage.*member;
  return total;
}

Json statistics_json(const ErrorStatistics& errors) {
  return {{"count", errors.count},
          {"mean", errors.mean},
          {"p50", errors.p50},
          {"p95", errors.p95},
          {"max", errors.max}};
}

}  // namespace

Result<LoadFigures> load_figures(const fs::path& work, const fs::path& systems, unsigned threads) {
  const auto scenario = load_scenario(work / "scenario.toml", systems);
  if (!scenario) return scenario.problems();
  const auto origin = load_scenario(work / "truth.toml", systems);
  if (!origin) return origin.problems();
  const auto found = read_parameters(*scenario, (work / "out" / "calibrated.toml").string());
  if (!found) return found.problems();
  const auto truth = true_times(work / "truth.csv");
  if (!truth) return truth.problems();
  const auto calibrated = calibrated_times(work / "out" / "predictions.csv");
  if (!calibrated) return calibrated.problems();
  const auto manifest = json_of(work / "out" / "manifest.json");
  if (!manifest) return manifest.problems();
  const auto run = json_of(work / "run.json");
  if (!run) return run.problems();

  LoadFigures figures{};
  figures.threads = threads;
  figures.groups = groups_of(*scenario, *truth, *calibrated);
  figures.parameters = parameters_of(*scenario, origin->starting_parameters(), *found);
  try {
    add_times(*scenario, *truth, *manifest, *run, figures);
  } catch (const Json::exception& problem) {
    return Error{work.string(),
                 fmt::format("holds a manifest.json or run.json of another version: {}", problem.what()),
                 "run bench/calibration_load.sh"};
  }
  return figures;
}

Json to_json(const LoadFigures& figures) {
  Json json = {{"schema", 1}, {"data", "synthetic"}, {"setting", to_json(figures.setting)}};
  json["versions"] = figures.versions;
  json["threads"] = figures.threads;
  json["wall_s"] = figures.wall;
  json["cpu_s"] = figures.cpu();
  json["peak_rss_MiB"] = figures.peak_rss_mib;
  for (const auto& [name, seconds] : figures.phases) json["phases_s"][name] = seconds;
  for (const LoadStage& stage : figures.stages)
    json["stages"].push_back({{"name", stage.name},
                              {"candidates", stage.candidates},
                              {"iterations", stage.iterations},
                              {"sizes", stage.sizes},
                              {"runs", stage.runs},
                              {"wall_s", stage.seconds},
                              {"simulator_s", stage.simulator},
                              {"optimizer_s", stage.optimizer},
                              {"cache_s", stage.cache},
                              {"loss", stage.loss},
                              {"loss_of_truth", stage.loss_of_truth}});
  json["experiments_per_s"] = static_cast<double>(runs_of(figures)) / sum(figures, &LoadStage::simulator);
  json["optimizer_share_of_stages"] = sum(figures, &LoadStage::optimizer) / sum(figures, &LoadStage::seconds);
  for (const LoadGroup& group : figures.groups)
    json["held_out"].push_back({{"group", group.name},
                                {"against_truth", statistics_json(group.against_truth)},
                                {"against_measured", statistics_json(group.against_measured)}});
  for (const LoadParameter& parameter : figures.parameters)
    json["parameters"].push_back(
        {{"id", parameter.id}, {"truth", parameter.truth}, {"found", parameter.found}});
  json["paper"] = {{"iteration_s", PaperLoad::kIterationSeconds},
                   {"threads", PaperLoad::kThreads},
                   {"iterations", PaperLoad::kStages * PaperLoad::kIterations},
                   {"thread_s", PaperLoad::thread_seconds()},
                   {"times_less_thread_s", ratio_to_paper(figures)}};
  return json;
}

std::string describe(const LoadFigures& figures) {
  std::string text = fmt::format(
      "Synthetic data on JUWELS Booster. {}, {} cores, {:.0f} GiB, {}, commit {}, load {:.1f} before\n\n"
      "whole command: {:.1f} s wall on {} threads, {:.1f} s CPU ({:.1f} of the system), {:.0f} MiB\n",
      figures.setting.processor, figures.setting.cores, figures.setting.memory_gib, figures.setting.system,
      figures.setting.commit, figures.setting.load_before, figures.wall, figures.threads, figures.cpu(),
      figures.system, figures.peak_rss_mib);
  for (const auto& [name, seconds] : figures.phases)
    text += fmt::format("  {:<12}{:>8.2f} s\n", name, seconds);
  text += '\n';
  for (const LoadStage& stage : figures.stages)
    text += fmt::format(
        "{}: {} candidates ({} before the first proposal, {} iterations of 2) x {} sizes, {} simulated;\n"
        "  {:.2f} s: simulator {:.2f}, optimiser {:.2f}, cache {:.2f}; loss {:.4g}, that of the truth "
        "{:.4g}\n",
        stage.name, stage.candidates, stage.candidates - 2 * stage.iterations, stage.iterations, stage.sizes,
        stage.runs, stage.seconds, stage.simulator, stage.optimizer, stage.cache, stage.loss,
        stage.loss_of_truth);
  text += fmt::format("{:.0f} simulated experiments a second; the optimiser takes {:.1f} % of the stages\n\n",
                      static_cast<double>(runs_of(figures)) / sum(figures, &LoadStage::simulator),
                      100 * sum(figures, &LoadStage::optimizer) / sum(figures, &LoadStage::seconds));
  text += "held out    points   mean, p95, max against the truth    mean against the noisy data\n";
  for (const LoadGroup& group : figures.groups)
    text +=
        fmt::format("{:<12}{:>6}{:>12.3f} %{:>8.3f} %{:>8.3f} %{:>17.3f} %\n", group.name,
                    group.against_truth.count, 100 * group.against_truth.mean, 100 * group.against_truth.p95,
                    100 * group.against_truth.max, 100 * group.against_measured.mean);
  text += "\nparameter               truth          found\n";
  for (const LoadParameter& parameter : figures.parameters)
    text += fmt::format("{:<20}{:>11}{:>15}  {:+.1f} %\n", parameter.id,
                        format_quantity(parameter.truth, parameter.dimension),
                        format_quantity(parameter.found, parameter.dimension),
                        100 * (parameter.found / parameter.truth - 1));
  text += fmt::format(
      "\nThe paper's load: {} stages x {} iterations x {} s (median) x {} threads = {:.0f} thread-seconds.\n"
      "Here: {:.1f} s x {} threads = {:.1f} thread-seconds, controls and report included: 1/{:.0f}\n",
      PaperLoad::kStages, PaperLoad::kIterations, PaperLoad::kIterationSeconds, PaperLoad::kThreads,
      PaperLoad::thread_seconds(), figures.wall, figures.threads, figures.wall * figures.threads,
      ratio_to_paper(figures));
  return text;
}

}  // namespace caliper::bench
