#include "scenarios/captured_section.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "captures/captured_parts.hpp"
#include "captures/nccl_log.hpp"
#include "collectives/execution_check.hpp"
#include "collectives/plan.hpp"
#include "scenarios/execution_record_file.hpp"

namespace caliper {
namespace {

/// One plan of one group.
class CapturedReader {
 public:
  CapturedReader(const Machine& machine, const Placement& placement, const ScenarioGroup& group,
                 const PlanLog& log)
      : machine_(machine), placement_(placement), group_(group), log_(log) {}

  /// Problems without a place are about the log as a whole.
  Problems read(InputFiles& inputs, PlanRange& plan) {
    const auto content = inputs.read(inputs.resolve(log_.file));
    if (!content) return content.problems();
    auto record = record_of(*content);
    if (!record) return record.problems();
    const CapturedCommunicator* communicator = choose(*record);
    if (!communicator) return std::move(problems_);
    auto parts = captured_parts(*record, communicator->name);
    if (!parts) {
      for (const Error& wrong : parts.problems())
        problem(fmt::format("{}: {}", wrong.where, wrong.what), wrong.hint);
      return std::move(problems_);
    }
    check_version(*communicator);
    lay_on_nodes(*parts);
    if (!problems_.empty()) return std::move(problems_);
    auto made = std::make_shared<CapturedPlan>(
        CapturedPlan{parts->gpu_of_rank, parts->rings, facts_of(*record, *communicator)});
    check(*made, parts->ranges, plan);
    plan.channels = static_cast<std::uint32_t>(made->rings.size());
    plan.captured = std::move(made);
    return std::move(problems_);
  }

 private:
  void problem(std::string what, std::string hint = {}) {
    problems_.push_back({"", fmt::format("'{}': {}", log_.file, what), std::move(hint)});
  }

  Result<ExecutionRecord> record_of(const std::string& content) const {
    if (log_.file.ends_with(".toml")) return read_execution_record(content, log_.file);
    const LogInput input{log_.file, content};
    return read_nccl_log(std::span(&input, 1));
  }

  const CapturedCommunicator* choose(const ExecutionRecord& record) {
    std::vector<const CapturedCommunicator*> fit;
    std::vector<std::string> names, sizes;
    for (const CapturedCommunicator& one : record.communicators) {
      if (log_.communicator && one.name == *log_.communicator) fit.push_back(&one);
      if (!log_.communicator && one.ranks == group_.ranks.size()) fit.push_back(&one);
      names.push_back(one.name);
      sizes.push_back(fmt::format("{} of {} ranks", one.name, one.ranks));
    }
    if (fit.size() == 1 && fit.front()->ranks == group_.ranks.size()) return fit.front();
    if (log_.communicator && fit.empty())
      problem(fmt::format("no communicator '{}'", *log_.communicator), suggestion(*log_.communicator, names));
    else if (fit.size() > 1)
      problem(fmt::format("{} communicators of {} ranks", fit.size(), group_.ranks.size()),
              "name one with communicator = \"...\": " + fmt::format("{}", fmt::join(sizes, ", ")));
    else
      problem(fmt::format("no communicator of the {} ranks of group '{}'", group_.ranks.size(), group_.name),
              fmt::format("it has {}", fmt::join(sizes, ", ")));
    return nullptr;
  }

  void check_version(const CapturedCommunicator& communicator) {
    if (communicator.version.empty()) return;
    const auto family = family_of_version(communicator.version);
    if (!family || *family != group_.family)
      problem(fmt::format("is of NCCL {}, group '{}' of {}", communicator.version, group_.name, group_.nccl),
              "they cut buffers differently: state the version that ran");
  }

  /// Hosts become nodes of the placement.
  void lay_on_nodes(CapturedParts& parts) {
    if (parts.hosts.size() != group_.nodes)
      return problem(fmt::format("ranks on {} hosts, group '{}' has {} nodes", parts.hosts.size(),
                                 group_.name, group_.nodes));
    const NodeSpec& node = machine_.spec().node;
    const auto lay_gpu = [&](GpuAddress& gpu) {
      if (gpu.gpu >= node.gpus)
        problem(fmt::format("GPU {} of host {}, nodes have {}", gpu.gpu, parts.hosts[gpu.node], node.gpus));
      gpu.node = placement_.nodes[gpu.node];
    };
    const auto lay_nic = [&](NicAddress& nic) {
      if (nic.nic >= node.nics)
        problem(fmt::format("NIC {} of host {}, nodes have {}", nic.nic, parts.hosts[nic.node], node.nics));
      nic.node = placement_.nodes[nic.node];
    };
    std::ranges::for_each(parts.gpu_of_rank, lay_gpu);
    for (ChannelRing& ring : parts.rings)
      for (NodeCrossing& crossing : ring.crossings) {
        lay_gpu(crossing.proxy_gpu);
        lay_nic(crossing.out);
        lay_nic(crossing.in);
        if (!problems_.empty()) return;
      }
  }

  static std::string place(const ExecutionRecord& record, LineRef at) {
    return fmt::format("{}:{}", record.files[at.file], at.line);
  }

  std::vector<std::string> facts_of(const ExecutionRecord& record,
                                    const CapturedCommunicator& communicator) const {
    std::vector<std::string> facts{fmt::format(
        "captured: '{}', communicator {}, {} ranks{}", log_.file, communicator.name, communicator.ranks,
        communicator.version.empty() ? "" : ", NCCL " + communicator.version)};
    for (const CapturedRing& ring : communicator.rings)
      facts.push_back(fmt::format("ring of channel {}: {}{}", ring.channel, name_of(ring.rule),
                                  ring.at ? ", " + place(record, *ring.at) : ""));
    for (const CapturedGap& gap : communicator.gaps)
      facts.push_back(fmt::format("not in the log: {}; filled by {}", gap.what, gap.filled_by));
    return facts;
  }

  void check(const CapturedPlan& captured, const std::vector<CapturedRange>& ranges, const PlanRange& plan) {
    if (plan.channels && *plan.channels != captured.rings.size())
      problem(fmt::format("{} channels, the plan states {}", captured.rings.size(), *plan.channels),
              "leave 'channels' out");
    if (plan.algorithm == Algorithm::tree)
      return problem("a log gives the rings of a plan, not its trees",
                     "leave 'log' out: trees follow from rules");
    const Execution execution{.collective = group_.collective,
                              .algorithm = plan.algorithm,
                              .protocol = plan.protocol,
                              .family = group_.family,
                              .element_bytes = group_.element_bytes,
                              .gpu_of_rank = captured.gpu_of_rank,
                              .rings = captured.rings,
                              .channels_origin = Origin::captured,
                              .rings_origin = Origin::captured,
                              .derivation = {}};
    for (const Error& wrong : check_execution(machine_, execution))
      problem(fmt::format("{}: {}", wrong.where, wrong.what), wrong.hint);
    if (!problems_.empty()) return;
    for (const CapturedRange& range : ranges)
      if (is_ours(range.collective))
        for (const std::uint64_t bytes : {range.first, range.last})
          if (plan.sizes.contains(bytes)) check_call(execution, range, bytes, plan);
  }

  /// "AllReduce" is "all_reduce".
  bool is_ours(std::string_view collective) const {
    std::string letters;
    for (const char c : name_of(group_.collective))
      if (c != '_') letters += c;
    return std::ranges::equal(letters, collective, {}, {}, [](unsigned char c) { return std::tolower(c); });
  }

  void check_call(const Execution& execution, const CapturedRange& range, std::uint64_t bytes,
                  const PlanRange& plan) {
    const std::string call = fmt::format("{} of {}", range.collective, format_bytes(bytes));
    if (range.algorithm != name_of(plan.algorithm) || range.protocol != name_of(plan.protocol))
      return problem(fmt::format("{} ran as {} {}, the plan says {} {}", call, range.algorithm,
                                 range.protocol, name_of(plan.algorithm), name_of(plan.protocol)),
                     "give that range of sizes a plan of its own, or declare it out of scope without one");
    if (!range.first_channel || !range.last_channel || bytes > kMaxMessageBytes) return;
    const std::uint32_t used = make_plan(execution, bytes).channels();
    if (*range.first_channel != 0 || *range.last_channel + 1 != used)
      problem(fmt::format("{} ran on channels {} to {}, NCCL {} cuts it over {}", call, *range.first_channel,
                          *range.last_channel, group_.nccl, used),
              "calls in a group share the channels out otherwise; single calls are simulated");
  }

  const Machine& machine_;
  const Placement& placement_;
  const ScenarioGroup& group_;
  const PlanLog& log_;
  Problems problems_;
};

}  // namespace

void read_captured(TomlFile& file, const Machine& machine, std::span<const Placement> placements,
                   std::vector<GroupSection>& groups, InputFiles& inputs) {
  for (GroupSection& section : groups) {
    if (section.group.ranks.empty() || section.group.nccl.empty()) continue;  // reported
    for (std::size_t p = 0; p < section.group.plans.size(); ++p) {
      const std::optional<PlanLog>& log = section.plan_logs[p];
      if (!log) continue;
      CapturedReader reader(machine, placements[section.group.placement], section.group, *log);
      file.report(log->line, reader.read(inputs, section.group.plans[p]));
    }
  }
}

}  // namespace caliper
