#include "validation/junit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&')
      xml += "&amp;";
    else if (c == '<')
      xml += "&lt;";
    else if (c == '>')
      xml += "&gt;";
    else if (c == '"')
      xml += "&quot;";
    else if (c == '\n' || c == '\t')
      xml += fmt::format("&#{};", static_cast<int>(code));  // an attribute would lose it
    else
      xml += code < 0x20 ? '?' : c;
  }
  return xml;
}

std::string case_xml(const JunitCase& test) {
  std::string xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                                escaped(test.class_name), escaped(test.name));
  if (test.failure.empty()) return xml + "/>\n";
  const std::string_view first = split_lines(test.failure).front();
  return xml +
         fmt::format(">\n      <failure message=\"{}\" type=\"regression\">{}</failure>\n    </testcase>\n",
                     escaped(first), escaped(test.failure));
}

}  // namespace

std::string junit_xml(const JunitSuite& suite) {
  const auto failures =
      std::ranges::count_if(suite.cases, [](const JunitCase& test) { return !test.failure.empty(); });
  const std::string counts = fmt::format("name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"0\"",
                                         escaped(suite.name), suite.cases.size(), failures);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += fmt::format("<testsuites {}>\n  <testsuite {} skipped=\"0\">\n", counts, counts);
  for (const JunitCase& test : suite.cases) xml += case_xml(test);
  return xml + "  </testsuite>\n</testsuites>\n";
}

JunitSuite junit_suite(std::string name, std::span<const CheckRow> rows) {
  JunitSuite suite{std::move(name), {}};
  for (const CheckRow& row : rows) {
    auto test = std::ranges::find_if(suite.cases, [&](const JunitCase& known) {
      return known.class_name == row.group && known.name == row.metric;
    });
    if (test == suite.cases.end()) test = suite.cases.insert(suite.cases.end(), {row.group, row.metric, ""});
    if (!is_regression(row.verdict)) continue;
    if (!test->failure.empty()) test->failure += '\n';
    test->failure += describe(row);
  }
  return suite;
}

}  // namespace caliper
