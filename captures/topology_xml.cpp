#include "captures/topology_xml.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace caliper {
namespace {

/// PCIe trees of real nodes have at most some levels.
constexpr std::size_t kDeepest = 32;

enum class PciClass { bridge, gpu, nic, other };

/// By the class code; AMD's GPUs are 0x0380, from MI300 on 0x1200.
PciClass class_of(std::string_view code) {
  if (code.starts_with("0x0604")) return PciClass::bridge;
  if (code.starts_with("0x03") || code.starts_with("0x1200")) return PciClass::gpu;
  if (code.starts_with("0x02")) return PciClass::nic;
  return PciClass::other;
}

class TopologyReader {
 public:
  explicit TopologyReader(XmlFile& file) : file_(file) {}

  NodeTopology read(const pugi::xml_node& system) {
    for (const pugi::xml_node& cpu : system.children("cpu")) read_cpu(cpu);
    if (made_.gpus.empty() && file_.problems.empty())
      file_.report(
          system, "no GPU in the topology",
          "the dump of a run (NCCL_TOPO_DUMP_FILE); a file of bus ids alone is filled in when NCCL runs");
    sort_gpus();
    check_devices();
    read_links();
    note_gaps();
    return std::move(made_);
  }

 private:
  std::uint32_t number(const pugi::xml_node& element, const char* name) {
    return static_cast<std::uint32_t>(xml_number(file_, element, name, kLargestXmlNumber).value_or(0));
  }
  std::optional<std::uint32_t> maybe(const pugi::xml_node& element, const char* name) {
    const auto value = xml_number(file_, element, name, kLargestXmlNumber);
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  }

  void read_cpu(const pugi::xml_node& cpu) {
    made_.cpus.push_back(
        {number(cpu, "numaid"), xml_text(file_, cpu, "arch"), xml_text(file_, cpu, "vendor")});
    PcieSeat seat;
    seat.cpu = static_cast<std::uint32_t>(made_.cpus.size() - 1);
    read_devices(cpu, seat);
  }

  /// What hangs on a CPU or a bridge.
  void read_devices(const pugi::xml_node& parent, const PcieSeat& above) {
    for (const pugi::xml_node& child : parent.children()) {
      const std::string_view name = child.name();
      if (name == "pci")
        read_pci(child, above);
      else if (name == "nic")
        read_nic(child, above);
    }
  }

  void read_pci(const pugi::xml_node& pci, const PcieSeat& above) {
    if (above.bridges.size() >= kDeepest)
      return file_.report(pci, fmt::format("more than {} bridges above each other", kDeepest), "");
    PcieSeat seat = above;
    seat.bus_id = xml_text(file_, pci, "busid");
    seat.link_speed = xml_text(file_, pci, "link_speed");
    seat.link_width = number(pci, "link_width");
    if (seat.bus_id.empty()) return file_.report(pci, "a <pci> without a busid", "busid=\"0000:0f:00.0\"");
    if (!bus_ids_.insert(seat.bus_id).second)
      file_.report(pci, fmt::format("bus id {} stands twice", seat.bus_id), "every device once");
    const pugi::xml_node gpu = pci.child("gpu"), nic = pci.child("nic");
    const PciClass kind = class_of(xml_text(file_, pci, "class"));
    if (gpu) return read_gpu(gpu, seat);
    if (nic) return read_nic(nic, seat);
    if (kind == PciClass::gpu) {
      made_.gpus.push_back({seat, {}, {}, {}, 0, file_.line_of(pci)});
      elements_.emplace_back();
    } else if (kind == PciClass::nic) {
      made_.nics.push_back({seat, {}, {}, {}, {}, file_.line_of(pci), {}});
    } else {
      seat.bridges.push_back(seat.bus_id);
      seat.bus_id.clear();
      seat.link_speed.clear();
      seat.link_width = 0;
      read_devices(pci, seat);
    }
  }

  void read_gpu(const pugi::xml_node& gpu, const PcieSeat& seat) {
    made_.gpus.push_back(
        {seat, maybe(gpu, "dev"), maybe(gpu, "rank"), maybe(gpu, "sm"), 0, file_.line_of(gpu)});
    elements_.push_back(gpu);
  }

  void read_nic(const pugi::xml_node& nic, const PcieSeat& seat) {
    for (const pugi::xml_node& net : nic.children("net")) {
      TopologyNic one{seat,
                      xml_text(file_, net, "name"),
                      maybe(net, "dev"),
                      xml_number(file_, net, "speed", kLargestXmlNumber),
                      {},
                      file_.line_of(net),
                      {}};
      if (const auto gdr = maybe(net, "gdr")) one.gdr = *gdr != 0;
      if (!is_listed_again(one)) made_.nics.push_back(std::move(one));
    }
  }

  /// Devices that have no place on the bus (bridges, tunnels) stand under each CPU that a process runs on.
  bool is_listed_again(const TopologyNic& one) {
    for (TopologyNic& there : made_.nics)
      if (one.device && there.device == one.device && there.name == one.name && there.mbits == one.mbits &&
          there.seat.bus_id.empty() && one.seat.bus_id.empty() && there.seat.cpu != one.seat.cpu) {
        there.other_cpus.push_back(one.seat.cpu);
        return true;
      }
    return false;
  }

  /// By device; the elements go along.
  void sort_gpus() {
    std::vector<std::size_t> order(made_.gpus.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return made_.gpus[a].device.value_or(~0u) < made_.gpus[b].device.value_or(~0u);
    });
    std::vector<TopologyGpu> gpus;
    std::vector<pugi::xml_node> elements;
    for (const std::size_t i : order) {
      gpus.push_back(std::move(made_.gpus[i]));
      elements.push_back(elements_[i]);
    }
    made_.gpus = std::move(gpus);
    elements_ = std::move(elements);
  }

  void check_devices() {
    std::set<std::uint32_t> devices, ranks, nets;
    const auto once = [&](std::set<std::uint32_t>& seen, std::optional<std::uint32_t> number,
                          std::uint32_t line, std::string_view what) {
      if (number && !seen.insert(*number).second)
        file_.problems.push_back({fmt::format("{}:{}", file_.name, line),
                                  fmt::format("{} {} stands twice", what, *number), "every one once"});
    };
    for (const TopologyGpu& gpu : made_.gpus) {
      once(devices, gpu.device, gpu.line, "GPU");
      once(ranks, gpu.rank, gpu.line, "rank");
    }
    for (const TopologyNic& nic : made_.nics) once(nets, nic.device, nic.line, "NIC");
  }

  /// Each end counts the links.
  void read_links() {
    std::map<std::string, std::uint32_t> gpu_at;
    for (std::uint32_t i = 0; i < made_.gpus.size(); ++i) gpu_at.emplace(made_.gpus[i].seat.bus_id, i);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> links;
    std::set<std::string> switches;
    for (std::uint32_t i = 0; i < made_.gpus.size(); ++i)
      for (const pugi::xml_node& link : elements_[i].children()) {
        const std::string_view kind = link.name();
        if (kind != "nvlink" && kind != "xgmi") continue;
        const std::string target = xml_text(file_, link, "target");
        const std::uint32_t count = number(link, "count");
        const auto gpu = gpu_at.find(target);
        if (count > 1024)
          file_.report(link, fmt::format("{} links to one device", count), "some tens at most");
        else if (xml_text(file_, link, "tclass").starts_with("0x0680")) {
          made_.gpus[i].switch_links += count;
          switches.insert(target);
        } else if (gpu == gpu_at.end()) {
          unknown_.insert(target);
        } else if (gpu->second == i) {
          made_.notes.push_back(fmt::format("line {}: {} links of GPU {} to itself; they are left out",
                                            file_.line_of(link), count, name_of_gpu(i)));
        } else {
          links[{i, gpu->second}] += count;
        }
      }
    made_.nvswitches = static_cast<std::uint32_t>(switches.size());
    for (const auto& [ends, count] : links) take_pair(links, ends, count);
  }

  void take_pair(const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>& links,
                 std::pair<std::uint32_t, std::uint32_t> ends, std::uint32_t count) {
    const auto back = links.find({ends.second, ends.first});
    if (back != links.end() && back->second != count && ends.first < ends.second)
      file_.report(elements_[ends.second],
                   fmt::format("GPU {} counts {} links to GPU {}, which counts {}", name_of_gpu(ends.second),
                               back->second, name_of_gpu(ends.first), count),
                   "both ends count the same links");
    if (back == links.end())
      made_.notes.push_back(fmt::format("only GPU {} says that it has {} links to GPU {}",
                                        name_of_gpu(ends.first), count, name_of_gpu(ends.second)));
    if (back == links.end() || ends.first < ends.second)
      made_.pairs.push_back({std::min(ends.first, ends.second), std::max(ends.first, ends.second), count});
  }

  std::string name_of_gpu(std::uint32_t gpu) const {
    const TopologyGpu& one = made_.gpus[gpu];
    return one.device ? std::to_string(*one.device) : one.seat.bus_id;
  }

  void note_gaps() {
    std::sort(made_.pairs.begin(), made_.pairs.end(), [](const GpuPair& a, const GpuPair& b) {
      return std::pair(a.first, a.second) < std::pair(b.first, b.second);
    });
    const auto count = [&](std::size_t number, std::string_view what) {
      if (number > 0) made_.notes.push_back(fmt::format("not said: {} of {}", what, number));
    };
    const auto gpus = [&](auto lacks) {
      return std::size_t(std::count_if(made_.gpus.begin(), made_.gpus.end(), lacks));
    };
    const auto nics = [&](auto lacks) {
      return std::size_t(std::count_if(made_.nics.begin(), made_.nics.end(), lacks));
    };
    count(gpus([](const TopologyGpu& gpu) { return !gpu.device; }), "number and NVLinks of GPUs,");
    count(gpus([](const TopologyGpu& gpu) { return gpu.seat.link_width == 0; }),
          "width of the PCIe link of GPUs,");
    count(nics([](const TopologyNic& nic) { return !nic.mbits; }), "rate of NICs,");
    if (!unknown_.empty())
      made_.notes.push_back(
          fmt::format("links to devices that the file does not hold: {}", fmt::join(unknown_, ", ")));
    if (made_.nics.empty()) made_.notes.push_back("not said: NICs");
  }

  XmlFile& file_;
  NodeTopology made_;
  std::vector<pugi::xml_node> elements_;  ///< [gpus]
  std::set<std::string> bus_ids_, unknown_;
};

}  // namespace

NodeTopology read_topology(XmlFile& file, const pugi::xml_node& system) {
  return TopologyReader(file).read(system);
}

PcieDistance NodeTopology::distance(std::uint32_t gpu, std::uint32_t nic) const {
  const PcieSeat& a = gpus[gpu].seat;
  const PcieSeat& b = nics[nic].seat;
  const std::vector<std::uint32_t>& others = nics[nic].other_cpus;
  if (std::find(others.begin(), others.end(), a.cpu) != others.end()) return PcieDistance::phb;
  if (a.cpu != b.cpu) return PcieDistance::sys;
  const auto differ = std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  if (differ.first == a.bridges.begin()) return PcieDistance::phb;
  const bool same_bridge = differ.first == a.bridges.end() && differ.second == b.bridges.end();
  return same_bridge ? PcieDistance::pix : PcieDistance::pxb;
}

std::vector<std::uint32_t> NodeTopology::nearest_nics(std::uint32_t gpu) const {
  std::vector<std::uint32_t> nearest;
  PcieDistance best = PcieDistance::sys;
  for (std::uint32_t i = 0; i < nics.size(); ++i) {
    const PcieDistance here = distance(gpu, i);
    if (here < best) nearest.clear();
    best = std::min(best, here);
    if (here == best) nearest.push_back(i);
  }
  return nearest;
}

}  // namespace caliper
