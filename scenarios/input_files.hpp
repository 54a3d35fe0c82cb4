// The files that a scenario reads, with their hashes for the manifest.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "scenarios/scenario.hpp"

namespace caliper {

class InputFiles {
 public:
  /// @param folder  of the scenario: what the paths in it are relative to
  explicit InputFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path resolve(const std::string& path) const { return folder_ / path; }
  /// As `path` stands in messages and in the manifest: relative to the folder where it lies inside.
  std::string shown(const std::filesystem::path& path) const;

  void add(const std::filesystem::path& path, std::string_view content);
  /// Reads and adds. Problem (its `where` is empty): missing, unreadable.
  Result<std::string> read(const std::filesystem::path& path);
  std::vector<InputFile> take() { return std::move(files_); }

 private:
  std::filesystem::path folder_;
  std::vector<InputFile> files_;  // each path once
};

}  // namespace caliper
