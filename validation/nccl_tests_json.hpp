// Reader of what nccl-tests writes with -J.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

/// Schema versions 1 (nccl-tests 2.17.3 to 2.19.0) and 3 (its development branch after that). The layout of 1
/// is known from files; of 3 it is known that the same keys hold the results. So what the results need is
/// asked for strictly in both: `size`, `type`, and in a half `time`, `alg_bw` and `nwrong`; a half without
/// one of them is skipped with the name of what it lacks. All the rest may be missing (then the fact is not
/// known), and keys that are added do not matter. Other versions are refused by name.
///
/// Results of several types, reductions or roots make one table each. `cpu_time` in place of `time` (-C) is
/// left out: it is not that of the collective. Lines of measurements are those of their "size".
/// Problems: not JSON (place named), another schema version, no results, no usable time, kinds of results
/// that alternate.
/// @param name  as it is to appear in messages
Result<MeasurementFile> read_nccl_tests_json(std::string_view content, const std::string& name);

}  // namespace caliper
