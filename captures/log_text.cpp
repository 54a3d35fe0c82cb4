#include "captures/log_text.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.hpp"

namespace caliper {
namespace {

constexpr std::string_view kInfo = "NCCL INFO ";
/// NCCL's buffer is 1,024 bytes with header and line end; headers take some tens.
constexpr std::size_t kLimitOfLine = 1020;
/// Of a name in DNS.
constexpr std::size_t kLongestHost = 253;
/// Kernels give no larger ones.
constexpr std::uint64_t kLargestId = 1'000'000'000;
/// Between header and "NCCL INFO " stands nothing, or in changed builds the place in the source.
constexpr std::size_t kLongestPlace = 160;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

/// "host:process:thread [device] " in a line.
struct Header {
  std::size_t begin, end;  ///< in the line
  std::string_view host;
  std::uint64_t process, thread;
};

/// Past a number that begins at `at`; `at` where there is none.
std::size_t past_number(std::string_view line, std::size_t at) {
  while (at < line.size() && is_digit(line[at])) ++at;
  return at;
}

/// The header whose first colon is at `colon`.
std::optional<Header> header_at(std::string_view line, std::size_t colon) {
  const std::size_t process_end = past_number(line, colon + 1);
  if (process_end == colon + 1 || process_end >= line.size() || line[process_end] != ':') return std::nullopt;
  const std::size_t thread_end = past_number(line, process_end + 1);
  if (thread_end == process_end + 1) return std::nullopt;
  const auto process = parse_uint(line.substr(colon + 1, process_end - colon - 1));
  const auto thread = parse_uint(line.substr(process_end + 1, thread_end - process_end - 1));
  std::size_t begin = colon;
  while (begin > 0 && colon - begin < kLongestHost && is_host(line[begin - 1])) --begin;
  if (!process || !thread || *process > kLargestId || *thread > kLargestId || begin == colon)
    return std::nullopt;
  std::string_view rest = line.substr(thread_end);
  std::size_t end = thread_end + 1;
  if (!rest.starts_with(" NCCL ")) {
    if (!rest.starts_with(" [")) return std::nullopt;
    std::size_t device = 2;
    if (device < rest.size() && rest[device] == '-') ++device;
    const std::size_t device_end = past_number(rest, device);
    if (device_end == device || !rest.substr(device_end).starts_with("] ")) return std::nullopt;
    end = thread_end + device_end + 2;
  }
  return Header{begin, end, line.substr(begin, colon - begin), *process, *thread};
}

std::vector<Header> headers_of(std::string_view line) {
  std::vector<Header> headers;
  for (std::size_t at = 0; (at = line.find(':', at)) != std::string_view::npos;) {
    if (const auto header = header_at(line, at)) {
      headers.push_back(*header);
      at = header->end;
    } else {
      ++at;
    }
  }
  return headers;
}

/// A header that begins within a word ("float sumnode001:10:10 [0]") gives the host a false begin. The true
/// host is an end of it that other lines have, from the same process or at their begin.
class Hosts {
 public:
  void count(const Header& header) {
    ++seen_[{std::string(header.host), header.process}];
    if (header.begin == 0) ++at_begin_[std::string(header.host)];
  }

  void repair(Header& header) const {
    if (header.begin == 0 || at_begin_.contains(header.host)) return;
    const std::size_t mine = times(header.host, header.process);
    for (std::size_t cut = 1; cut < header.host.size(); ++cut) {
      const std::string_view shorter = header.host.substr(cut);
      if (times(shorter, header.process) <= mine && !at_begin_.contains(shorter)) continue;
      header.begin += cut;
      header.host = shorter;
      return;
    }
  }

 private:
  std::size_t times(std::string_view host, std::uint64_t process) const {
    const auto found = seen_.find({std::string(host), process});
    return found == seen_.end() ? 0 : found->second;
  }
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> seen_;
  std::map<std::string, std::size_t, std::less<>> at_begin_;
};

/// Colours and cursor movements: "ESC [ ... letter".
std::string without_escapes(std::string_view content) {
  std::string text;
  text.reserve(content.size());
  for (std::size_t at = 0; at < content.size(); ++at) {
    if (content[at] != '\x1b') {
      text += content[at];
      continue;
    }
    if (at + 1 >= content.size() || content[at + 1] != '[') continue;
    std::size_t end = at + 2;
    while (end < content.size() && content[end] != '\n' && (content[end] < '@' || content[end] > '~')) ++end;
    at = end < content.size() && content[end] == '\n' ? end - 1 : end;
  }
  return text;
}

/// Open MPI's "[1,0]<stdout>:", which stands before each piece that was written at once.
std::string without_tags(std::string text) {
  for (const std::string_view tag : {"]<stdout>:", "]<stderr>:"})
    for (std::size_t at = 0; (at = text.find(tag, at)) != std::string::npos;) {
      std::size_t open = at;
      while (open > 0 && text[open - 1] != '[' && text[open - 1] != '\n') --open;
      const std::size_t begin = open > 0 && text[open - 1] == '[' ? open - 1 : at;
      text.erase(begin, at + tag.size() - begin);
      at = begin;
    }
  return text;
}

/// The messages of the text between two headers.
void add_messages(std::string_view span, const std::optional<LogSource>& source, bool torn, LineRef at,
                  std::vector<LogPiece>& pieces) {
  std::optional<LogSource> writer = source;
  std::size_t info = span.find(kInfo);
  if (source && info > kLongestPlace) {  // of another kind, or its begin is not this header's
    writer.reset();
    info = std::string_view::npos;
  }
  for (const std::string_view kind : {"NCCL WARN ", "NCCL TRACE ", "NCCL CALL "})
    if (span.find(kind) < std::min(info, kLongestPlace)) return;
  if (info == std::string_view::npos) {  // a header of which the begin is missing
    constexpr std::string_view kEndOfInfo = "INFO ";
    const std::size_t end_of_info = span.find(kEndOfInfo);
    const std::size_t version = span.find("NCCL version ");
    if (end_of_info != std::string_view::npos)
      pieces.push_back({std::nullopt, span.substr(end_of_info + kEndOfInfo.size()), torn, at});
    else if (version != std::string_view::npos)
      pieces.push_back({std::nullopt, span.substr(version), torn, at});
    return;
  }
  while (info != std::string_view::npos) {
    const std::string_view text = span.substr(info + kInfo.size());
    const std::size_t next = text.find(kInfo);
    pieces.push_back({writer, text.substr(0, next), torn || next != std::string_view::npos, at});
    writer.reset();
    info = next == std::string_view::npos ? next : info + kInfo.size() + next;
  }
}

void add_line(std::string_view line, std::span<const Header> headers, bool ends_file, LineRef at,
              std::vector<LogPiece>& pieces) {
  const std::size_t first = headers.empty() ? line.size() : headers.front().begin;
  add_messages(line.substr(0, first), std::nullopt, !headers.empty() || ends_file, at, pieces);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const bool last = i + 1 == headers.size();
    const std::size_t end = last ? line.size() : headers[i + 1].begin;
    const bool torn = !last || ends_file || end - headers[i].begin >= kLimitOfLine;
    add_messages(line.substr(headers[i].end, end - headers[i].end),
                 LogSource{std::string(headers[i].host), headers[i].process, headers[i].thread}, torn, at,
                 pieces);
  }
}

}  // namespace

LogText::LogText(std::span<const LogInput> inputs) {
  struct Line {
    std::string_view text;
    LineRef at;
    bool ends_file;
    std::vector<Header> headers;
  };
  std::vector<Line> lines;
  Hosts hosts;
  for (std::uint32_t file = 0; file < inputs.size(); ++file) {
    std::string_view content = inputs[file].content;
    if (content.find('\x1b') != std::string_view::npos || content.find("]<std") != std::string_view::npos)
      content = cleaned_.emplace_back(without_tags(without_escapes(content)));
    const auto texts = split_lines(content);
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      if (texts[i].find("NCCL") == std::string_view::npos && texts[i].find("INFO") == std::string_view::npos)
        continue;
      const bool ends_file = i + 1 == texts.size() && !content.ends_with('\n');
      lines.push_back({texts[i], {file, i + 1}, ends_file, headers_of(texts[i])});
      for (const Header& header : lines.back().headers) hosts.count(header);
    }
  }
  for (Line& line : lines) {
    for (Header& header : line.headers) hosts.repair(header);
    add_line(line.text, line.headers, line.ends_file, line.at, pieces_);
  }
}

}  // namespace caliper
