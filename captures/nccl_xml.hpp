// XML that NCCL and RCCL write and read: the topology of a node (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE) and the
// graphs that the search found on it (NCCL_GRAPH_DUMP_FILE). Source: NCCL 2.28.9 graph/xml.cc, graph/topo.cc,
// graph/search.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace caliper {

/// Where a device hangs: its CPU, and the PCIe bridges from there down to it.
struct PcieSeat {
  std::string bus_id;     ///< empty: the device hangs on the CPU itself
  std::uint32_t cpu = 0;  ///< index into NodeTopology::cpus
  std::vector<std::string> bridges;
  std::string link_speed;        ///< of the device: "32.0 GT/s PCIe"; empty: not said
  std::uint32_t link_width = 0;  ///< lanes; 0: not said
  bool operator==(const PcieSeat&) const = default;
};

struct TopologyCpu {
  std::uint32_t numa = 0;
  std::string arch, vendor;
  bool operator==(const TopologyCpu&) const = default;
};

struct TopologyGpu {
  PcieSeat seat;
  std::optional<std::uint32_t> device, rank,
      compute_capability;          ///< absent: the file says only that there is a GPU
  std::uint32_t switch_links = 0;  ///< NVLinks to NVSwitches
  std::uint32_t line = 0;
  bool operator==(const TopologyGpu&) const = default;
};

struct TopologyNic {
  PcieSeat seat;
  std::string name;                     ///< empty: the file says only that there is a NIC
  std::optional<std::uint32_t> device;  ///< as NCCL numbers it
  std::optional<std::uint64_t> mbits;
  std::optional<bool> gdr;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> other_cpus;  ///< a device without a place on the bus is listed under each CPU
  bool operator==(const TopologyNic&) const = default;
};

/// NVLinks (RCCL: XGMI) of two GPUs, by index.
struct GpuPair {
  std::uint32_t first = 0, second = 0;  ///< first < second
  std::uint32_t links = 0;
  bool operator==(const GpuPair&) const = default;
};

/// How far a NIC is from a GPU, by NCCL's names.
enum class PcieDistance : std::uint8_t { pix, pxb, phb, sys };
std::string_view name_of(PcieDistance distance);  ///< "PIX"

struct NodeTopology {
  std::vector<TopologyCpu> cpus;
  std::vector<TopologyGpu> gpus;  ///< by device, those without in the order of the file behind them
  std::vector<TopologyNic> nics;
  std::vector<GpuPair> pairs;
  std::uint32_t nvswitches = 0;
  std::vector<std::string> notes;  ///< what is said and cannot be so, what is not said
  bool operator==(const NodeTopology&) const = default;

  /// Between a GPU and a NIC, by index.
  PcieDistance distance(std::uint32_t gpu, std::uint32_t nic) const;
  /// NICs at the least distance from a GPU, by index.
  std::vector<std::uint32_t> nearest_nics(std::uint32_t gpu) const;
};

/// A way through the GPUs of one node.
struct GraphChannel {
  std::vector<std::uint32_t> gpus;               ///< devices, in order
  std::optional<std::uint64_t> net_in, net_out;  ///< between nodes
  bool operator==(const GraphChannel&) const = default;
};

struct SearchGraph {
  std::uint32_t id = 0;       ///< 0 ring, 1 tree, 2 collnet, 3 nvls
  std::uint32_t pattern = 0;  ///< 4: ring
  std::uint32_t stated_channels = 0;
  double rate_intra = 0, rate_inter = 0;  ///< GB/s of a channel; 0: not said
  std::string type_intra, type_inter;     ///< "NVL"; empty: not said
  std::vector<GraphChannel> channels;
  std::uint32_t line = 0;
  bool operator==(const SearchGraph&) const = default;
};

/// Before NCCL doubles them: channel c and c + channels run on the same ring.
struct NodeGraphs {
  std::vector<SearchGraph> graphs;
  std::vector<std::string> notes;
  bool operator==(const NodeGraphs&) const = default;
};

using NcclXml = std::variant<NodeTopology, NodeGraphs>;

/// Problems ("file:line"): no XML; neither topology nor graphs; no GPU; a device, rank or bus id twice;
/// NVLinks that two GPUs count differently; a ring that passes a GPU twice, or rings over different GPUs.
/// @param file  as it is to appear in messages
Result<NcclXml> read_nccl_xml(std::string_view content, std::string_view file);

}  // namespace caliper
