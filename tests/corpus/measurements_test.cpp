// Real measurement files, where CALIPERSIM_CORPUS names a folder of them: each is read, or refused with a
// reason. What is expected of the logs was counted with other means than this reader.
#include <cmath>
#include <filesystem>
#include <set>

#include <doctest/doctest.h>

#include "tests/support/corpus.hpp"
#include "validation/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;
using testing::content_of;
using testing::corpus;
namespace fs = std::filesystem;

namespace {

/// One table: times kept and left out, and what its run says. Zeros and empty texts: not stated.
struct ExpectedTable {
  const char* collective;
  const char* type;
  const char* nccl;
  std::uint32_t ranks, nodes, gpus_per_node;
  std::size_t kept, skipped;
  std::uint64_t largest;
};

struct Expected {
  const char* file;  ///< how its name begins
  std::vector<ExpectedTable> tables;
  const char* refusal = "";  ///< words of the reason
};

const char* const kAr = "all_reduce";
const char* const kAg = "all_gather";
const char* const kRs = "reduce_scatter";

/// All 24 logs. Rows of size zero count two skipped times each.
const std::vector<Expected> kLogs = {
    {"01-", {{kAr, "float32", "", 4, 1, 4, 50, 0, 134217728}}},    // `error`, no root; told by busbw / algbw
    {"02-", {{kAr, "float32", "", 4, 4, 1, 34, 0, 536870912}}},    // `error` N/A
    {"03-", {{"", "float32", "", 8, 1, 8, 58, 10, 8589934592}}},   // no redop: all_gather or alltoall
    {"04-", {{kRs, "float32", "", 8, 1, 8, 58, 10, 8589934592}}},  // `error` N/A
    {"05-", {{"", "float32", "", 8, 1, 8, 64, 4, 8589934592}}},    // root without redop
    {"07-", {{kAr, "float32", "", 8, 2, 4, 58, 0, 1073741824}}},   // `#wrong`, root
    {"08-", {{"", "float32", "", 8, 2, 4, 48, 10, 1073741824}}},   // redop "none"
    {"10-", {}, "ended before it printed a table"},                //
    {"11-", {}, "unhandled system error"},                         //
    {"12-", {}, "no measurements"},                                //
    {"13-", {{kAr, "float32", "2.21.5", 8, 2, 4, 60, 0, 4294967296}}},    // debug lines
    {"15-", {{kRs, "float32", "2.22.3", 4, 1, 4, 44, 8, 134217728}}},     // one process
    {"16-", {{kAr, "float32", "2.22.3", 1, 1, 1, 52, 0, 134217728}}},     // one rank
    {"18-", {{kAr, "float32", "2.22.3", 16, 2, 8, 64, 0, 17179869184}}},  // tags inside rows
    {"19-", {{kAr, "float32", "", 4, 1, 4, 46, 0, 402653184}}},           // "[STAT]:" glued to sizes
    {"20-",
     {{kAr, "float64", "2.29.2", 40, 10, 4, 20, 0, 17179869184},
      {kAg, "float64", "2.29.2", 40, 10, 4, 20, 0, 17179868800},
      {kRs, "float64", "2.29.2", 40, 10, 4, 20, 0, 17179868800},
      {"alltoall", "float64", "2.29.2", 40, 10, 4, 20, 0, 17179868800},
      {"sendrecv", "float64", "2.29.2", 40, 10, 4, 20, 0, 17179869184}}},
    {"21-",
     {{kAr, "float64", "2.29.2", 2, 2, 1, 10, 0, 536870912},
      {"sendrecv", "float64", "2.29.2", 2, 2, 1, 10, 0, 536870912}}},
    {"22-", {{"", "float32", "2.26.6", 2, 2, 1, 52, 4, 1073741824}}},  // function names before lines
    {"23-", {}, "several runs print into this file"},                  // built without MPI
    {"25-", {{kAr, "float32", "", 8, 1, 8, 27, 0, 4294967296}}},  // 27 runs of one size, out-of-place only
    {"26-", {{kAr, "float32", "2.29.3", 16, 0, 0, 8, 0, 8589934592}}},   // list of devices abridged
    {"29-", {}, "no measurements"},                                      // another program
    {"31-", {{"", "float32", "2.22.3", 2, 1, 2, 58, 0, 2147483648}}},    // sendrecv that does not say so
    {"32-", {{kAg, "float32", "2.29.7", 16, 4, 4, 22, 0, 8589934592}}},  // JSON
};

void check_table(const MeasurementLog& table, const ExpectedTable& expected) {
  CHECK(table.facts.collective.value_or("") == expected.collective);
  CHECK(table.facts.data_type.value_or("") == expected.type);
  CHECK(table.facts.nccl_version.value_or("") == expected.nccl);
  CHECK(table.facts.ranks.value_or(0) == expected.ranks);
  CHECK(table.facts.nodes.value_or(0) == expected.nodes);
  CHECK(table.facts.gpus_per_node.value_or(0) == expected.gpus_per_node);
  CHECK(table.measurements.size() == expected.kept);
  CHECK(table.skipped.size() == expected.skipped);
  CHECK(table.measurements.back().bytes == expected.largest);
  for (const Skipped& skipped : table.skipped) CHECK(says(skipped.reason, "zero size"));
}

bool is_json(const std::string& content) { return content.starts_with('{'); }

}  // namespace

TEST_CASE(
    "corpus: every table is read, with times that are finite and above zero and nothing left out silently") {
  for (const fs::path& path : corpus("nccl-tests/csv")) {
    const auto file = read_measurements(content_of(path), path.filename().string());
    REQUIRE_MESSAGE(bool(file), path << ": " << describe(file.problems()));
    REQUIRE(file->tables.size() == 1);
    const MeasurementLog& table = file->tables.front();
    CHECK_MESSAGE(table.measurements.size() >= 8, path);
    for (const Measurement& m : table.measurements) {
      CHECK(std::isfinite(m.seconds));
      CHECK(m.seconds > 0);
      CHECK(m.bytes > 0);
    }
    for (const Skipped& skipped : table.skipped) CHECK(!skipped.reason.empty());
  }
}

TEST_CASE("corpus: every log gives the tables that it holds, or is refused with the reason that it has") {
  const auto logs = corpus("nccl-tests/logs");
  if (logs.empty()) return;
  REQUIRE(logs.size() == kLogs.size());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const std::string name = logs[i].filename().string();
    const Expected& expected = kLogs[i];
    CAPTURE(name);
    REQUIRE(name.starts_with(expected.file));
    const auto file = read_measurements(content_of(logs[i]), name);
    REQUIRE(bool(file) == !expected.tables.empty());
    if (!file) {
      CHECK_MESSAGE(says(describe(file.problems()), expected.refusal), describe(file.problems()));
      for (const Error& problem : file.problems()) CHECK(says(problem.where, name));
      continue;
    }
    CHECK(file->skipped.empty());
    REQUIRE(file->tables.size() == expected.tables.size());
    for (std::size_t t = 0; t < file->tables.size(); ++t) {
      check_table(file->tables[t], expected.tables[t]);
      for (const std::string& note : file->tables[t].notes) CHECK(!says(note, "cut, or failed"));
    }
  }
}

TEST_CASE("corpus: logs cut at any of their last 2,000 bytes never give a wrong time") {
  constexpr std::size_t kCuts = 2000;
  for (const fs::path& path : corpus("nccl-tests/logs")) {
    const std::string whole = content_of(path);
    const std::vector<Kept> all = kept(whole);
    const std::size_t first = whole.size() - std::min(whole.size(), kCuts);
    for (std::size_t length = first; length < whole.size(); ++length)
      if (!is_prefix(kept(whole.substr(0, length)), all)) FAIL(path << " cut at " << length);
  }
}

TEST_CASE("corpus: prefixes, line ends, repeated headers and debug lines never give a wrong time") {
  for (const fs::path& path : corpus("nccl-tests/logs")) {
    const std::string whole = content_of(path);
    if (is_json(whole)) continue;  // text between its lines makes it another format
    CAPTURE(path.filename().string());
    const std::vector<Kept> all = kept(whole);
    CHECK(kept(replaced(whole, "\n", "\r\n")) == all);
    CHECK(kept(whole.substr(0, whole.size() - 1)) == all);
    CHECK(kept(with_headers_twice(whole)) == all);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CHECK(kept(with_random_prefixes(whole, seed)) == all);
      const std::vector<Kept> noisy = kept(with_debug_lines(whole, seed));
      CHECK(all_among(noisy, all));
      CHECK(noisy.size() == all.size());
    }
  }
}
