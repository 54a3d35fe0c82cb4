#include "bench/load_data.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/random.hpp"
#include "base/text.hpp"

namespace caliper::bench {
namespace {

constexpr std::string_view kHeader = "group,collective,ranks,size_bytes,time_us,";
constexpr std::uint32_t kGpusPerNode = 4;

std::string head_of(const SimulatedPoint& point, double sigma, std::uint64_t seed) {
  return fmt::format(
      "# source: synthetic: simulated times of known parameters, {:g} % normal noise, seed {}\n"
      "# collective: {}\n# data_type: float32\n# nodes: {}\n# gpus_per_node: {}\n# ranks: {}\n"
      "# nccl_version: 2.29.7\nsize_bytes,oop_time_us,ip_time_us\n",
      100 * sigma, seed, point.collective, point.ranks / kGpusPerNode, kGpusPerNode, point.ranks);
}

}  // namespace

Result<std::vector<SimulatedPoint>> parse_simulated(std::string_view csv, std::string_view file) {
  const auto lines = split_lines(csv);
  if (lines.empty() || !lines.front().starts_with(kHeader))
    return Error{fmt::format("{}:1", file), "is no table of simulated times",
                 fmt::format("its header begins with {}", kHeader)};
  std::vector<SimulatedPoint> points;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split(lines[i], ',');
    const auto number = [&](std::size_t cell) {
      return cell < cells.size() ? cells[cell] : std::string_view();
    };
    const auto ranks = parse_uint(number(2)), bytes = parse_uint(number(3));
    const auto time = parse_double(number(4));
    if (!ranks || !bytes || !time)
      return Error{fmt::format("{}:{}", file, i + 1), "has no ranks, size and time", ""};
    points.push_back({std::string(cells[0]), std::string(cells[1]), static_cast<std::uint32_t>(*ranks),
                      *bytes, *time * 1e-6});
  }
  return points;
}

double noise_factor(double sigma, std::uint64_t seed, std::uint64_t who, std::uint64_t which) {
  // Box and Muller 1958; the first draw is kept off zero.
  const double radius = std::sqrt(-2 * std::log(1 - unit_draw(seed, 2 * who, which)));
  const double angle = 2 * std::numbers::pi * unit_draw(seed, 2 * who + 1, which);
  return 1 + sigma * radius * std::cos(angle);
}

std::vector<std::pair<std::string, std::string>> measurements(std::span<const SimulatedPoint> points,
                                                              double sigma, std::uint64_t seed) {
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SimulatedPoint& point = points[i];
    if (files.empty() || files.back().first != point.group)
      files.emplace_back(point.group, head_of(point, sigma, seed));
    const double us = point.seconds * 1e6;
    files.back().second +=
        fmt::format("{},{:.6f},{:.6f}\n", point.bytes, us * noise_factor(sigma, seed, 0, i),
                    us * noise_factor(sigma, seed, 1, i));
  }
  return files;
}

}  // namespace caliper::bench
