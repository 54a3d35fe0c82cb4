#include "bench/run_record.hpp"

#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.hpp"

namespace caliper::bench {

bool same(const RingWork& a, const RingWork& b) {
  const auto fields = [](const RingWork& work) {
    return std::tie(work.ranks, work.bytes, work.channels, work.chunk, work.window, work.shuffle,
                    work.spines);
  };
  return fields(a) == fields(b);
}

std::uint64_t chunks_per_step(const RingWork& work) {
  const std::uint64_t per_channel = (work.bytes + work.channels - 1) / work.channels;
  const std::uint64_t per_step = (per_channel + work.ranks - 1) / work.ranks;
  return work.chunk ? (per_step + work.chunk - 1) / work.chunk : 1;
}

std::uint64_t message_count(const RingWork& work) {
  return std::uint64_t{2} * (work.ranks - 1) * work.ranks * work.channels * chunks_per_step(work);
}

std::string describe(const RingWork& work) {
  std::string text = fmt::format("n = {}, C = {}, {}", work.ranks, work.channels, format_bytes(work.bytes));
  if (work.chunk) text += fmt::format(", chunks of {}", format_bytes(work.chunk));
  if (work.window != 1) text += fmt::format(", window {}", work.window);
  if (work.spines != 16) text += fmt::format(", {} spines", work.spines);
  if (work.shuffle) text += ", shuffled";
  return text;
}

using Json = nlohmann::ordered_json;

nlohmann::ordered_json to_json(const RunRecord& record) {
  const RingWork& work = record.work;
  Json json = {{"series", record.series},
               {"simulator", record.simulator},
               {"version", record.version},
               {"settings", record.settings},
               {"compiler", record.compiler},
               {"work",
                {{"ranks", work.ranks},
                 {"bytes", work.bytes},
                 {"channels", work.channels},
                 {"chunk", work.chunk},
                 {"window", work.window},
                 {"shuffle", work.shuffle},
                 {"spines", work.spines}}},
               {"messages", record.messages},
               {"completion_us", record.completion_us},
               {"build_cpu_s", record.build_cpu_s},
               {"runs", record.runs},
               {"run_cpu_s", record.run_cpu_s},
               {"run_wall_s", record.run_wall_s},
               {"first_run_cpu_s", record.first_run_cpu_s},
               {"peak_rss_MiB", record.peak_rss_mib}};
  if (record.operations) json["operations"] = *record.operations;
  if (record.program_bytes_per_operation)
    json["program_bytes_per_operation"] = *record.program_bytes_per_operation;
  if (record.run_bytes_per_operation) json["run_bytes_per_operation"] = *record.run_bytes_per_operation;
  return json;
}

Result<RunRecord> parse_run_record(const Json& json, std::string_view where) {
  try {
    RunRecord record;
    json.at("series").get_to(record.series);
    json.at("simulator").get_to(record.simulator);
    json.at("version").get_to(record.version);
    json.at("settings").get_to(record.settings);
    json.at("compiler").get_to(record.compiler);
    const Json& work = json.at("work");
    work.at("ranks").get_to(record.work.ranks);
    work.at("bytes").get_to(record.work.bytes);
    work.at("channels").get_to(record.work.channels);
    work.at("chunk").get_to(record.work.chunk);
    work.at("window").get_to(record.work.window);
    work.at("shuffle").get_to(record.work.shuffle);
    work.at("spines").get_to(record.work.spines);
    json.at("messages").get_to(record.messages);
    json.at("completion_us").get_to(record.completion_us);
    json.at("build_cpu_s").get_to(record.build_cpu_s);
    json.at("runs").get_to(record.runs);
    json.at("run_cpu_s").get_to(record.run_cpu_s);
    json.at("run_wall_s").get_to(record.run_wall_s);
    json.at("first_run_cpu_s").get_to(record.first_run_cpu_s);
    json.at("peak_rss_MiB").get_to(record.peak_rss_mib);
    if (json.contains("operations")) record.operations = json["operations"].get<std::uint64_t>();
    for (const auto& [key, member] :
         {std::pair{"program_bytes_per_operation", &RunRecord::program_bytes_per_operation},
          std::pair{"run_bytes_per_operation", &RunRecord::run_bytes_per_operation}})
      if (json.contains(key)) record.*member = json[key].get<double>();
    return record;
  } catch (const Json::exception& problem) {
    return Error{std::string(where), fmt::format("is no record of a run: {}", problem.what()),
                 "simgrid_ring and ring_work_bench print such lines"};
  }
}

}  // namespace caliper::bench
