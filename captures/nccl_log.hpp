// NCCL_DEBUG=INFO logs of NCCL 2.4 to 2.30 into an execution record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "captures/execution_record.hpp"
#include "captures/log_text.hpp"

namespace caliper {

/// The files are one log: of one job, of any number of its ranks, cut or shuffled as they may be. What no
/// line says, and by which rule it is filled in, stands in the gaps of the record; NCCL's defaults are never
/// silently put in its place. Problems ("file:line"): no plan in the files at all; a rank twice; a ring that
/// does not close, lists a rank twice or leaves one out; lines that contradict each other; no communicator of
/// `ranks` ranks.
/// @param ranks  GPUs of the job: only communicators of this size are kept
Result<ExecutionRecord> read_nccl_log(std::span<const LogInput> inputs,
                                      std::optional<std::uint32_t> ranks = {});

}  // namespace caliper
