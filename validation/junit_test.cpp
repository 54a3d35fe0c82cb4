#include "validation/junit.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("junit: text is escaped, counts are those of the cases") {
  const JunitSuite suite{"a < b & \"c\"", {{"ar", "time", ""}, {"ag", "mean", "x > 1\ny"}}};
  CHECK(
      junit_xml(suite) ==
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"a &lt; b &amp; &quot;c&quot;\" tests=\"2\" failures=\"1\" errors=\"0\" "
      "time=\"0\">\n"
      "  <testsuite name=\"a &lt; b &amp; &quot;c&quot;\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"0\" "
      "skipped=\"0\">\n"
      "    <testcase classname=\"ar\" name=\"time\" time=\"0\"/>\n"
      "    <testcase classname=\"ag\" name=\"mean\" time=\"0\">\n"
      "      <failure message=\"x &gt; 1\" type=\"regression\">x &gt; 1&#10;y</failure>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST_CASE("junit: what XML cannot hold is replaced") {
  CHECK(junit_xml({std::string("bell\a"), {}}).find("bell?") != std::string::npos);
}

TEST_CASE("junit: one case for each group and metric; it fails where one of its rows is a regression") {
  const auto row = [](const char* group, const char* metric, const char* subject, Verdict verdict) {
    CheckRow made;
    made.group = group;
    made.metric = metric;
    made.subject = subject;
    made.verdict = verdict;
    return made;
  };
  const CheckRow rows[] = {
      row("ar", "time", "1 MiB", Verdict::same), row("ar", "time", "2 MiB", Verdict::moved),
      row("ar", "time", "4 MiB", Verdict::moved), row("ar", "held-out mean", "", Verdict::better),
      row("ag", "time", "1 MiB", Verdict::same)};
  const JunitSuite suite = junit_suite("s", rows);
  REQUIRE(suite.cases.size() == 3);
  CHECK(suite.cases[0].failure == describe(rows[1]) + "\n" + describe(rows[2]));
  CHECK(suite.cases[1].failure.empty());
  CHECK(suite.cases[2].class_name == "ag");
  CHECK(suite.cases[2].failure.empty());
}
