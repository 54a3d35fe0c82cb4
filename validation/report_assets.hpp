// Style, script and chart library of the page, embedded when the program is built.
#pragma once

#include <string_view>

namespace caliper::report {

extern const std::string_view kStyle;         ///< report.css
extern const std::string_view kScript;        ///< report.js
extern const std::string_view kChartLibrary;  ///< Chart.js, one self-contained script

}  // namespace caliper::report
