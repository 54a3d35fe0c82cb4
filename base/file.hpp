// Whole files in, whole files out: a reader never sees half a file of ours.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace caliper {

/// The bytes of a regular file. Missing, unreadable, a folder: an error that names it.
Result<std::string> read_file(const std::filesystem::path& path);

/// Writes beside the target under a temporary name, flushes to disk, then renames. Killed at any moment, it
/// leaves the old file or the new one, and perhaps the temporary (see remove_leftovers). On any failure (no
/// such folder, no permission, disk full) the target is as it was and the problem says why.
Problems write_file(const std::filesystem::path& path, std::string_view content);

/// write_file for several files that belong together: all of them are on the disk before the first takes its
/// name.
Problems write_files(const std::vector<std::pair<std::filesystem::path, std::string>>& files);

/// Removes what write_file of a process that was killed has left in a folder. Only for who alone writes
/// there.
void remove_leftovers(const std::filesystem::path& folder);

/// A file that at most one process holds; let go of when the holder ends, however it ends.
class FileLock {
 public:
  /// Problem: another process holds it, or the file cannot be made.
  static Result<FileLock> acquire(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  int file_;
};

}  // namespace caliper
