#include "base/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
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

constexpr std::string_view kTemporaryEnd = ".tmp";

/// "NAME.PID.tmp"
std::string temporary_name(const fs::path& path) {
  return fmt::format("{}.{}{}", path.string(), ::getpid(), kTemporaryEnd);
}

bool is_temporary_name(std::string_view name) {
  if (!name.ends_with(kTemporaryEnd)) return false;
  name.remove_suffix(kTemporaryEnd.size());
  const auto dot = name.find_last_not_of("0123456789");
  return dot != std::string_view::npos && dot > 0 && name[dot] == '.' && dot + 1 < name.size();
}

/// That a file has its new name is on disk only when its folder is. Where the file system cannot say so the
/// file itself is safe all the same.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  (void)::fsync(file);
  ::close(file);
}

/// Where content stands before it takes its name; gone unless it has done so.
class Temporary {
 public:
  explicit Temporary(const fs::path& path) : path_(path), name_(temporary_name(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(name_.c_str());
  }

  Problems write(std::string_view content) {
    const int file = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return failed("cannot be written");
    const int written = write_all(file, content), code = errno;
    const int closed = ::close(file);
    if (written != 0) errno = code;
    return written == 0 && closed == 0 ? Problems{} : failed("writing failed");
  }
  Problems rename() {
    if (::rename(name_.c_str(), path_.c_str()) != 0) return failed("cannot be replaced");
    renamed_ = true;
    sync_folder_of(path_);
    return {};
  }

 private:
  Problems failed(const char* step) const {
    return {{path_.string(), fmt::format("{}: {}", step, std::strerror(errno)), "nothing was changed"}};
  }
  fs::path path_;
  std::string name_;
  bool renamed_ = false;
};

}  // namespace

Problems write_file(const fs::path& path, std::string_view content) {
  Temporary file(path);
  if (Problems problems = file.write(content); !problems.empty()) return problems;
  return file.rename();
}

Problems write_files(const std::vector<std::pair<fs::path, std::string>>& files) {
  std::vector<std::unique_ptr<Temporary>> written;
  for (const auto& [path, content] : files) {
    written.push_back(std::make_unique<Temporary>(path));
    if (Problems problems = written.back()->write(content); !problems.empty()) return problems;
  }
  for (const auto& file : written)
    if (Problems problems = file->rename(); !problems.empty()) return problems;
  return {};
}

void remove_leftovers(const fs::path& folder) {
  std::error_code code;  // what cannot be listed or removed is only in the way, not wrong
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (is_temporary_name(at->path().filename().string())) leftovers.push_back(at->path());
  for (const fs::path& leftover : leftovers) fs::remove(leftover, code);
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
