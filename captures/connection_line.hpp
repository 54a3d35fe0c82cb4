// "0[0] -> 1[1] via P2P/CUMEM/read": the grammar of opened connections.
#pragma once

#include <cstdint>
#include <optional>

#include "captures/log_line.hpp"
#include "captures/text_cursor.hpp"

namespace caliper {

/// What follows "Channel 00/0 : ". Nothing where it is no connection over P2P, SHM or NET, or torn.
std::optional<ConnectionLine> parse_connection(std::uint32_t channel, std::uint32_t index, TextCursor text,
                                               bool torn);

}  // namespace caliper
