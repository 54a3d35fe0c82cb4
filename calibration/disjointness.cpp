#include "calibration/disjointness.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/units.hpp"

namespace caliper {
namespace {

std::string set_hash(std::vector<std::string> hashes) {
  std::ranges::sort(hashes);
  Hasher hasher;
  for (const std::string& hash : hashes) hasher.add(hash);
  return hasher.hex();
}

bool same_kind(const ExperimentGroup& a, const ExperimentGroup& b) {
  return a.collective == b.collective && a.ranks == b.ranks && a.data_type == b.data_type;
}

std::set<std::uint64_t> sizes_of(const Dataset& dataset, const Split& split, std::uint32_t group, Set set) {
  std::set<std::uint64_t> sizes;
  for (const ExperimentId id : dataset.of_group(group))
    if (split.set[id.index] == set) sizes.insert(dataset[id].bytes);
  return sizes;
}

std::size_t comparable(const Dataset& dataset, const Split& split, std::uint32_t fitted,
                       std::uint32_t held_out) {
  if (!same_kind(dataset.groups[fitted], dataset.groups[held_out])) return 0;
  const std::set<std::uint64_t> a = sizes_of(dataset, split, fitted, Set::calibration);
  const std::set<std::uint64_t> b = sizes_of(dataset, split, held_out, Set::validation);
  return static_cast<std::size_t>(
      std::ranges::count_if(b, [&](std::uint64_t size) { return a.contains(size); }));
}

/// "'ar-copy' at 64 MiB, 128 MiB and 3 more sizes"
std::string place(const Dataset& dataset, std::uint32_t group, const std::vector<ExperimentId>& ids) {
  constexpr std::size_t kShown = 3;
  std::string text = fmt::format("'{}' at ", dataset.groups[group].name);
  for (std::size_t i = 0; i < std::min(kShown, ids.size()); ++i)
    text += (i ? ", " : "") + format_bytes(dataset[ids[i]].bytes);
  if (ids.size() > kShown) text += fmt::format(" and {} more", ids.size() - kShown);
  return text;
}

}  // namespace

std::string record_hash(const Dataset& dataset, ExperimentId id) {
  const Experiment& experiment = dataset[id];
  const ExperimentGroup& group = dataset.groups[experiment.group];
  std::vector<double> times = experiment.repeats;
  if (times.empty()) times.push_back(experiment.seconds);
  std::ranges::sort(times);
  return Hasher()
      .add(std::string_view(group.collective))
      .add(std::uint64_t{group.ranks})
      .add(std::string_view(group.data_type))
      .add(experiment.bytes)
      .add(std::span<const double>(times))
      .hex();
}

bool SharedRecords::is_leak() const {
  return held_out.size() >= 2 &&
         static_cast<double>(held_out.size()) > kChance * static_cast<double>(comparable);
}

std::size_t Disjointness::in_common() const {
  std::set<ExperimentId> ids;  // a record may stand in several fitted groups
  for (const SharedRecords& shared_records : shared)
    ids.insert(shared_records.held_out.begin(), shared_records.held_out.end());
  return ids.size();
}

Disjointness compare_records(const Dataset& dataset, const Split& split) {
  Disjointness found;
  std::vector<std::string> fitted_hashes, held_out_hashes;
  std::unordered_multimap<std::string, ExperimentId> fitted;
  for (const ExperimentId id : split.members(Set::calibration)) {
    fitted_hashes.push_back(record_hash(dataset, id));
    fitted.emplace(fitted_hashes.back(), id);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, SharedRecords> pairs;
  for (const ExperimentId id : split.members(Set::validation)) {
    held_out_hashes.push_back(record_hash(dataset, id));
    const auto [begin, end] = fitted.equal_range(held_out_hashes.back());
    for (auto it = begin; it != end; ++it) {
      const std::uint32_t from = dataset[it->second].group, to = dataset[id].group;
      SharedRecords& pair = pairs[{from, to}];
      pair.fitted_group = from;
      pair.held_out_group = to;
      pair.held_out.push_back(id);
      pair.fitted.push_back(it->second);
    }
  }
  found.fitted = fitted_hashes.size();
  found.held_out = held_out_hashes.size();
  found.fitted_hash = set_hash(std::move(fitted_hashes));
  found.held_out_hash = set_hash(std::move(held_out_hashes));
  for (auto& [groups, pair] : pairs) {
    pair.comparable = comparable(dataset, split, groups.first, groups.second);
    found.shared.push_back(std::move(pair));
  }
  return found;
}

Problems leaks(const Dataset& dataset, const Disjointness& found, const std::string& where) {
  Problems problems;
  for (const SharedRecords& pair : found.shared)
    if (pair.is_leak())
      problems.push_back(
          {where,
           fmt::format("{} held-out records of group {} are also fitted, in group {}", pair.held_out.size(),
                       place(dataset, pair.held_out_group, pair.held_out),
                       place(dataset, pair.fitted_group, pair.fitted)),
           "one run under two names predicts itself: fit it or hold it out"});
  return problems;
}

std::vector<std::string> coincidences(const Dataset& dataset, const Disjointness& found) {
  std::vector<std::string> notes;
  for (const SharedRecords& pair : found.shared)
    if (!pair.is_leak())
      notes.push_back(fmt::format(
          "{} of {} comparable held-out records of group {} agree in every digit with fitted ones of group "
          "{}: "
          "few enough to be chance",
          pair.held_out.size(), pair.comparable, place(dataset, pair.held_out_group, pair.held_out),
          dataset.groups[pair.fitted_group].name));
  return notes;
}

}  // namespace caliper
