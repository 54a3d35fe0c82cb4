#include "topology/router.hpp"

namespace caliper {

NetworkPath minimal_path(const Machine& machine, NicAddress from, NicAddress to) {
  CALIPER_CHECK(from != to);
  const DragonflyPlusSpec& fabric = machine.spec().fabric;
  const std::uint64_t destination = std::uint64_t{to.node} * machine.spec().node.nics + to.nic;
  const auto spine_among = [&](std::uint32_t spines) {
    return static_cast<std::uint32_t>(destination % spines);
  };
  const std::uint32_t from_group = machine.group_of(from.node), to_group = machine.group_of(to.node);
  const DeviceId first_leaf = machine.leaf(from_group, machine.leaf_of(from.node));
  const DeviceId last_leaf = machine.leaf(to_group, machine.leaf_of(to.node));

  NetworkPath path{machine.device(from), first_leaf};
  if (from_group != to_group) {
    const std::uint32_t spine = spine_among(fabric.spines_with_global_links());
    path.push_back(machine.spine(from_group, spine));
    path.push_back(machine.spine(to_group, spine));
  } else if (first_leaf != last_leaf) {
    path.push_back(machine.spine(from_group, spine_among(fabric.spines_per_group)));
  }
  if (first_leaf != last_leaf) path.push_back(last_leaf);
  path.push_back(machine.device(to));
  return path;
}

}  // namespace caliper
