// The machine as a directed graph from GPU to global link; parallel links are one edge that keeps their
// number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "topology/system_spec.hpp"

namespace caliper {

struct GpuAddress {
  std::uint32_t node;  ///< index in the machine
  std::uint32_t gpu;   ///< local
  auto operator<=>(const GpuAddress&) const = default;
};
struct NicAddress {
  std::uint32_t node;
  std::uint32_t nic;
  auto operator<=>(const NicAddress&) const = default;
};

enum class DeviceKind : std::uint8_t { gpu, nic, leaf, spine };
enum class LinkClass : std::uint8_t { nvlink, pcie, nic, leaf_spine, global };
inline constexpr std::array kLinkClasses = {LinkClass::nvlink, LinkClass::pcie, LinkClass::nic,
                                            LinkClass::leaf_spine, LinkClass::global};
std::string_view name_of(LinkClass link_class);  ///< "nvlink", ..., "leaf-spine", "global"

struct Device {
  DeviceKind kind;
  std::uint32_t owner;  ///< node of a GPU or NIC, group of a switch
  std::uint32_t local;  ///< number within the owner
};

/// One direction of a bundle of parallel links.
struct MachineLink {
  LinkClass link_class;
  std::uint32_t multiplicity;  ///< parallel links
  double rate;                 ///< bytes/s of one of them, nominal
  double total_rate() const { return multiplicity * rate; }
  bool operator==(const MachineLink&) const = default;
};

/// Vertex of the graph.
using DeviceId = std::size_t;

/// Devices, and links by class. A link counts once for each direction and each of its parallel wires.
struct MachineCounts {
  std::uint64_t nodes, groups, gpus, nics, leaves, spines;
  std::array<std::uint64_t, kLinkClasses.size()> links;  ///< in the order of kLinkClasses
  std::uint64_t of(LinkClass link_class) const { return links[static_cast<std::size_t>(link_class)]; }
  bool operator==(const MachineCounts&) const = default;
};

/// Built once from a specification, immutable. Nodes are numbered in the order of the specification's groups;
/// the nodes of a group fill its leaves in order, nodes_per_leaf each, all NICs of a node on one leaf.
class Machine {
 public:
  /// Problems: those of problems_of(); a malformed hostlist, more nodes in a group than its leaves have room
  /// for, a node named twice, a machine too large to build. One group, one leaf, one node are valid.
  static Result<Machine> build(SystemSpec spec);

  const SystemSpec& spec() const { return spec_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(node_names_.size()); }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(spec_.group_nodes.size()); }
  const std::string& node_name(std::uint32_t node) const { return node_names_[node]; }
  std::span<const std::string> node_names() const { return node_names_; }
  std::optional<std::uint32_t> find_node(std::string_view name) const;
  std::uint32_t group_of(std::uint32_t node) const { return node_group_[node]; }
  std::uint32_t leaf_of(std::uint32_t node) const { return node_leaf_[node]; }  ///< within its group

  /// Of a machine with NICs.
  NicAddress local_nic(GpuAddress gpu) const { return {gpu.node, spec_.node.nic_of_gpu[gpu.gpu]}; }

  /// Addresses beyond the machine's counts are the caller's bug.
  DeviceId device(GpuAddress gpu) const;
  DeviceId device(NicAddress nic) const;
  DeviceId leaf(std::uint32_t group, std::uint32_t leaf) const;
  DeviceId spine(std::uint32_t group, std::uint32_t spine) const;
  const Device& operator[](DeviceId device) const;
  /// Rows of links: one a direction of a bundle, from 0.
  std::size_t link_rows() const;
  /// Of the link between two neighbours; that they are none is the caller's bug. Logarithmic in the links of
  /// `from`.
  std::size_t link_row(DeviceId from, DeviceId to) const;
  const MachineLink& link_at(std::size_t row) const;
  const MachineLink& link(DeviceId from, DeviceId to) const { return link_at(link_row(from, to)); }
  /// "jpbo-001-01 gpu 2", "group 3 spine 7".
  std::string describe(DeviceId device) const;
  MachineCounts counts() const;

  struct Wiring;  ///< topology/machine_graph.hpp
  const Wiring& wiring() const { return *wiring_; }

 private:
  explicit Machine(SystemSpec spec) : spec_(std::move(spec)) {}
  Problems place_nodes();
  void build_graph();

  SystemSpec spec_;
  std::shared_ptr<const Wiring> wiring_;  // immutable: copies of a machine share it
  std::vector<std::string> node_names_;
  std::vector<std::uint32_t> node_group_;
  std::vector<std::uint32_t> node_leaf_;
  std::unordered_map<std::string, std::uint32_t> node_by_name_;
};

}  // namespace caliper
