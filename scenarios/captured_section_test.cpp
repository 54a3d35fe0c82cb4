// Plans from logs that are known by construction; no line of a real log.
#include "scenarios/captured_section.hpp"

#include <doctest/doctest.h>

#include "captures/log_fixtures.hpp"
#include "scenarios/execution_record_file.hpp"
#include "scenarios/group_programs.hpp"
#include "scenarios/small_scenario.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

/// Two nodes of two GPUs, each GPU with the NIC of its number; the ring of channel 1 leaves the second node
/// by PXN.
std::string log_with_local_nics() {
  std::string log = synthetic_log();
  for (const char* end : {"[send]", "[receive]"}) {
    log = replaced(log, fmt::format("1[1] -> 3[1] {} via NET/IB/0", end),
                   fmt::format("1[1] -> 3[1] {} via NET/IB/1", end));
  }
  log = replaced(log, "0[0] -> 2[0] [send] via NET/IB/1(0)", "0[0] -> 2[0] [send] via NET/IB/0");
  log = replaced(log, "0[0] -> 2[0] [receive] via NET/IB/1", "0[0] -> 2[0] [receive] via NET/IB/0");
  return replaced(log, "3[1] -> 1[1] [send] via NET/IB/1(2)", "3[1] -> 1[1] [send] via NET/IB/0(2)");
}

constexpr const char* kCaptured = R"(schema = 1
title = "captured"
system = "eight"
[placement.A]
nodes = "n[5,2]"
source = "assumed: test"
[[group]]
name = "ar"
collective = "all_reduce"
nodes = 2
gpus_per_node = 2
placement = "A"
data_type = "float32"
nccl = "2.28.3"
[[group.plan]]
sizes = "64 MiB .."
algorithm = "ring"
protocol = "simple"
log = "nccl.log"
source = "captured"
)";

struct CapturedFolder : Folder {
  CapturedFolder() { write("nccl.log", log_with_local_nics()); }
};

}  // namespace

TEST_CASE("captured plan: rings, NICs and proxies of the log are laid on the nodes of the placement") {
  CapturedFolder folder;
  const auto scenario = folder.read(kCaptured);
  REQUIRE_MESSAGE(scenario, folder.problems(kCaptured));
  const auto execution = execution_of(*scenario, 0, 64 * kMiB);
  REQUIRE(execution);
  CHECK(execution->channels_origin == Origin::captured);
  CHECK(execution->rings_origin == Origin::captured);
  REQUIRE(execution->channels() == 2);
  CHECK(execution->rings[0].order == std::vector<std::uint32_t>{0, 1, 3, 2});
  CHECK(execution->rings[1].order == std::vector<std::uint32_t>{0, 2, 3, 1});
  const std::uint32_t first = *scenario->machine.find_node("n5"), second = *scenario->machine.find_node("n2");
  CHECK(execution->gpu_of_rank == std::vector<GpuAddress>{{first, 0}, {first, 1}, {second, 0}, {second, 1}});
  const NodeCrossing& by_proxy = execution->rings[1].crossings[1];
  CHECK(by_proxy.from_rank == 3);
  CHECK(by_proxy.proxy_gpu == GpuAddress{second, 0});
  CHECK(by_proxy.out == NicAddress{second, 0});
  CHECK(by_proxy.in == NicAddress{first, 1});
  const auto programs = GroupPrograms::build(*scenario, 0, {64 * kMiB});
  REQUIRE(programs);
  const std::size_t row = 0;
  CHECK(programs->answer(scenario->parameters.defaults(), std::span(&row, 1))[0].seconds > 0);
  bool said = false;
  for (const std::string& fact : execution->derivation)
    said = said || fact.find("ring of channel 0: listed, nccl.log:") != std::string::npos;
  CHECK(said);
}

TEST_CASE("captured plan: the record that was made of the log says the same") {
  CapturedFolder folder;
  const auto record = read_log(log_with_local_nics());
  REQUIRE(record);
  folder.write("record.toml", execution_record_toml(*record));
  const auto from_log = folder.read(kCaptured);
  const std::string text = replaced(kCaptured, "nccl.log", "record.toml");
  const auto from_record = folder.read(text);
  REQUIRE_MESSAGE(from_record, folder.problems(text));
  CHECK(GroupPrograms::build(*from_log, 0, {64 * kMiB})->hash(0) ==
        GroupPrograms::build(*from_record, 0, {64 * kMiB})->hash(0));
}

TEST_CASE("captured plan: what does not fit is told at the line of the log") {
  struct Case {
    std::string scenario, log, problem;
  };
  const std::string log = log_with_local_nics();
  const std::vector<Case> cases = {
      {replaced(kCaptured, "gpus_per_node = 2", "gpus_per_node = 4"), log,
       "no communicator of the 8 ranks of group 'ar' (it has comm-1 of 4 ranks)"},
      {replaced(replaced(kCaptured, "nodes = 2", "nodes = 1"), "gpus_per_node = 2", "gpus_per_node = 4"), log,
       "ranks on 2 hosts, group 'ar' has 1 nodes"},
      {replaced(kCaptured, "nccl = \"2.28.3\"", "nccl = \"2.20.5\""), log,
       "is of NCCL 2.28.3, group 'ar' of 2.20.5"},
      {replaced(kCaptured, "64 MiB ..", "all"), log,
       "AllReduce of 64 KiB ran as tree ll, the plan says ring simple"},
      {replaced(kCaptured, "source =", "channels = 4\nsource ="), log, "2 channels, the plan states 4"},
      {replaced(kCaptured, "source =", "communicator = \"comm-2\"\nsource ="), log,
       "no communicator 'comm-2'"},
      {replaced(kCaptured, "log = \"nccl.log\"", "log = \"nothing.log\""), log, "nothing.log"},
      {replaced(kCaptured, "source = \"captured\"", "source = \"derived\""), log,
       "has a log and is not captured"},
      {kCaptured, synthetic_log(), "rank 1 sends by NIC 0 through gpu 1, whose NIC is 1"},
      {kCaptured, replaced(log, "Channel 00/02 : 0 1 3 2", "Channel 00/02 : 0 1 3 3"), "nccl.log:"},
      {kCaptured,
       replaced(log, "67108864 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}",
                "67108864 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..0}"),
       "AllReduce of 64 MiB ran on channels 0 to 0, NCCL 2.28.3 cuts it over 2"},
  };
  for (const Case& one : cases) {
    Folder folder;
    folder.write("nccl.log", one.log);
    const std::string problems = folder.problems(one.scenario);
    CHECK_MESSAGE(problems.find(one.problem) != std::string::npos, one.problem << "\ngot: " << problems);
    CHECK((problems.starts_with("s.toml:") || problems.starts_with("nccl.log:")));
  }
}
