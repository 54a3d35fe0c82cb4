#include "cli/limits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "engine/critical_path.hpp"
#include "engine/flow_run.hpp"

namespace caliper {
namespace {

using Json = nlohmann::ordered_json;

/// Operations whose times are recorded, at some 100 bytes each.
constexpr std::uint64_t kMostRecorded = 4'000'000;

std::string parameters_of(const ParameterTable& table, const Expression& expression) {
  std::vector<std::string> ids;
  for (const ParameterIndex p : expression.parameters()) ids.push_back(table[p].id);
  return fmt::format("{}", fmt::join(ids, " and "));
}

/// "gpu.launch", "bytes at gpu.channel_rate", "bytes over nic (net.efficiency)".
std::string what_of(const ParameterTable& table, const Program& program, const PathPart& part) {
  const std::string ids = parameters_of(table, program.expressions[part.expression.v]);
  switch (part.cost) {
    case PathCost::overhead:
      return ids.empty() ? "constant overhead" : ids;
    case PathCost::bytes:
    case PathCost::rate_cap:
      return "bytes at " + (ids.empty() ? "a constant rate" : ids);
    case PathCost::link: {
      return fmt::format("bytes over {}{}{}", program.class_of(part.link),
                         program.links[part.link.v].joint ? ", both directions" : "",
                         ids.empty() ? "" : fmt::format(" ({})", ids));
    }
    case PathCost::route_latency:
    case PathCost::edge_latency:
      return ids.empty() ? "constant latency" : ids;
  }
  return {};
}

/// Largest first; equal ones by name.
Json rows_of(const std::map<std::string, double>& seconds, const std::string& key, double whole) {
  std::vector<std::pair<std::string, double>> rows(seconds.begin(), seconds.end());
  std::ranges::stable_sort(rows, std::ranges::greater{}, &std::pair<std::string, double>::second);
  Json list = Json::array();
  for (const auto& [name, time] : rows)
    list.push_back({{key, name}, {"time_us", time * 1e6}, {"share", time / whole}});
  return list;
}

Json elasticities_of(const ParameterTable& table, const Program& program, ParameterView parameters,
                     const CriticalPath& path) {
  const std::vector<double> derivative = derivative_by_parameter(program, parameters, path);
  std::vector<std::pair<std::string, double>> rows;
  for (ParameterIndex p = 0; p < table.size(); ++p)
    if (derivative[p] != 0) rows.emplace_back(table[p].id, parameters[p] / path.seconds * derivative[p]);
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const auto& row) { return std::abs(row.second); });
  Json list = Json::array();
  for (const auto& [id, elasticity] : rows) list.push_back({{"parameter", id}, {"elasticity", elasticity}});
  return list;
}

}  // namespace

Json limits_json(const ParameterTable& table, const FoldedProgram& program, ParameterView parameters) {
  const std::vector<double> numbers = program.whole().numbers(parameters);
  const Program& folded = program.folding(numbers).program;
  if (const std::uint64_t operations = folded.operation_count(); operations > kMostRecorded)
    return {
        {"left_out", fmt::format("{} operations are too many to record; at most {}: a smaller size, or one "
                                 "that ranks and channels divide",
                                 operations, kMostRecorded)}};
  OperationTimes times;
  if (run_flow_level(folded, numbers, &times).stuck) return {{"left_out", "the run is stuck: see simulate"}};
  const CriticalPath path = critical_path(folded, numbers, times);
  std::map<std::string, double> by_part, by_class;
  for (const PathPart& part : path.parts) {
    by_part[what_of(table, folded, part)] += part.seconds;
    by_class[part.link.valid() ? folded.class_of(part.link) : "no link"] += part.seconds;
  }
  return {{"time_us", path.seconds * 1e6},
          {"parts", rows_of(by_part, "what", path.seconds)},
          {"link_classes", rows_of(by_class, "class", path.seconds)},
          {"elasticities", elasticities_of(table, folded, parameters, path)},
          {"approximate_us", path.approximate_seconds * 1e6}};
}

void print_limits(const Json& limits) {
  fmt::print("\n  What limits it");
  if (limits.contains("left_out")) {
    fmt::print(": {}\n", limits["left_out"].get<std::string>());
    return;
  }
  fmt::print(", along the critical path of {:.2f} us\n", limits["time_us"].get<double>());
  const auto print_rows = [&](const char* list, const char* key) {
    std::vector<std::vector<std::string>> rows = {{fmt::format("  {}", key), "us", "share"}};
    for (const Json& row : limits[list])
      rows.push_back({"  " + row[key].get<std::string>(), fmt::format("{:.2f}", row["time_us"].get<double>()),
                      percent(row["share"].get<double>())});
    fmt::print("{}", text_table(rows));
  };
  print_rows("parts", "what");
  fmt::print("  limited by links of\n");
  print_rows("link_classes", "class");
  std::vector<std::vector<std::string>> rows = {{"  1 % more of", "changes the time by"}};
  for (const Json& row : limits["elasticities"])
    rows.push_back({"  " + row["parameter"].get<std::string>(),
                    fmt::format("{:+.3g} %", row["elasticity"].get<double>())});
  fmt::print("{}", text_table(rows));
  if (const double approximate = limits["approximate_us"].get<double>(); approximate > 0)
    fmt::print(
        "  approximate: {:.2f} us of the path are bytes at rates that depend on what other transfers do\n",
        approximate);
}

}  // namespace caliper
