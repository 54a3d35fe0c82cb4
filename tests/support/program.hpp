// The program from outside, as a user's shell runs it, for tests that cross everything.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace caliper::test {

struct Finished {
  int code;         ///< exit code; 128 + signal where a signal ended it
  std::string out;  ///< stdout, then whatever of stderr the command line redirects there
};

/// Runs a command line with /bin/sh; stderr is joined to stdout.
Finished shell(const std::string& command);
/// The program with these arguments.
Finished calipersim(const std::string& arguments);

/// A folder of its own, empty at the begin and gone at the end.
struct Folder {
  std::filesystem::path path;
  explicit Folder(const std::string& name);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  void put(const std::string& name, std::string_view content) const;
};

}  // namespace caliper::test
