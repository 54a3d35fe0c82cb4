// The parts of the page, in the order in which it shows them; empty where there is nothing to show. Internal
// to the report.
#pragma once

#include <string>
#include <vector>

#include "validation/html.hpp"
#include "validation/report.hpp"

namespace caliper::report {

Html verdict_section(const ReportData& data);
Html controls_section(const ReportData& data);
Html groups_section(const ReportData& data);
Html partition_section(const ReportData& data);
Html parameters_section(const ReportData& data);
Html stages_section(const ReportData& data);
Html sensitivity_section(const ReportData& data);
Html alternatives_section(const ReportData& data);
Html gaps_section(const ReportData& data);
Html skipped_section(const ReportData& data);
Html pictures_section(const ReportData& data);
Html provenance_section(const ReportData& data);

/// What the charts draw, as JSON; a number that is not finite is null.
std::string chart_data(const ReportData& data);

/// <section id><h2>title</h2>body</section>.
Html section(const std::string& id, std::string_view title, const Html& body);
/// Place of one chart; the script looks it up by `kind` and `index` in the chart data.
Html chart(std::string_view kind, std::size_t index, const std::string& label);
/// A table of plain text; the class of a cell is that of its column.
struct Column {
  std::string_view header;
  std::string_view css_class;  ///< "number", "code" or empty
};
Html table(const std::vector<Column>& columns, const std::vector<std::vector<Html>>& rows,
           std::string_view css_class = "");
/// "fitted", "held out" or "out of scope", as a coloured label.
Html set_label(Set set);
const ReportSet* find_set(const ReportGroup& group, Set set);

}  // namespace caliper::report
