#include "calibration/evaluation_cache.hpp"

#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"

using namespace caliper;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "calipersim-cache-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path file() const { return path / "evaluations.sqlite"; }
};

CacheKey key(std::uint64_t i) { return {fmt::format("program {}", i % 7), fmt::format("parameters {}", i)}; }

/// A time of awkward bits.
Outcome outcome(std::uint64_t i) { return {OutcomeStatus::time, 1e-6 + unit_draw(3, i, 0), {}, ""}; }

struct Batch {
  std::vector<CacheKey> keys;
  std::vector<Outcome> outcomes;
};
Batch batch(std::uint64_t first, std::uint64_t count) {
  Batch b;
  for (std::uint64_t i = first; i < first + count; ++i) {
    b.keys.push_back(key(i));
    b.outcomes.push_back(outcome(i));
  }
  return b;
}

EvaluationCache opened(const fs::path& path) {
  auto cache = EvaluationCache::open(path);
  if (!cache) FAIL(describe(cache.problems()));
  return *std::move(cache);
}

std::string complaint(const fs::path& path) {
  const auto cache = EvaluationCache::open(path);
  return cache ? "" : describe(cache.problems());
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::uint64_t size_of(const EvaluationCache& cache) {
  const auto size = cache.size();
  REQUIRE(size);
  return *size;
}

/// Every known outcome of keys [0, count) has the bits it was stored with.
void check_known(const EvaluationCache& cache, std::uint64_t count) {
  const auto found = cache.find(batch(0, count).keys);
  REQUIRE(found);
  for (std::uint64_t i = 0; i < count; ++i) {
    REQUIRE((*found)[i].has_value());
    CHECK(std::bit_cast<std::uint64_t>((*found)[i]->seconds) ==
          std::bit_cast<std::uint64_t>(outcome(i).seconds));
  }
}

}  // namespace

TEST_CASE("evaluation cache: times come back bit for bit, failures with their reason, unknown keys empty") {
  EvaluationCache cache = EvaluationCache::in_memory();
  CHECK(size_of(cache) == 0);
  const Batch b = batch(0, 100);
  REQUIRE(cache.store(b.keys, b.outcomes).empty());
  check_known(cache, 100);
  const std::vector<CacheKey> odd = {{"p", "f"}, {"p", "t"}, {"p", "'; DROP TABLE evaluations; --"}};
  REQUIRE(cache
              .store(odd,
                     std::vector<Outcome>{{OutcomeStatus::failure, 0, {}, "stuck: \"rank 3\" waits \xC2\xB5"},
                                          {OutcomeStatus::timeout, 0, {}, ""},
                                          {OutcomeStatus::time, 5e-324, {}, ""}})
              .empty());
  const auto found = cache.find(odd);
  REQUIRE(found);
  CHECK((*found)[0]->status == OutcomeStatus::failure);
  CHECK((*found)[0]->reason == "stuck: \"rank 3\" waits \xC2\xB5");
  CHECK((*found)[1]->status == OutcomeStatus::timeout);
  CHECK((*found)[2]->seconds == 5e-324);
  const auto unknown = cache.find(std::vector<CacheKey>{{"p", "x"}, {"f", "p"}});
  REQUIRE(unknown);
  CHECK_FALSE((*unknown)[0].has_value());
  CHECK_FALSE((*unknown)[1].has_value());
  CHECK(size_of(cache) == 103);
}

TEST_CASE("evaluation cache: the first outcome of a key stays") {
  EvaluationCache cache = EvaluationCache::in_memory();
  for (const std::uint64_t i : {1u, 2u}) REQUIRE(cache.store({{key(0)}}, {{outcome(i)}}).empty());
  const auto found = cache.find({{key(0)}});
  REQUIRE(found);
  CHECK((*found)[0]->seconds == outcome(1).seconds);
  CHECK(size_of(cache) == 1);
}

TEST_CASE("evaluation cache: the hash of parameters sees ids and bits, not the order of the table") {
  const auto row = [](const char* id) {
    return AuxiliaryParameter{id, Domain::scale_up, Dimension::number, 1, 0, 2, Scale::linear, "", ""};
  };
  const ParameterTable ab({row("a"), row("b")}, {}), ba({row("b"), row("a")}, {}),
      ac({row("a"), row("c")}, {});
  const std::string hash = parameters_hash(ab, std::vector<double>{1, 2});
  CHECK(hash.size() == 64);
  CHECK(parameters_hash(ba, std::vector<double>{2, 1}) == hash);
  CHECK(parameters_hash(ab, std::vector<double>{2, 1}) != hash);
  CHECK(parameters_hash(ac, std::vector<double>{1, 2}) != hash);
  CHECK(parameters_hash(ab, std::vector<double>{1, std::nextafter(2.0, 3.0)}) != hash);
}

TEST_CASE("evaluation cache: a file keeps what was stored, alone in its folder, for the next to open") {
  const Folder folder;
  {
    EvaluationCache cache = opened(folder.file());
    const Batch b = batch(0, 50);
    REQUIRE(cache.store(b.keys, b.outcomes).empty());
  }
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator{}) == 1);
  EvaluationCache first = opened(folder.file()), second = opened(folder.file());
  const Batch more = batch(50, 50);
  REQUIRE(first.store(more.keys, more.outcomes).empty());
  check_known(second, 100);
}

TEST_CASE("evaluation cache: kill -9 leaves whole batches, and every one that was reported") {
  constexpr std::uint64_t kBatch = 40;
  for (const std::uint64_t wanted : {1u, 3u, 8u}) {
    const Folder folder;
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      auto cache = EvaluationCache::open(folder.file());
      for (std::uint64_t done = 0; cache; ++done) {
        const Batch b = batch(done * kBatch, kBatch);
        if (!cache->store(b.keys, b.outcomes).empty() || write(pipe_ends[1], "x", 1) != 1) break;
      }
      _exit(1);
    }
    close(pipe_ends[1]);
    std::uint64_t reported = 0;
    for (char byte; reported < wanted && read(pipe_ends[0], &byte, 1) == 1;) ++reported;
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(pipe_ends[0]);
    REQUIRE(reported == wanted);
    REQUIRE(WIFSIGNALED(status));
    const EvaluationCache cache = opened(folder.file());
    const std::uint64_t kept = size_of(cache);
    CHECK(kept % kBatch == 0);
    CHECK(kept >= reported * kBatch);
    check_known(cache, kept);
  }
}

TEST_CASE("evaluation cache: threads may share it") {
  EvaluationCache cache = EvaluationCache::in_memory();
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&cache, t] {
        for (std::uint64_t i = 0; i < 20; ++i) {
          const Batch b = batch((t % 2) * 100 + i * 5, 5);  // two threads each store the same keys
          if (!cache.store(b.keys, b.outcomes).empty() || !cache.find(b.keys)) std::abort();
        }
      });
  }
  CHECK(size_of(cache) == 200);
  check_known(cache, 200);
}

TEST_CASE(
    "evaluation cache: a file that is not ours, damaged, or of another version is named and left alone") {
  const Folder folder;
  const auto rewrite = [&](std::string_view content) { REQUIRE(write_file(folder.file(), content).empty()); };

  rewrite("group,size,seconds\n");
  CHECK(has(complaint(folder.file()), folder.file().string() + ": "));
  CHECK(has(complaint(folder.file()), "it is no evaluation cache"));
  CHECK(*read_file(folder.file()) == "group,size,seconds\n");

  rewrite("");  // what a process killed while making the file leaves
  {
    EvaluationCache cache = opened(folder.file());
    const Batch b = batch(0, 500);
    REQUIRE(cache.store(b.keys, b.outcomes).empty());
  }
  const std::string good = *read_file(folder.file());
  REQUIRE(good.size() > 20'000);

  rewrite(std::string_view(good).substr(0, good.size() / 2));
  CHECK(has(complaint(folder.file()), "delete it, and its evaluations are computed anew"));
  std::string zeros = good;
  std::fill(zeros.begin() + 4096, zeros.end(), '\0');
  rewrite(zeros);
  CHECK(has(complaint(folder.file()), "delete it, and its evaluations are computed anew"));

  std::string foreign = good;  // bytes 68..71 of an SQLite header are the application id
  foreign[68] = 'X';
  rewrite(foreign);
  CHECK(has(complaint(folder.file()), "is a database of another program"));
  CHECK(*read_file(folder.file()) == foreign);

  std::string newer = good;  // the row of metadata reads "schema" "1"
  const auto place = newer.find("schema1");
  REQUIRE(place != std::string::npos);
  newer[place + 6] = '7';
  rewrite(newer);
  CHECK(has(complaint(folder.file()), "has schema version '7', this program reads 1"));

  rewrite(good);
  check_known(opened(folder.file()), 500);
}

TEST_CASE("evaluation cache: where it cannot be written, the problem says where and what to do") {
  const Folder folder;
  CHECK(has(complaint(folder.path / "no" / "such.sqlite"), "the folder must exist"));
  CHECK(has(complaint(folder.path), folder.path.string()));
  CHECK(complaint("") != "");
  CHECK(has(complaint("/proc/evaluations.sqlite"), "/proc/evaluations.sqlite: opening failed"));

  (void)opened(folder.file());
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                   fs::perms::others_exec);
  fs::permissions(folder.file(), fs::perms::owner_read | fs::perms::others_read);
  const bool root = geteuid() == 0;  // whom permissions do not stop: for the test, be somebody else
  if (root) REQUIRE(seteuid(65534) == 0);
  const std::string read_only_file = complaint(folder.file());
  const std::string read_only_folder = complaint(folder.path / "new.sqlite");
  if (root) REQUIRE(seteuid(0) == 0);
  fs::permissions(folder.path, fs::perms::owner_all);
  CHECK(has(read_only_file, "you must be allowed to write to it"));
  CHECK(has(read_only_folder, "you must be allowed to write to it"));
}

TEST_CASE(
    "evaluation cache: a write that finds no room is a problem, and the cache stays as it was and usable") {
  const Folder folder;
  EvaluationCache cache = opened(folder.file());
  const Batch small = batch(0, 20), large = batch(20, 2000);
  REQUIRE(cache.store(small.keys, small.outcomes).empty());

  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{fs::file_size(folder.file()) + 8192, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const Problems problems = cache.store(large.keys, large.outcomes);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old_handler);

  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == folder.file().string());
  CHECK(has(problems[0].hint, "then resume: what was reported is kept"));
  CHECK(size_of(cache) == 20);
  REQUIRE(cache.store(large.keys, large.outcomes).empty());
  check_known(cache, 2020);
}
