#include "scenarios/execution_record_file.hpp"

#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "collectives/ring_order.hpp"
#include "scenarios/toml_section.hpp"

namespace caliper {
namespace {

constexpr std::uint32_t kMaxNumber = 1'000'000'000;
constexpr std::uint32_t kMaxRanks = 1u << 20;
constexpr std::uint32_t kMaxChannels = 64;

/// Reads optional keys as the record keeps them.
std::optional<std::uint32_t> number(TomlSection& section, std::string_view key,
                                    std::uint32_t upper = kMaxNumber) {
  return section.count(key, Need::optional, 0, upper);
}
std::uint32_t needed(TomlSection& section, std::string_view key, std::uint32_t upper) {
  return section.count(key, Need::required, 0, upper).value_or(0);
}
std::string text(TomlSection& section, std::string_view key) {
  return section.text(key, Need::optional).value_or(std::string());
}

bool flag(TomlSection& section, std::string_view key) {
  const TomlEntry* entry = section.value(key, Need::optional);
  if (!entry) return false;
  if (const bool* value = std::get_if<bool>(&entry->value.content)) return *value;
  section.report_kind(*entry, "true or false");
  return false;
}

std::uint64_t bytes(TomlSection& section, std::string_view key, Need need) {
  const auto said = section.text(key, need);
  if (!said) return 0;
  const auto value = parse_bytes(*said);
  if (value) return *value;
  section.report(key, fmt::format("'{}' in {}: {}", key, section.name(), value.problems().front().what),
                 value.problems().front().hint);
  return 0;
}

class Reader {
 public:
  explicit Reader(TomlFile& file) : file_(file) {}

  ExecutionRecord read(TomlSection& root) {
    if (root.count("schema", Need::required, 1, 1)) {
      const auto kind = root.text("kind");
      if (kind && *kind != "nccl execution")
        root.report("kind", fmt::format("'kind' is '{}'", *kind),
                    "an execution record has \"nccl execution\"");
    }
    record_.files = root.texts("files");
    if (root.value("notes", Need::optional)) record_.notes = root.texts("notes");
    for (TomlSection& section : root.tables("nics")) record_.nics.push_back(nic(section));
    std::set<std::string> names;
    for (TomlSection& section : root.tables("communicator")) {
      record_.communicators.push_back(communicator(section));
      const std::string& name = record_.communicators.back().name;
      if (!name.empty() && !names.insert(name).second)
        section.report("name", fmt::format("a second communicator '{}'", name), "names are unique");
    }
    root.finish();
    return std::move(record_);
  }

 private:
  /// "file:line" of one of the record's files.
  std::optional<LineRef> line(TomlSection& section, Need need) {
    const auto said = section.text("at", need);
    if (!said) return std::nullopt;
    const auto colon = said->rfind(':');
    const auto number =
        colon == std::string::npos ? std::nullopt : parse_uint(std::string_view(*said).substr(colon + 1));
    if (number && *number > 0 && *number <= kMaxNumber)
      for (std::uint32_t i = 0; i < record_.files.size(); ++i)
        if (record_.files[i] == said->substr(0, colon))
          return LineRef{i, static_cast<std::uint32_t>(*number)};
    section.report("at", fmt::format("'at' is '{}'", *said),
                   "a line of one of 'files', such as \"nccl.log:12\"");
    return std::nullopt;
  }
  LineRef needed_line(TomlSection& section) { return line(section, Need::required).value_or(LineRef{}); }

  CapturedNic nic(TomlSection& section) {
    CapturedNic nic;
    nic.host = text(section, "host");
    nic.net = section.text("net").value_or(std::string());
    nic.device = needed(section, "device", kMaxNumber);
    nic.name = section.text("name").value_or(std::string());
    nic.link = text(section, "link");
    nic.mbits = number(section, "mbits");
    nic.at = needed_line(section);
    section.finish();
    return nic;
  }

  CapturedCommunicator communicator(TomlSection& section) {
    CapturedCommunicator one;
    one.name = section.text("name").value_or(std::string());
    section.rename(fmt::format("[[communicator]] '{}'", one.name));
    one.id = text(section, "id");
    one.version = text(section, "version");
    one.ranks = section.count("ranks", Need::optional, 1, kMaxRanks).value_or(0);
    one.nodes = section.count("nodes", Need::optional, 1, kMaxRanks).value_or(0);
    one.channels = section.count("channels", Need::optional, 1, kMaxChannels).value_or(0);
    // Without a size, ranks are only those that exist at all.
    last_rank_ = one.ranks > 0 ? one.ranks - 1 : kMaxRanks - 1;
    last_channel_ = one.channels > 0 ? one.channels - 1 : kMaxChannels - 1;
    for (TomlSection& row : section.tables("members")) one.members.push_back(member(row));
    for (TomlSection& row : section.tables("rings")) one.rings.push_back(ring(row, one.ranks));
    for (TomlSection& row : section.tables("trees")) one.trees.push_back(tree(row));
    for (TomlSection& row : section.tables("connections")) one.connections.push_back(connection(row));
    for (TomlSection& row : section.tables("calls")) one.calls.push_back(call(row));
    for (TomlSection& row : section.tables("gaps")) {
      one.gaps.push_back(
          {row.text("what").value_or(std::string()), row.text("filled_by").value_or(std::string())});
      row.finish();
    }
    check_once(section, one);
    section.finish();
    return one;
  }

  /// A rank is one member, a channel has one ring.
  void check_once(TomlSection& section, const CapturedCommunicator& one) {
    std::set<std::uint32_t> ranks, channels;
    for (const CapturedRank& member : one.members)
      if (!ranks.insert(member.rank).second)
        section.report("members", fmt::format("rank {} stands twice in {}", member.rank, section.name()),
                       "every rank once");
    for (const CapturedRing& ring : one.rings)
      if (!channels.insert(ring.channel).second)
        section.report("rings", fmt::format("channel {} stands twice in {}", ring.channel, section.name()),
                       "every channel once");
  }

  std::uint32_t channel(TomlSection& section) { return needed(section, "channel", last_channel_); }
  std::uint32_t rank(TomlSection& section, std::string_view key) { return needed(section, key, last_rank_); }

  CapturedRank member(TomlSection& section) {
    CapturedRank member;
    member.rank = rank(section, "rank");
    member.host = text(section, "host");
    member.process = number(section, "process").value_or(0);
    member.cuda_device = number(section, "cuda_device");
    member.nvml_device = number(section, "nvml_device");
    member.bus_id = text(section, "bus_id");
    member.at = needed_line(section);
    section.finish();
    return member;
  }

  template <class T>
  T choice(TomlSection& section, std::string_view key, std::span<const T> values) {
    const auto said = section.text(key);
    return said ? one_of<T>(section, key, *said, values).value_or(values.front()) : values.front();
  }

  CapturedRing ring(TomlSection& section, std::uint32_t ranks) {
    CapturedRing ring;
    ring.channel = channel(section);
    ring.rule = choice<RingRule>(section, "rule", kRingRules);
    if (section.value("order", Need::optional)) {
      ring.order = section.counts("order");
      const std::string where = file_.at(section.line_of("order"));
      Problems problems = check_ring(ring.order, ranks, where);
      if (problems.empty() && !ring.order.empty() && ring.order.front() != 0)
        problems.push_back(
            {where, fmt::format("the ring starts with rank {}", ring.order.front()), "rank 0 stands first"});
      append(file_.problems, std::move(problems));
    }
    if (ring.order.empty() != (ring.rule == RingRule::none))
      section.report("rule",
                     "a ring has an order and the rule that gives it, or the rule \"none\" and no order", "");
    ring.at = line(section, Need::optional);
    section.finish();
    return ring;
  }

  CapturedTree tree(TomlSection& section) {
    CapturedTree tree;
    tree.channel = channel(section);
    tree.rank = rank(section, "rank");
    tree.up = number(section, "up", last_rank_);
    if (section.value("down", Need::optional)) tree.down = section.counts("down");
    for (const std::uint32_t child : tree.down)
      if (child > last_rank_ || tree.down.size() > 3) {
        section.report("down", fmt::format("rank {} below rank {}", child, tree.rank),
                       "at most three ranks that exist");
        break;
      }
    tree.at = needed_line(section);
    section.finish();
    return tree;
  }

  std::optional<NetEnd> end(TomlSection& section, std::string_view key) {
    auto row = section.table(key, Need::optional);
    if (!row) return std::nullopt;
    NetEnd end;
    end.device = needed(*row, "device", kMaxNumber);
    end.gdrdma = flag(*row, "gdrdma");
    end.proxy_rank = number(*row, "proxy_rank", last_rank_);
    end.at = needed_line(*row);
    row->finish();
    return end;
  }

  CapturedConnection connection(TomlSection& section) {
    CapturedConnection one;
    one.index = number(section, "index", 1).value_or(0);
    // Point to point may use more channels than collectives.
    one.channel = one.index == 0 ? channel(section) : needed(section, "channel", kMaxChannels - 1);
    one.from = rank(section, "from");
    one.to = rank(section, "to");
    one.kind = choice<TransportKind>(section, "via", kTransportKinds);
    one.detail = section.text("detail").value_or(std::string());
    one.send = end(section, "send");
    one.receive = end(section, "receive");
    one.at = line(section, Need::optional);
    section.finish();
    return one;
  }

  CapturedCall call(TomlSection& section) {
    CapturedCall call;
    call.collective = text(section, "collective");
    call.bytes = bytes(section, "bytes", Need::required);
    call.buffer_bytes = bytes(section, "buffer", Need::optional);
    call.algorithm = text(section, "algorithm");
    call.protocol = text(section, "protocol");
    call.first_channel = number(section, "first_channel", kMaxChannels - 1);
    call.last_channel = number(section, "last_channel", kMaxChannels - 1);
    call.times = needed(section, "times", kMaxNumber);
    call.at = needed_line(section);
    section.finish();
    return call;
  }

  TomlFile& file_;
  ExecutionRecord record_;
  std::uint32_t last_rank_ = 0, last_channel_ = 0;
};

}  // namespace

Result<ExecutionRecord> read_execution_record(std::string_view content, std::string_view file) {
  const auto root = parse_toml(content, file);
  if (!root) return root.problems();
  TomlFile toml{std::string(file), {}};
  TomlSection section(toml, *root, "the file", 1);
  ExecutionRecord record = Reader(toml).read(section);
  if (!toml.problems.empty()) return std::move(toml.problems);
  return record;
}

}  // namespace caliper
