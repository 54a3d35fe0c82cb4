#include "bench/setting.hpp"

#include <array>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/utsname.h>
#include <unistd.h>

namespace caliper::bench {
namespace {

/// What follows `key` and separators on its line of a file such as /proc/cpuinfo; else "unknown".
std::string fact(const char* file, std::string_view key, std::string_view separators) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) {
      const std::size_t begin = line.find_first_not_of(separators, key.size());
      if (begin == std::string::npos) continue;
      const std::size_t end = line.find_last_not_of("\" ");
      return line.substr(begin, end + 1 - begin);
    }
  return "unknown";
}

}  // namespace

Setting this_machine(std::string commit, double load_before) {
  Setting setting;
  setting.commit = std::move(commit);
  setting.load_before = load_before;
  std::array<char, 16> date{};
  const std::time_t now = std::time(nullptr);
  std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
  setting.date = date.data();
  setting.processor = fact("/proc/cpuinfo", "model name", "\t :");
  setting.system = fact("/etc/os-release", "PRETTY_NAME", "=\"");
  utsname system{};
  if (uname(&system) == 0) setting.kernel = system.release;
  setting.cores = std::thread::hardware_concurrency();
  setting.memory_gib =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 30);
  return setting;
}

nlohmann::ordered_json to_json(const Setting& setting) {
  return {{"date", setting.date},
          {"processor", setting.processor},
          {"cores", setting.cores},
          {"memory_GiB", setting.memory_gib},
          {"system", setting.system},
          {"kernel", setting.kernel},
          {"load_before", setting.load_before},
          {"commit", setting.commit}};
}

}  // namespace caliper::bench
