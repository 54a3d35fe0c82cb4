#include "collectives/execution.hpp"

#include <array>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr std::array kCollectives{Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter};
constexpr std::array kAlgorithms{Algorithm::ring, Algorithm::tree};
constexpr std::array kProtocols{Protocol::simple, Protocol::ll, Protocol::ll128};
constexpr std::array kLayouts{NicLayout::pxn, NicLayout::pairs, NicLayout::oracle};

template <class List>
auto named(const List& list, std::string_view name) -> std::optional<typename List::value_type> {
  for (const auto value : list)
    if (name_of(value) == name) return value;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return "all_reduce";
    case Collective::all_gather:
      return "all_gather";
    case Collective::reduce_scatter:
      return "reduce_scatter";
  }
  CALIPER_CHECK(false);
}

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring:
      return "ring";
    case Algorithm::tree:
      return "tree";
  }
  CALIPER_CHECK(false);
}

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::simple:
      return "simple";
    case Protocol::ll:
      return "ll";
    case Protocol::ll128:
      return "ll128";
  }
  CALIPER_CHECK(false);
}

std::string_view name_of(PartitionFamily family) {
  switch (family) {
    case PartitionFamily::a:
      return "A";
    case PartitionFamily::b:
      return "B";
    case PartitionFamily::c:
      return "C";
  }
  CALIPER_CHECK(false);
}

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::captured:
      return "captured";
    case Origin::derived:
      return "derived";
    case Origin::assumed:
      return "assumed";
  }
  CALIPER_CHECK(false);
}

std::string_view name_of(NicLayout layout) {
  switch (layout) {
    case NicLayout::pxn:
      return "pxn";
    case NicLayout::pairs:
      return "pairs";
    case NicLayout::oracle:
      return "oracle";
  }
  CALIPER_CHECK(false);
}

std::optional<Collective> collective_named(std::string_view name) { return named(kCollectives, name); }

std::optional<Algorithm> algorithm_named(std::string_view name) { return named(kAlgorithms, name); }

std::optional<Protocol> protocol_named(std::string_view name) { return named(kProtocols, name); }

std::optional<NicLayout> nic_layout_named(std::string_view name) { return named(kLayouts, name); }

std::uint32_t Execution::nodes() const {
  std::vector<std::uint32_t> all;
  for (const GpuAddress& gpu : gpu_of_rank) all.push_back(gpu.node);
  std::ranges::sort(all);
  return static_cast<std::uint32_t>(std::unique(all.begin(), all.end()) - all.begin());
}

std::optional<PartitionFamily> family_of_version(std::string_view nccl_version) {
  // A package suffix, "2.28.9-1" or "2.18.3+cuda12.2", says nothing about the partition.
  const auto parts = split(nccl_version.substr(0, nccl_version.find_first_of("+-")), '.');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto major = parse_uint(parts[0]);
  const auto minor = parse_uint(parts[1]);
  if (!major || !minor || *major != 2 || *minor < 4) return std::nullopt;
  if (parts.size() == 3 && !parse_uint(parts[2])) return std::nullopt;
  if (*minor <= 19) return PartitionFamily::a;
  return *minor <= 21 ? PartitionFamily::b : PartitionFamily::c;
}

}  // namespace caliper
