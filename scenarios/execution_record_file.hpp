// Execution records as TOML files: what an import of NCCL's logs writes, and what a plan reads.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "captures/execution_record.hpp"

namespace caliper {

/// read_execution_record gives back what was written.
std::string execution_record_toml(const ExecutionRecord& record);

/// Problems: what TOML or the keys have wrong; a rank or channel out of range; a ring that does not list
/// every rank once.
/// @param file  as it is to appear in messages
Result<ExecutionRecord> read_execution_record(std::string_view content, std::string_view file);

}  // namespace caliper
