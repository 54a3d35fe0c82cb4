// Real measurement files, where CALIPERSIM_CORPUS names a folder of them: each is read, or refused with a
// reason.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <doctest/doctest.h>

#include "base/file.hpp"
#include "validation/measurement_log.hpp"

using namespace caliper;
namespace fs = std::filesystem;

namespace {

/// Files below a folder of the corpus, in order; none without a corpus.
std::vector<fs::path> corpus(const char* folder) {
  const char* root = std::getenv("CALIPERSIM_CORPUS");
  std::set<fs::path> files;
  if (root && fs::is_directory(fs::path(root) / folder))
    for (const auto& entry : fs::directory_iterator(fs::path(root) / folder)) files.insert(entry.path());
  else
    MESSAGE("CALIPERSIM_CORPUS names no corpus: nothing is read");
  return {files.begin(), files.end()};
}

}  // namespace

TEST_CASE(
    "corpus: every table is read, with times that are finite and above zero and nothing left out silently") {
  for (const fs::path& file : corpus("nccl-tests/csv")) {
    const auto content = read_file(file);
    REQUIRE(content);
    const auto log = read_measurements(*content, file.filename().string());
    REQUIRE_MESSAGE(bool(log), file << ": " << describe(log.problems()));
    CHECK_MESSAGE(log->measurements.size() >= 8, file);
    for (const Measurement& m : log->measurements) {
      CHECK(std::isfinite(m.seconds));
      CHECK(m.seconds > 0);
      CHECK(m.bytes > 0);
    }
    for (const Skipped& skipped : log->skipped) CHECK(!skipped.reason.empty());
  }
}

TEST_CASE("corpus: every log is read or refused with a reason that names it") {
  std::size_t read = 0, refused = 0;
  for (const fs::path& file : corpus("nccl-tests/logs")) {
    const auto content = read_file(file);
    REQUIRE(content);
    const auto log = read_measurements(*content, file.filename().string());
    if (log) {
      ++read;
      CHECK_MESSAGE(!log->measurements.empty(), file);
    } else {
      ++refused;
      for (const Error& problem : log.problems()) {
        CHECK(problem.where.find(file.filename().string()) != std::string::npos);
        CHECK(!problem.what.empty());
      }
    }
  }
  MESSAGE(read << " logs read, " << refused << " refused");
  CHECK(read >= refused);
}
