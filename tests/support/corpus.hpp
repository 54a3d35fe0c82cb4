// Real files, where CALIPERSIM_CORPUS names a folder of them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/file.hpp"

namespace caliper::testing {

/// Files below a folder of the corpus, in order; none without a corpus.
inline std::vector<std::filesystem::path> corpus(const char* folder) {
  namespace fs = std::filesystem;
  const char* root = std::getenv("CALIPERSIM_CORPUS");
  std::set<fs::path> files;
  if (root && fs::is_directory(fs::path(root) / folder))
    for (const auto& entry : fs::directory_iterator(fs::path(root) / folder)) files.insert(entry.path());
  else
    MESSAGE("CALIPERSIM_CORPUS names no corpus: nothing is read");
  return {files.begin(), files.end()};
}

inline std::string content_of(const std::filesystem::path& file) {
  auto content = read_file(file);
  REQUIRE(content);
  return *std::move(content);
}

}  // namespace caliper::testing
