#include "tests/support/program.hpp"

#include <array>
#include <cstdio>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"

namespace caliper::test {

namespace fs = std::filesystem;

Finished shell(const std::string& command) {
  FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  REQUIRE(pipe);
  Finished finished{0, {}};
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    finished.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

Finished calipersim(const std::string& arguments) {
  return shell(std::string(CALIPERSIM_BINARY) + " " + arguments);
}

Folder::Folder(const std::string& name)
    : path(fs::temp_directory_path() / fmt::format("calipersim_{}_{}", name, ::getpid())) {
  fs::remove_all(path);
  fs::create_directories(path);
}

Folder::~Folder() {
  std::error_code code;  // what cannot be removed is not worth a failed test
  fs::remove_all(path, code);
}

void Folder::put(const std::string& name, std::string_view content) const {
  REQUIRE(write_file(path / name, content).empty());
}

}  // namespace caliper::test
