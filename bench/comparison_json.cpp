// bench.json: where it was measured, the figures, and the runs they come from. Reading takes setting and
// runs; the figures follow from them.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/comparison.hpp"

namespace caliper::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json case_json(const Case& shown) {
  Json json = {{"work", describe(shown.work)}, {"messages", shown.messages}};
  const Entry* peer = shown.find(kPeer);
  for (const Entry& entry : shown.entries) {
    Json& own = json[entry.simulator] = {{"completion_us", entry.completion_us},
                                         {"repeats", entry.repeats},
                                         {"run_cpu_s", entry.run_cpu_s},
                                         {"least_cpu_s", entry.least_cpu_s},
                                         {"most_cpu_s", entry.most_cpu_s},
                                         {"build_cpu_s", entry.build_cpu_s},
                                         {"messages_per_s", shown.messages_per_s(entry)},
                                         {"ns_per_message", 1e9 / shown.messages_per_s(entry)},
                                         {"peak_rss_MiB", entry.peak_rss_mib}};
    if (entry.program_bytes_per_operation)
      own["program_bytes_per_operation"] = *entry.program_bytes_per_operation;
    if (entry.run_bytes_per_operation) own["run_bytes_per_operation"] = *entry.run_bytes_per_operation;
    if (!peer || &entry == peer) continue;
    own["times_less_cpu"] = peer->run_cpu_s / entry.run_cpu_s;
    own["times_less_cpu_with_build"] =
        (peer->run_cpu_s + peer->build_cpu_s) / (entry.run_cpu_s + entry.build_cpu_s);
  }
  return json;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  Json json = {{"schema", kSchema}, {"setting", to_json(comparison.setting)}};
  json["largest_difference_of_completion"] = largest_difference(comparison.runs);
  for (const Case& shown : cases_of(comparison.runs, kCases)) json["cases"].push_back(case_json(shown));
  for (const Growth& growth : growth_of(comparison.runs))
    json["growth"].push_back({{"series", growth.series},
                              {"simulator", growth.simulator},
                              {"exponent", growth.exponent},
                              {"messages", growth.messages},
                              {"run_cpu_s", growth.run_cpu_s}});
  for (const RunRecord& record : comparison.runs) json["runs"].push_back(to_json(record));
  return json;
}

Result<Comparison> parse_comparison(std::string_view text, std::string_view file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != kSchema)
      return Error{std::string(file), "is of another schema", fmt::format("schema {} is read", kSchema)};
    Comparison comparison;
    const Json& setting = json.at("setting");
    setting.at("date").get_to(comparison.setting.date);
    setting.at("processor").get_to(comparison.setting.processor);
    setting.at("cores").get_to(comparison.setting.cores);
    setting.at("memory_GiB").get_to(comparison.setting.memory_gib);
    setting.at("system").get_to(comparison.setting.system);
    setting.at("kernel").get_to(comparison.setting.kernel);
    setting.at("load_before").get_to(comparison.setting.load_before);
    setting.at("commit").get_to(comparison.setting.commit);
    for (const Json& run : json.at("runs")) {
      auto record = parse_run_record(run, file);
      if (!record) return record.problems();
      comparison.runs.push_back(*std::move(record));
    }
    if (comparison.runs.empty()) return Error{std::string(file), "holds no runs", ""};
    return comparison;
  } catch (const Json::exception& problem) {
    return Error{std::string(file), fmt::format("is no bench.json: {}", problem.what()),
                 "bench/compare.sh writes one"};
  }
}

}  // namespace caliper::bench
