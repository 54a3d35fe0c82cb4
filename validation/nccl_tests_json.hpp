// Reader of what nccl-tests writes with -J.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

/// Schema version 1 (nccl-tests 2.17.3 to 2.19.0). Lines of measurements are those of their "size".
/// Problems: not JSON (place named), another schema version (named), no results, results of several types or
/// reductions, no usable time.
/// @param name  as it is to appear in messages
Result<MeasurementLog> read_nccl_tests_json(std::string_view content, const std::string& name);

}  // namespace caliper
