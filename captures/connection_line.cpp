#include "captures/connection_line.hpp"

namespace caliper {
namespace {

/// "5[1]", "5[b7000]"; "5" before 2.5
bool read_rank(TextCursor& text, std::uint32_t& rank, std::string& device) {
  const auto number = text.number(kMaxCapturedRanks - 1);
  if (!number) return false;
  rank = *number;
  if (!text.literal("[")) return true;
  device = text.until("] ");
  return text.literal("]") && !device.empty();
}

/// Behind "P2P/".
bool read_p2p(TextCursor& text, std::string& detail) {
  for (const std::string_view type : {"direct pointer", "IPC", "CUMEM", "MNNVL"})
    if (text.literal(type)) detail = type;
  if (detail.empty() && text.literal("indirect/")) {
    std::uint32_t rank = 0;
    std::string device;
    if (!read_rank(text, rank, device)) return false;
    detail = "indirect/" + std::to_string(rank);
  }
  for (const std::string_view suffix : {"/read", "/CE"})
    if (text.literal(suffix)) detail += suffix;
  return !detail.empty();
}

/// Behind "SHM/": "direct/direct", "CE/direct", from 2.30 "direct"
bool read_shm(TextCursor& text, std::string& detail) {
  for (int part = 0; part < 2; ++part) {
    const std::string_view slash = part == 0 ? "" : "/";
    if (text.literal(std::string(slash) + "direct"))
      detail += std::string(slash) + "direct";
    else if (text.literal(std::string(slash) + "CE"))
      detail += std::string(slash) + "CE";
  }
  return !detail.empty();
}

/// Behind "NET/": a name that may hold blanks, "/", the device, "(7)" with PXN, then suffixes.
bool read_net(TextCursor& text, std::string& name, NetEnd& end) {
  std::string_view rest = text.rest();
  std::size_t slash = 0;
  do {
    slash = rest.find('/', slash + 1);
    if (slash == std::string_view::npos) return false;
  } while (slash + 1 >= rest.size() || rest[slash + 1] < '0' || rest[slash + 1] > '9');
  name = rest.substr(0, slash);
  text = TextCursor(rest.substr(slash + 1));
  const auto device = text.number(1u << 16);
  if (!device) return false;
  end.device = *device;
  if (text.literal("(")) {
    const auto proxy = text.number(kMaxCapturedRanks - 1);
    if (!proxy || !text.literal(")")) return false;
    end.proxy_rank = *proxy;
  }
  end.gdrdma = text.literal("/GDRDMA");
  text.literal("(PCI)");
  text.literal("/Shared");
  return true;
}

}  // namespace

std::optional<ConnectionLine> parse_connection(std::uint32_t channel, std::uint32_t index, TextCursor text,
                                               bool torn) {
  ConnectionLine line{ConnectionLine::End::whole, {}, {}, {}};
  CapturedConnection& connection = line.connection;
  connection.channel = channel;
  connection.index = index;
  if (!read_rank(text, connection.from, line.from_device) || !text.literal(" -> ") ||
      !read_rank(text, connection.to, line.to_device))
    return std::nullopt;
  if (text.literal(" [send]"))
    line.end = ConnectionLine::End::send;
  else if (text.literal(" [receive]"))
    line.end = ConnectionLine::End::receive;
  if (torn || index > 1 || connection.from == connection.to || !text.literal(" via ")) return std::nullopt;
  bool good = false;
  if (text.literal("NET/")) {
    NetEnd end;
    connection.kind = TransportKind::net;
    good = line.end != ConnectionLine::End::whole && read_net(text, connection.detail, end);
    (line.end == ConnectionLine::End::send ? connection.send : connection.receive) = end;
  } else if (line.end == ConnectionLine::End::whole) {
    if (text.literal("P2P/")) {
      good = read_p2p(text, connection.detail);
    } else if (text.literal("direct shared memory")) {
      connection.kind = TransportKind::shm;
      connection.detail = "direct";
      good = true;
    } else if (text.literal("SHM/")) {
      connection.kind = TransportKind::shm;
      good = read_shm(text, connection.detail);
    }
  }
  // From 2.19 on "comm 0x.. nRanks 4" follows in some versions; anything else is another line's.
  text.blanks();
  if (!good || (!text.at_end() && !text.literal("comm "))) return std::nullopt;
  return line;
}

}  // namespace caliper
