#include <fmt/format.h>

#include "base/units.hpp"
#include "scenarios/execution_record_file.hpp"
#include "scenarios/toml_text.hpp"

namespace caliper {
namespace {

/// The pairs of one inline table.
class Row {
 public:
  explicit Row(const ExecutionRecord& record) : record_(record) {}

  Row& number(const char* key, std::uint64_t value) { return raw(key, fmt::format("{}", value)); }
  Row& number(const char* key, const std::optional<std::uint32_t>& value) {
    return value ? number(key, *value) : *this;
  }
  Row& numbers(const char* key, const std::vector<std::uint32_t>& values) {
    return values.empty() ? *this : raw(key, fmt::format("[{}]", fmt::join(values, ", ")));
  }
  Row& text(const char* key, std::string_view value) {
    return value.empty() ? *this : raw(key, toml_string(value));
  }
  Row& flag(const char* key, bool value) { return value ? raw(key, "true") : *this; }
  Row& at(LineRef line) { return raw("at", toml_string(record_.where(line))); }
  Row& raw(const char* key, std::string_view value) {
    text_ += fmt::format("{}{} = {}", text_.empty() ? "" : ", ", key, value);
    return *this;
  }
  std::string inline_table() const { return "{ " + text_ + " }"; }

 private:
  const ExecutionRecord& record_;
  std::string text_;
};

template <class Items, class RowOf>
std::string array(const char* key, const Items& items, RowOf row_of) {
  if (items.empty()) return {};
  std::string text = fmt::format("{} = [\n", key);
  for (const auto& item : items) text += "  " + row_of(item) + ",\n";
  return text + "]\n";
}

class Writer {
 public:
  explicit Writer(const ExecutionRecord& record) : record_(record) {}

  std::string write() const {
    std::string text =
        "# What NCCL's logs say of an execution; `at` is the line that says it. What no line says stands in "
        "`gaps`.\n"
        "schema = 1\nkind = \"nccl execution\"\n";
    text += array("files", record_.files, [](const std::string& file) { return toml_string(file); });
    text += array("notes", record_.notes, [](const std::string& note) { return toml_string(note); });
    text += array("nics", record_.nics, [&](const CapturedNic& nic) { return row(nic); });
    for (const CapturedCommunicator& communicator : record_.communicators) text += section(communicator);
    return text;
  }

 private:
  std::string section(const CapturedCommunicator& one) const {
    std::string text = fmt::format("\n[[communicator]]\nname = {}\n", toml_string(one.name));
    if (!one.id.empty()) text += fmt::format("id = {}\n", toml_string(one.id));
    if (!one.version.empty()) text += fmt::format("version = {}\n", toml_string(one.version));
    for (const auto& [key, value] :
         {std::pair("ranks", one.ranks), std::pair("nodes", one.nodes), std::pair("channels", one.channels)})
      if (value > 0) text += fmt::format("{} = {}\n", key, value);
    const auto of = [&](const auto& item) { return row(item); };
    text += array("members", one.members, of);
    text += array("rings", one.rings, of);
    text += array("trees", one.trees, of);
    text += array("connections", one.connections, of);
    text += array("calls", one.calls, of);
    return text + array("gaps", one.gaps, of);
  }

  std::string row(const CapturedNic& nic) const {
    Row row(record_);
    row.text("host", nic.host).text("net", nic.net).number("device", nic.device).text("name", nic.name);
    row.text("link", nic.link);
    if (nic.mbits) row.number("mbits", *nic.mbits);
    return row.at(nic.at).inline_table();
  }
  std::string row(const CapturedRank& member) const {
    Row row(record_);
    row.number("rank", member.rank).text("host", member.host);
    if (member.process > 0) row.number("process", member.process);
    row.number("cuda_device", member.cuda_device).number("nvml_device", member.nvml_device);
    return row.text("bus_id", member.bus_id).at(member.at).inline_table();
  }
  std::string row(const CapturedRing& ring) const {
    Row row(record_);
    row.number("channel", ring.channel).text("rule", name_of(ring.rule)).numbers("order", ring.order);
    if (ring.at) row.at(*ring.at);
    return row.inline_table();
  }
  std::string row(const CapturedTree& tree) const {
    Row row(record_);
    row.number("channel", tree.channel)
        .number("rank", tree.rank)
        .number("up", tree.up)
        .numbers("down", tree.down);
    return row.at(tree.at).inline_table();
  }
  std::string end(const NetEnd& end) const {
    Row row(record_);
    row.number("device", end.device).flag("gdrdma", end.gdrdma).number("proxy_rank", end.proxy_rank);
    return row.at(end.at).inline_table();
  }
  std::string row(const CapturedConnection& one) const {
    Row row(record_);
    row.number("channel", one.channel);
    if (one.index > 0) row.number("index", one.index);
    row.number("from", one.from)
        .number("to", one.to)
        .text("via", name_of(one.kind))
        .text("detail", one.detail);
    if (one.send) row.raw("send", end(*one.send));
    if (one.receive) row.raw("receive", end(*one.receive));
    if (one.at) row.at(*one.at);
    return row.inline_table();
  }
  std::string row(const CapturedCall& call) const {
    Row row(record_);
    row.text("collective", call.collective).text("bytes", format_bytes(call.bytes));
    if (call.buffer_bytes > 0) row.text("buffer", format_bytes(call.buffer_bytes));
    row.text("algorithm", call.algorithm).text("protocol", call.protocol);
    row.number("first_channel", call.first_channel).number("last_channel", call.last_channel);
    return row.number("times", call.times).at(call.at).inline_table();
  }
  std::string row(const CapturedGap& gap) const {
    return Row(record_).text("what", gap.what).text("filled_by", gap.filled_by).inline_table();
  }

  const ExecutionRecord& record_;
};

}  // namespace

std::string execution_record_toml(const ExecutionRecord& record) { return Writer(record).write(); }

}  // namespace caliper
