#include "captures/log_facts.hpp"

namespace caliper {

LogFacts read_log_facts(std::span<const LogInput> inputs) {
  const LogText text(inputs);
  LogFacts all;
  all.messages = text.pieces().size();
  for (const LogPiece& piece : text.pieces()) {
    ParsedLine parsed = parse_log_line(piece.text, piece.torn);
    if (parsed.broken) all.broken.push_back(piece.at);
    if (parsed.fact) all.facts.push_back({std::move(*parsed.fact), piece.source, piece.at});
  }
  return all;
}

std::uint32_t printing_rank(const ConnectionLine& line) {
  return line.end == ConnectionLine::End::receive ? line.connection.to : line.connection.from;
}

}  // namespace caliper
