// Measurements as our CSV, the form in which a scenario keeps them.
#pragma once

#include <string>

#include "validation/measurement_log.hpp"

namespace caliper {

/// What read_measurement_csv reads back: facts as comment lines, then one line per row of the original table.
std::string measurement_csv(const MeasurementLog& log);

}  // namespace caliper
