#include "bench/measure_main.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "base/units.hpp"

namespace caliper::bench {
namespace {

constexpr std::uint64_t kMostMessages = 1'000'000'000;

std::string compiler_name() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A size with its unit; CLI11 wants what is wrong, or nothing.
CLI::Validator is_size() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto bytes = parse_bytes(text);
        return bytes ? std::string() : fmt::format("'{}' is no size, write 16MiB", text);
      },
      "SIZE");
}

/// What is wrong with a work, as a whole; empty: nothing.
std::string flaw(const RingWork& work) {
  if (work.ranks % 4 != 0) return "-n: nodes have four GPUs, so a multiple of 4 is due";
  if (work.bytes == 0) return "-S: nothing to send";
  if (message_count(work) > kMostMessages)
    return fmt::format("{} messages are more than the {} that are run here", message_count(work),
                       kMostMessages);
  return {};
}

}  // namespace

Clock Clock::now() { return {seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)}; }

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int measure_main(int argc, char** argv, const char* about, const std::vector<std::string>& modes,
                 bool precision_option, const std::function<Result<RunRecord>(const Measurement&)>& measure) {
  CLI::App app(about);
  Measurement wanted;
  wanted.series = "compare";
  std::string bytes = "16MiB", chunk;
  RingWork& work = wanted.work;
  app.add_option("-n,--ranks", work.ranks, "GPUs, four a node")->check(CLI::Range(4, 1 << 16))->required();
  app.add_option("-S,--size", bytes, "Message, such as 16MiB")->check(is_size())->capture_default_str();
  app.add_option("-C,--channels", work.channels, "Rings")->check(CLI::Range(1, 32))->capture_default_str();
  app.add_option("--chunk", chunk, "Largest message of a step; default: a step is one message")
      ->check(is_size());
  app.add_option("--window", work.window, "Messages of a rank and ring on the way")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app.add_option("--shuffle", work.shuffle, "Seed of the order of the nodes; 0: as numbered");
  app.add_option("--spines", work.spines, "Spine switches")
      ->check(CLI::Range(1, 1 << 10))
      ->capture_default_str();
  app.add_option("--series", wanted.series, "What this run is for, repeated in the line");
  if (!modes.empty()) {
    wanted.mode = modes.front();
    app.add_option("--mode", wanted.mode, "How it is computed")
        ->check(CLI::IsMember(modes))
        ->capture_default_str();
  }
  if (precision_option) {
    wanted.precision = "1e-12";
    app.add_option("--precision", wanted.precision, "Seconds within which events are merged")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  work.bytes = *parse_bytes(bytes);
  if (!chunk.empty()) work.chunk = *parse_bytes(chunk);
  if (const std::string problem = flaw(work); !problem.empty()) {
    fmt::print(stderr, "{}\n", problem);
    return 2;
  }
  auto record = measure(wanted);
  if (!record) {
    fmt::print(stderr, "{}\n", describe(record.problems()));
    return 1;
  }
  record->series = wanted.series;
  record->compiler = compiler_name();
  record->work = work;
  record->peak_rss_mib = std::max(record->peak_rss_mib, peak_rss_mib());
  fmt::print("{}\n", to_json(*record).dump());
  return 0;
}

}  // namespace caliper::bench
