#include "captures/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "captures/connection_line.hpp"
#include "captures/text_cursor.hpp"

namespace caliper {
namespace {

constexpr ParsedLine kOther{};
ParsedLine broken() { return {std::nullopt, true}; }

/// Names go into files of ours: printable ASCII.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "2.28.9" of "2.28.9+cuda12.4"; builds may carry a name that was never filled in behind the '+'.
ParsedLine parse_version(TextCursor text, bool torn) {
  const std::string_view word = text.word();
  const std::string_view version = word.substr(0, word.find_first_of("+-"));
  const auto parts = split(version, '.');
  const bool numbers =
      std::all_of(parts.begin(), parts.end(), [](auto part) { return parse_uint(part).has_value(); });
  if (parts.size() != 3 || !numbers || (torn && version.size() == word.size())) return broken();
  return {VersionLine{std::string(version)}};
}

/// Pairs of a name and a value, read until something is no pair.
void read_fields(TextCursor& text, CommunicatorLine& line) {
  for (;;) {
    text.blanks();
    TextCursor pair = text;
    const std::string_view name = pair.word();
    pair.blanks();
    const std::string_view value = pair.word();
    const auto number = parse_uint(value);
    const auto small = number && *number < kMaxCapturedRanks
                           ? std::optional(static_cast<std::uint32_t>(*number))
                           : std::nullopt;
    if (name == "cudaDev")
      line.cuda_device = small;
    else if (name == "nvmlDev")
      line.nvml_device = small;
    else if (name == "nNodes")
      line.nodes = small;
    else if (name == "busId" && hexadecimal(value))
      line.bus_id = value;
    else if (name == "commId" && hexadecimal(value))
      line.id = value;
    else if (name == "parent")
      line.parent = hexadecimal(value);
    else if (name == "splitCount" || name == "childCount")
      line.child = small.value_or(0);
    else if (name == "color")
      line.color = small.value_or(0);
    else if (name != "localRanks" && name != "localRank" && name != "MNNVL")
      return;
    text = pair;
  }
}

ParsedLine parse_communicator(TextCursor text, bool torn) {
  CommunicatorLine line{};
  const auto pointer = hexadecimal(text.word());
  if (!pointer || !text.literal(" rank ")) return kOther;
  const auto rank = text.number(kMaxCapturedRanks - 1);
  if (!rank) return broken();
  line.kind = text.literal(" nRanks ") ? CommunicatorLine::Kind::layout : CommunicatorLine::Kind::start;
  if (line.kind == CommunicatorLine::Kind::start && !text.literal(" nranks "))
    return torn ? broken() : kOther;
  const auto ranks = text.number(kMaxCapturedRanks);
  if (!ranks || *rank >= *ranks || text.at_end()) return broken();
  line.pointer = *pointer;
  line.rank = *rank;
  line.ranks = *ranks;
  read_fields(text, line);
  if (text.literal("key ")) {  // "key 3- Init START", without a blank
    text.literal("-");
    if (!text.number(1u << 31)) return broken();
    text.blanks();
  }
  if (line.kind == CommunicatorLine::Kind::layout) {
    if (!line.nodes || torn) return broken();
    return {line};
  }
  if (!text.literal("- ")) return broken();
  if (text.literal("Init START"))
    line.kind = CommunicatorLine::Kind::start;
  else if (text.literal("Init COMPLETE"))
    line.kind = CommunicatorLine::Kind::complete;
  else if (text.literal("Destroy COMPLETE") || text.literal("Abort COMPLETE"))
    line.kind = CommunicatorLine::Kind::end;
  else
    return broken();
  return {line};
}

/// What follows "Channel 00 :" or "Channel 00/04 :" where it is no connection.
ParsedLine parse_ring_list(std::uint32_t channel, std::optional<std::uint32_t> channels, TextCursor text,
                           bool torn) {
  RingListLine line{channel, channels, {}, false};
  for (std::string_view word : words(text.rest())) {
    if (word.ends_with("...")) {
      line.cut = true;
      break;
    }
    const auto rank = parse_uint(word);
    if (!rank || *rank >= kMaxCapturedRanks) return broken();
    line.order.push_back(static_cast<std::uint32_t>(*rank));
  }
  const bool in_the_middle = torn && !text.rest().ends_with(' ');
  if ((line.cut || in_the_middle) && !line.order.empty()) line.order.pop_back();
  line.cut = line.cut || torn;
  if (line.order.empty()) return line.cut ? broken() : kOther;
  return {line};
}

/// "Channel ..." and "Ring ..."
ParsedLine parse_channel(TextCursor text, bool torn) {
  const auto channel = text.number(kMaxCapturedChannels - 1);
  if (!channel) return kOther;
  std::optional<std::uint32_t> second;
  if (text.literal("/") && !(second = text.number(kMaxCapturedChannels))) return kOther;
  if (!text.literal(" :")) return kOther;
  text.blanks();
  TextCursor look = text;
  const bool is_number = look.number(kMaxCapturedRanks).has_value();
  if (!is_number) return torn ? broken() : kOther;
  if (!look.literal("[") && !look.literal(" -> ")) return parse_ring_list(*channel, second, text, torn);
  if (const auto connection = parse_connection(*channel, second.value_or(0), text, torn))
    return {*connection};
  TextCursor ring = text;
  NeighbourLine line{*channel, 0, 0, 0};
  const auto before = ring.number(kMaxCapturedRanks - 1);
  const bool first_arrow = ring.literal(" -> ");
  const auto rank = ring.number(kMaxCapturedRanks - 1);
  if (!before || !first_arrow || !rank || !ring.literal(" -> ")) return broken();
  const auto after = ring.number(kMaxCapturedRanks - 1);
  if (!after || torn || !trim(ring.rest()).empty()) return broken();
  line.before = *before;
  line.rank = *rank;
  line.after = *after;
  return {line};
}

/// -1 or a rank; false where it is neither.
bool read_neighbour(TextCursor& text, std::optional<std::uint32_t>& rank) {
  rank.reset();
  if (text.literal("-1")) return true;
  return (rank = text.number(kMaxCapturedRanks - 1)).has_value();
}

bool read_down(TextCursor& text, std::vector<std::uint32_t>& down) {
  for (int i = 0; i < 3; ++i) {
    std::optional<std::uint32_t> child;
    if ((i > 0 && !text.literal("/")) || !read_neighbour(text, child)) return false;
    if (child) down.push_back(*child);
  }
  std::sort(down.begin(), down.end());
  return true;
}

/// "2/5/-1->1->0" and, in 2.5 to 2.7, "|..." with the same once more; in 2.4 "0->1->2/5/-1".
std::optional<CapturedTree> parse_tree(std::uint32_t channel, std::string_view word) {
  CapturedTree tree;
  tree.channel = channel;
  TextCursor text(word.substr(0, word.find('|')));
  const bool down_first = text.rest().find('/') < text.rest().find("->");
  bool good = down_first ? read_down(text, tree.down) : read_neighbour(text, tree.up);
  good = good && text.literal("->");
  const auto rank = good ? text.number(kMaxCapturedRanks - 1) : std::nullopt;
  if (!rank || !text.literal("->")) return std::nullopt;
  tree.rank = *rank;
  good = down_first ? read_neighbour(text, tree.up) : read_down(text, tree.down);
  if (!good || !text.at_end()) return std::nullopt;
  return tree;
}

ParsedLine parse_trees(TextCursor text, bool torn) {
  TreesLine line{{}, torn};
  auto parts = words(text.rest());
  if (torn && !parts.empty() && !text.rest().ends_with(' ')) parts.pop_back();
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    TextCursor label(parts[i]);
    const bool open = label.literal("[");
    const auto channel = open ? label.number(kMaxCapturedChannels - 1) : std::nullopt;
    auto tree = channel && label.rest() == "]" ? parse_tree(*channel, parts[i + 1]) : std::nullopt;
    if (!tree || (!line.trees.empty() && tree->rank != line.trees.front().rank)) {
      line.cut = true;
      break;
    }
    line.trees.push_back(std::move(*tree));
  }
  if (line.trees.empty()) return broken();
  return {line};
}

ParsedLine parse_channel_count(TextCursor text) {
  const auto channels = text.number(kMaxCapturedChannels);
  if (!channels || !text.literal(" coll channels,")) return kOther;
  return {ChannelCountLine{*channels}};
}

ParsedLine parse_thresholds(TextCursor text) {
  for (int i = 0; i < 3; ++i)
    if (!text.number(1u << 30) || !text.literal(i < 2 ? "/" : " | ")) return kOther;
  const auto value = text.number(1u << 30);
  if (!value || !text.literal("/")) return kOther;
  return {ThresholdsLine{*value}};
}

/// "[0]mlx5_0:1/IB"
std::optional<CapturedNic> parse_nic(std::string_view net, std::string_view word) {
  TextCursor text(word);
  const bool open = text.literal("[");
  const auto device = open ? text.number(1u << 16) : std::nullopt;
  if (!device || !text.literal("]")) return std::nullopt;
  CapturedNic nic;
  nic.net = net;
  nic.device = *device;
  nic.name = text.until(":");
  if (const auto slash = word.rfind('/'); slash != std::string_view::npos && net != "Socket")
    nic.link = word.substr(slash + 1);
  if (nic.name.empty()) return std::nullopt;
  return nic;
}

ParsedLine parse_nics(TextCursor text, bool torn) {
  const std::string_view net = text.until(" :");
  text.blanks();
  if (!text.literal(":")) return kOther;
  text.blanks();
  NicsLine line{{}, torn};
  if (text.literal("Made virtual device ")) {
    auto nic = parse_nic(net, std::string(text.word()) + "-");
    text.blanks();
    if (!nic || !text.literal("name=")) return broken();
    nic->name = text.word();
    text.blanks();
    const auto speed = text.literal("speed=") ? text.number(1'000'000'000) : std::nullopt;
    if (!speed || nic->name.empty() || (torn && text.at_end())) return broken();
    nic->mbits = *speed;
    line.nics.push_back(std::move(*nic));
    return {line};
  }
  if (!text.literal("Using [")) return kOther;
  auto list = words(text.rest().substr(0, text.rest().find(';')));
  if (torn && text.rest().find(';') == std::string_view::npos && !list.empty()) list.pop_back();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (auto nic = parse_nic(net, i == 0 ? "[" + std::string(list[i]) : std::string(list[i])))
      line.nics.push_back(std::move(*nic));
  if (line.nics.empty()) return kOther;
  return {line};
}

constexpr std::array<std::string_view, 7> kAlgorithms{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> kProtocols{"ll", "ll128", "simple"};
constexpr std::array<std::string_view, 7> kAlgorithmsInCapitals{
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array<std::string_view, 3> kProtocolsInCapitals{"LL", "LL128", "SIMPLE"};

/// By its number up to 2.23, by its name from 2.24 on.
template <std::size_t N>
std::string name_in(const std::array<std::string_view, N>& names,
                    const std::array<std::string_view, N>& capitals, std::string_view word) {
  const auto number = parse_uint(word);
  if (number && *number < N) return std::string(names[*number]);
  const auto found = std::find(capitals.begin(), capitals.end(), word);
  return found == capitals.end() ? std::string()
                                 : std::string(names[static_cast<std::size_t>(found - capitals.begin())]);
}

constexpr std::array<std::string_view, 5> kCollectives{"AllReduce", "AllGather", "ReduceScatter", "Broadcast",
                                                       "Reduce"};

bool is_collective(std::string_view name) {
  return std::find(kCollectives.begin(), kCollectives.end(), name) != kCollectives.end();
}

/// What follows "[NAME: ]N Bytes -> Algo "
ParsedLine parse_tuning(std::string_view collective, std::uint64_t bytes, TextCursor text, bool torn) {
  TuningLine line{std::string(collective), bytes, {}, {}, {}, {}};
  line.algorithm = name_in(kAlgorithms, kAlgorithmsInCapitals, text.word());
  if (!text.literal(" proto ")) return broken();
  line.protocol = name_in(kProtocols, kProtocolsInCapitals, text.word());
  if (line.algorithm.empty() || line.protocol.empty()) return broken();
  if (text.literal(" time ")) return torn && text.word().empty() ? broken() : ParsedLine{line};
  if (!text.literal(" channel{Lo..Hi}={")) return broken();
  line.first_channel = text.number(kMaxCapturedChannels - 1);
  if (!line.first_channel || !text.literal("..")) return broken();
  line.last_channel = text.number(kMaxCapturedChannels - 1);
  if (!line.last_channel || !text.literal("}") || *line.last_channel < *line.first_channel) return broken();
  return {line};
}

/// Bytes by the number of ncclDataType_t; 0: unknown.
std::uint32_t bytes_of_type(std::uint32_t type) {
  constexpr std::array<std::uint32_t, 12> kBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type < kBytes.size() ? kBytes[type] : 0;
}

ParsedLine parse_call(std::string_view collective, TextCursor text) {
  const auto after = [&](std::string_view name) {
    const auto at = text.rest().find(name);
    TextCursor field(at == std::string_view::npos ? std::string_view()
                                                  : text.rest().substr(at + name.size()));
    return field.until(" ]");
  };
  const auto count = parse_uint(after(" count "));
  const auto type = parse_uint(after(" datatype "));
  const auto pointer = hexadecimal(after(" comm "));
  const auto ranks = parse_uint(after("[nranks="));
  if (!count || !type || *type >= 12 || !pointer || !ranks || *ranks == 0 || *ranks > kMaxCapturedRanks ||
      text.rest().find(" stream ") == std::string_view::npos || *count > kMaxCapturedBytes / 8)
    return broken();
  return {CallLine{std::string(collective), *count, *pointer,
                   bytes_of_type(static_cast<std::uint32_t>(*type)), static_cast<std::uint32_t>(*ranks)}};
}

/// Calls, and what they run as.
ParsedLine parse_call_or_tuning(std::string_view text, bool torn) {
  std::string_view name;
  TextCursor cursor(text);
  if (const auto colon = text.find(':');
      colon != std::string_view::npos && is_collective(text.substr(0, colon))) {
    name = text.substr(0, colon);
    cursor = TextCursor(text.substr(colon + 1));
    cursor.blanks();
    if (cursor.literal("opCount ")) return parse_call(name, cursor);
  }
  const std::string_view word = cursor.word();
  const auto bytes = parse_uint(word);
  if (!bytes || !cursor.literal(" Bytes -> Algo ")) return kOther;
  if (*bytes > kMaxCapturedBytes) return broken();
  return parse_tuning(name, *bytes, cursor, torn);
}

ParsedLine parse_any(std::string_view text, bool torn) {
  TextCursor cursor(text);
  cursor.blanks();
  if (cursor.literal("NCCL version ")) return parse_version(cursor, torn);
  if (cursor.literal("Channel ") || cursor.literal("Ring ")) return parse_channel(cursor, torn);
  if (cursor.literal("Trees ")) return parse_trees(cursor, torn);
  if (cursor.literal("NET/")) return parse_nics(cursor, torn);
  if (cursor.literal("threadThresholds ")) return parse_thresholds(cursor);
  if (const auto at = text.substr(0, 64).find("comm 0x"); at != std::string_view::npos)
    return parse_communicator(TextCursor(text.substr(at + 5)), torn);
  if (const ParsedLine count = parse_channel_count(cursor); count.fact) return count;
  return parse_call_or_tuning(cursor.rest(), torn);
}

}  // namespace

ParsedLine parse_log_line(std::string_view text, bool torn) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  ParsedLine parsed = parse_any(text, torn);
  if (parsed.fact && !is_plain(text)) return broken();
  return parsed;
}

}  // namespace caliper
