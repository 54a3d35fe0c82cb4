#include "scenarios/input_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"

namespace caliper {

namespace fs = std::filesystem;

std::string InputFiles::shown(const fs::path& path) const {
  const fs::path inside = path.lexically_normal().lexically_relative(folder_.lexically_normal());
  return inside.empty() || *inside.begin() == ".." ? path.string() : inside.string();
}

void InputFiles::add(const fs::path& path, std::string_view content) {
  std::string name = shown(path);
  if (std::ranges::find(files_, name, &InputFile::path) == files_.end())
    files_.push_back({std::move(name), sha256_hex(content)});
}

Result<std::string> InputFiles::read(const fs::path& path) {
  auto content = read_file(path);
  if (!content) {
    Problems problems;
    for (const Error& error : content.problems())
      problems.push_back({"", fmt::format("file '{}': {}", path.string(), error.what), error.hint});
    return problems;
  }
  add(path, *content);
  return content;
}

}  // namespace caliper
