// Test results in the XML that CI servers read (JUnit's, as Jenkins' and GitLab's schemas have it).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validation/baseline.hpp"

namespace caliper {

struct JunitCase {
  std::string class_name;
  std::string name;
  std::string failure;  ///< one line a finding; empty: passed
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

/// One suite. Text is escaped; what XML 1.0 cannot hold becomes '?'.
std::string junit_xml(const JunitSuite& suite);

/// One case for each group and metric of a check, failed where one of its rows is a regression; the rows are
/// the text of the failure.
JunitSuite junit_suite(std::string name, std::span<const CheckRow> rows);

}  // namespace caliper
