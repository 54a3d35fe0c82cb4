#include "validation/report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/check.hpp"
#include "validation/report_assets.hpp"
#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper {
namespace report {

Html section(const std::string& id, std::string_view title, const Html& body) {
  return element("section", {{"id", id}}, element("h2", "", title) + body);
}

Html chart(std::string_view kind, std::size_t index, const std::string& label) {
  const Html canvas = element("canvas", {{"data-chart", std::string(kind)},
                                         {"data-index", std::to_string(index)},
                                         {"role", "img"},
                                         {"aria-label", label}});
  return element("div", {{"class", "chart"}}, canvas);
}

Html table(const std::vector<Column>& columns, const std::vector<std::vector<Html>>& rows,
           std::string_view css_class) {
  Html head, body;
  const auto css_class_of = [&](std::size_t column) { return std::string(columns[column].css_class); };
  for (std::size_t i = 0; i < columns.size(); ++i)
    head += element("th", {{"scope", "col"}, {"class", css_class_of(i)}}, text(columns[i].header));
  for (const std::vector<Html>& row : rows) {
    CALIPER_CHECK(row.size() == columns.size());
    Html cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells += element("td", {{"class", css_class_of(i)}}, row[i]);
    body += element("tr", cells);
  }
  return element("div", {{"class", "scroll"}},
                 element("table", {{"class", std::string(css_class)}},
                         element("thead", element("tr", head)) + element("tbody", body)));
}

Html set_label(Set set) {
  switch (set) {
    case Set::calibration:
      return element("span", "label fitted", "fitted");
    case Set::validation:
      return element("span", "label held", "held out");
    case Set::out_of_scope:
      return element("span", "label outside", "out of scope");
  }
  return {};
}

const ReportSet* find_set(const ReportGroup& group, Set set) {
  const auto found = std::ranges::find(group.sets, set, &ReportSet::set);
  return found == group.sets.end() ? nullptr : &*found;
}

namespace {

struct Part {
  const char* id;
  const char* name;  ///< in the table of contents
  Html content;
};

/// Nothing is loaded from anywhere, whatever should find its way into the page.
constexpr const char* kHead =
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:\">\n";

Html header(const ReportData& data) {
  const bool measured = data.data_kind == "measured";
  const std::string kind = data.data_kind.empty() ? "origin of data not stated" : data.data_kind + " data";
  Html content = element("p", {{"class", "origin"}},
                         element("span", measured ? "kind measured" : "kind synthetic", kind) +
                             element("span", "", data.data_note));
  content += element("h1", "", data.title) + element("p", "scenario", data.scenario);
  return element("header", content);
}

Html contents(const ReportData& data, const std::vector<Part>& parts) {
  Html items;
  for (const Part& part : parts) {
    if (part.content.empty()) continue;
    Html item = element("a", {{"href", std::string("#") + part.id}}, text(part.name));
    if (part.id == std::string_view("groups")) {
      Html groups;
      for (std::size_t i = 0; i < data.groups.size(); ++i)
        groups +=
            element("li", element("a", {{"href", fmt::format("#group-{}", i)}}, text(data.groups[i].name)));
      item += element("ul", groups);
    }
    items += element("li", item);
  }
  return element("nav", {{"aria-label", "Contents"}}, element("ul", items));
}

}  // namespace
}  // namespace report

std::string render_report(const ReportData& data) {
  using namespace report;
  const std::vector<Part> parts = {{"verdict", "Verdict", verdict_section(data)},
                                   {"controls", "Controls", controls_section(data)},
                                   {"partition", "Fitted, held out", partition_section(data)},
                                   {"groups", "Groups", groups_section(data)},
                                   {"parameters", "Parameters", parameters_section(data)},
                                   {"stages", "Stages", stages_section(data)},
                                   {"sensitivity", "Sensitivity", sensitivity_section(data)},
                                   {"alternatives", "Other facts", alternatives_section(data)},
                                   {"gaps", "Model gaps", gaps_section(data)},
                                   {"pictures", "Pictures", pictures_section(data)},
                                   {"skipped", "Rows not used", skipped_section(data)},
                                   {"provenance", "Provenance", provenance_section(data)}};
  Html main = header(data);
  for (const Part& part : parts) main += part.content;
  const auto script = [](std::string_view code) {
    return element("script", Html::trusted(std::string(code)));
  };
  const Html head = Html::trusted(kHead) + element("title", "", data.title) +
                    element("style", Html::trusted(std::string(kStyle)));
  const Html body = contents(data, parts) + element("main", main) +
                    json_script("chart-data", chart_data(data)) + script(kChartLibrary) + script(kScript);
  const Html page = element("html", {{"lang", "en"}}, element("head", head) + element("body", body));
  return "<!DOCTYPE html>\n" + page.str() + "\n";
}

}  // namespace caliper
