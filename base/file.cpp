#include "base/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace caliper {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (!fs::exists(status))
    return Error{path.string(), "no such file", "paths are relative to the file that names them"};
  if (fs::is_directory(status)) return Error{path.string(), "is a folder, not a file", ""};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{path.string(), fmt::format("cannot be read: {}", std::strerror(errno)), ""};
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{path.string(), "reading failed half way", ""};
  return content;
}

namespace {

/// -1 and errno on failure.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -1;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file);
}

}  // namespace

Problems write_file(const fs::path& path, std::string_view content) {
  const std::string temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  const auto failed = [&](const char* step) {
    const int code = errno;
    ::unlink(temporary.c_str());
    return Problems{{path.string(), fmt::format("{}: {}", step, std::strerror(code)), "nothing was changed"}};
  };
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return failed("cannot be written");
  if (write_all(file, content) != 0) {
    const int code = errno;
    ::close(file);
    errno = code;
    return failed("writing failed");
  }
  if (::close(file) != 0) return failed("writing failed");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed("cannot be replaced");
  return {};
}

Result<FileLock> FileLock::acquire(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return Error{path.string(), fmt::format("cannot be made: {}", std::strerror(errno)), ""};
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool held = errno == EWOULDBLOCK;
    const std::string why = held ? "another process is at work here" : std::strerror(errno);
    ::close(file);
    return Error{path.parent_path().string(), why, held ? "wait for it, or choose another folder" : ""};
  }
  return FileLock(file);
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace caliper
