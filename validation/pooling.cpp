#include "validation/pooling.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "validation/error_statistics.hpp"

namespace caliper {
namespace {

struct NamedPool {
  Pool pool;
  std::string_view name;
};
constexpr std::array kPools = {NamedPool{Pool::min, "min"}, NamedPool{Pool::median, "median"},
                               NamedPool{Pool::mean, "mean"}, NamedPool{Pool::in_place, "in_place"},
                               NamedPool{Pool::out_of_place, "out_of_place"}};

bool counts(Buffers buffers, Pool pool) {
  if (pool == Pool::in_place) return buffers == Buffers::in_place;
  if (pool == Pool::out_of_place) return buffers == Buffers::out_of_place;
  return true;
}

double pooled(const std::vector<double>& repeats, Pool pool) {
  switch (pool) {
    case Pool::min:
      return *std::min_element(repeats.begin(), repeats.end());
    case Pool::mean:
      return std::accumulate(repeats.begin(), repeats.end(), 0.0) / static_cast<double>(repeats.size());
    case Pool::median:
    case Pool::in_place:
    case Pool::out_of_place:
      return quantile(repeats, 0.5);
  }
  CALIPER_CHECK(false);
}

}  // namespace

std::string_view name_of(Pool pool) {
  const auto found =
      std::find_if(kPools.begin(), kPools.end(), [&](const auto& row) { return row.pool == pool; });
  CALIPER_CHECK(found != kPools.end());
  return found->name;
}

Result<Pool> parse_pool(std::string_view name) {
  std::vector<std::string> names;
  for (const NamedPool& row : kPools) {
    if (row.name == name) return row.pool;
    names.emplace_back(row.name);
  }
  return Error{"", fmt::format("unknown pool '{}'", name), suggestion(name, names)};
}

Pooled pool_measurements(std::span<const MeasurementLog> logs, Pool pool, std::uint32_t group) {
  std::map<std::uint64_t, std::vector<double>> repeats;
  for (const MeasurementLog& log : logs)
    for (const Measurement& measurement : log.measurements) {
      auto& of_size = repeats[measurement.bytes];
      if (counts(measurement.buffers, pool)) of_size.push_back(measurement.seconds);
    }
  Pooled result;
  for (auto& [bytes, of_size] : repeats) {
    if (of_size.empty()) {
      result.left_out.push_back(bytes);
      continue;
    }
    const double seconds = pooled(of_size, pool);
    result.experiments.push_back({group, bytes, seconds, std::move(of_size)});
  }
  return result;
}

}  // namespace caliper
