#include "validation/nccl_tests_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "validation/measurement_cells.hpp"

namespace caliper {
namespace {

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = parse_uint(text);
  return number && *number < UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

}  // namespace

void RunHeader::read_versions(const std::vector<std::string_view>& after_hash) {
  constexpr std::string_view kLibrary = "nccl-library=";
  if (after_hash.size() > 2) stated_.nccl_tests_version = find_version(after_hash[2]);
  for (const std::string_view word : after_hash)
    if (word.starts_with(kLibrary))
      if (const auto code = parse_uint(word.substr(kLibrary.size())))
        see_nccl_version(version_of_code(*code));
}

void RunHeader::read_settings(const std::vector<std::string_view>& after_hash) {
  settings_.clear();
  for (std::size_t i = 0; i < after_hash.size(); ++i) {
    const std::string_view word = after_hash[i];
    const std::string_view value = i + 1 < after_hash.size() ? after_hash[i + 1] : std::string_view();
    if (word == "minBytes" || word == "maxBytes" || word == "step:" || word == "validation:") {
      ++i;
      continue;
    }
    settings_ += fmt::format("{} ", word);
    if (word == "graph:") as_graph_ = value != "0" && !value.empty();
    if (word != "iters:" || i == 0) continue;
    const std::string_view kind = after_hash[i - 1];
    const auto number = small_number(value);
    const auto count = number == 0u ? std::nullopt : number;
    if (kind == "warmup")
      stated_.warmups = number;
    else if (kind == "agg")
      stated_.aggregated_iterations = count;
    else
      stated_.iterations = count;
  }
}

void RunHeader::read_device(const std::vector<std::string_view>& after_hash, std::uint32_t line) {
  const auto rank = after_hash.size() < 2 ? std::nullopt : small_number(after_hash[1]);
  if (!rank) return;
  Device device{{}, {}, fmt::format("{}", fmt::join(after_hash, " "))};
  for (std::size_t i = 2; i + 1 < after_hash.size(); ++i) {
    if (after_hash[i] == "Group") groups_.emplace(after_hash[i + 1]);
    if (after_hash[i] == "on") device.host = after_hash[i + 1];
    if (after_hash[i].starts_with('[') && device.gpu.empty())
      device.gpu = fmt::format(
          "{}", fmt::join(after_hash.begin() + static_cast<std::ptrdiff_t>(i) + 1, after_hash.end(), " "));
  }
  const auto [found, is_new] = devices_.emplace(*rank, device);
  if (!is_new && found->second.text != device.text && repeated_rank_line_ == 0) repeated_rank_line_ = line;
}

std::optional<std::uint32_t> RunHeader::rank_count() const {
  if (devices_.empty() || groups_.size() > 1) return std::nullopt;
  return devices_.rbegin()->first + 1;
}

RunFacts RunHeader::facts() const {
  RunFacts facts = stated_;
  std::vector<ListedDevice> listed;
  for (const auto& [rank, device] : devices_) listed.push_back({rank, device.host, device.gpu});
  add_device_facts(listed, facts);
  if (groups_.size() > 1) facts.ranks = facts.nodes = facts.gpus_per_node = std::nullopt;
  return facts;
}

std::vector<std::string> RunHeader::notes() const {
  std::vector<std::string> notes;
  if (groups_.size() > 1)
    notes.push_back(
        fmt::format("{} communicators ran at once: how many ranks each has is not read", groups_.size()));
  if (as_graph_) notes.emplace_back("launched as CUDA graphs");
  return notes;
}

bool RunHeader::same_experiment(const RunHeader& other) const {
  RunFacts mine = facts(), theirs = other.facts();
  // Not every run prints its library's version.
  if (!mine.nccl_version) mine.nccl_version = theirs.nccl_version;
  if (!theirs.nccl_version) theirs.nccl_version = mine.nccl_version;
  return settings_ == other.settings_ && groups_ == other.groups_ && mine == theirs;
}

void add_device_facts(const std::vector<ListedDevice>& devices, RunFacts& facts) {
  if (devices.empty()) return;
  std::uint32_t highest = 0;
  std::map<std::string_view, std::uint32_t> gpus_of_host;
  std::vector<std::string_view> models;
  bool all_hosts_named = true;
  for (const ListedDevice& device : devices) {
    highest = std::max(highest, device.rank);
    if (device.host.empty())
      all_hosts_named = false;
    else
      ++gpus_of_host[device.host];
    if (!device.gpu.empty() && std::find(models.begin(), models.end(), device.gpu) == models.end())
      models.push_back(device.gpu);
  }
  facts.ranks = highest + 1;
  if (!models.empty()) facts.gpu_model = fmt::format("{}", fmt::join(models, " and "));
  if (!all_hosts_named || *facts.ranks != devices.size()) return;
  facts.nodes = static_cast<std::uint32_t>(gpus_of_host.size());
  const auto same = [&](const auto& host) { return host.second == gpus_of_host.begin()->second; };
  if (std::all_of(gpus_of_host.begin(), gpus_of_host.end(), same))
    facts.gpus_per_node = gpus_of_host.begin()->second;
}

}  // namespace caliper
