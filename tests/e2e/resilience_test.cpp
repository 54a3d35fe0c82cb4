// Calibrations that are killed, interrupted or run out of disk: nothing is lost, nothing is half written, and
// what resumes ends where an undisturbed run does.
#include <chrono>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "tests/support/synthetic.hpp"

using namespace caliper;
using namespace caliper::test;
namespace fs = std::filesystem;

namespace {

/// All that has to be the same; the manifest tells of times and of what came from the cache.
constexpr const char* kResults[] = {"calibrated.toml", "history.csv", "predictions.csv", "validation.json",
                                    "report.html"};

/// Long enough that a moment can be hit, short enough for a test.
constexpr const char* kLength = "--iterations 12";

std::string calibrate(const Folder& folder, const std::string& out) {
  return fmt::format("{} calibrate {} --out {} {} --resume", CALIPERSIM_BINARY, folder / "s.toml", out,
                     kLength);
}

void check_same(const fs::path& reference, const fs::path& found) {
  for (const char* name : kResults) {
    const auto expected = read_file(reference / name), content = read_file(found / name);
    REQUIRE(expected);
    REQUIRE_MESSAGE(bool(content), name);
    CHECK_MESSAGE(*content == *expected, name);
  }
}

bool has_leftovers(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".tmp") return true;
  return false;
}

struct Reference {
  Folder folder{"resilience"};
  double seconds = 0;
  Reference() {
    put_synthetic(folder);
    const auto begin = std::chrono::steady_clock::now();
    const Finished finished = shell(calibrate(folder, folder / "reference"));
    REQUIRE_MESSAGE(finished.code == 0, finished.out);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

/// A mounted file system of so many KiB; not there where mounting is not allowed.
struct SmallDisk {
  fs::path path;
  bool mounted;
  SmallDisk(const Folder& folder, int kib) : path(folder.path / "disk") {
    fs::create_directories(path);
    mounted = shell(fmt::format("mount -t tmpfs -o size={}k tmpfs {}", kib, path.string())).code == 0;
  }
  ~SmallDisk() {
    if (mounted) shell("umount " + path.string());
  }
  bool remount(const std::string& options) const {
    return shell(fmt::format("mount -o remount,{} {}", options, path.string())).code == 0;
  }
};

}  // namespace

TEST_CASE("resilience: killed at 20 random moments, a calibration resumes to identical results") {
  const Reference reference;
  const Folder& folder = reference.folder;
  int kills = 0, round = 0, finished_rounds = 0;
  for (std::uint64_t draw = 0; kills < 20; ++draw) {
    const std::string out = folder / fmt::format("round-{}", round);
    const double share = unit_draw(1, draw, 0);
    const Finished run =
        shell(fmt::format("timeout -s KILL {:.3f} {}", share * reference.seconds, calibrate(folder, out)));
    if (run.code == 137) {
      ++kills;
      // Whatever stands under its own name is whole: a killed run leaves old files or new ones.
      if (fs::exists(fs::path(out) / "calibrated.toml"))
        CHECK(*read_file(fs::path(out) / "calibrated.toml") ==
              *read_file(folder / "reference/calibrated.toml"));
      continue;
    }
    REQUIRE_MESSAGE(run.code == 0, run.out);
    check_same(folder / "reference", out);
    CHECK(!has_leftovers(out));
    ++finished_rounds;
    ++round;
  }
  const std::string out = folder / fmt::format("round-{}", round);
  const Finished last = shell(calibrate(folder, out));
  REQUIRE_MESSAGE(last.code == 0, last.out);
  check_same(folder / "reference", out);
  CHECK(!has_leftovers(out));
  MESSAGE(kills << " kills in " << finished_rounds + 1 << " calibrations");
}

TEST_CASE("resilience: ^C ends with a message and exit code 130, and what resumes is identical") {
  const Reference reference;
  const Folder& folder = reference.folder;
  int interrupts = 0;
  for (int i = 1; i <= 6; ++i) {
    const std::string out = folder / fmt::format("interrupted-{}", i);
    const Finished run = shell(fmt::format("timeout --preserve-status -s INT {:.3f} {}",
                                           reference.seconds * i / 7, calibrate(folder, out)));
    CAPTURE(run.out);
    if (run.code == 130) {
      ++interrupts;
      // Before there are evaluations, and when all results are there, there is nothing to resume and nothing
      // to say.
      if (fs::exists(fs::path(out) / "evaluations.sqlite") && !fs::exists(fs::path(out) / "manifest.json")) {
        CHECK(run.out.find("--resume") != std::string::npos);
        CHECK(run.out.find("kept") != std::string::npos);
      }
    } else {
      CHECK(run.code == 0);
    }
    const Finished resumed = shell(calibrate(folder, out));
    REQUIRE_MESSAGE(resumed.code == 0, resumed.out);
    check_same(folder / "reference", out);
  }
  CHECK(interrupts >= 3);
}

TEST_CASE("resilience: a limit on the size of files is an error that says how to go on, at every size") {
  const Reference reference;
  const Folder& folder = reference.folder;
  for (const int blocks :
       {0, 4, 16, 40, 64, 300}) {  // of 512 bytes: before, within and after the evaluations
    const std::string out = folder / fmt::format("limited-{}", blocks);
    const Finished run = shell(fmt::format("ulimit -f {}; {}", blocks, calibrate(folder, out)));
    CAPTURE(blocks);
    CAPTURE(run.out);
    CHECK(run.code == 2);
    CHECK(run.out.find(out) != std::string::npos);
    CHECK(!fs::exists(fs::path(out) / "calibrated.toml"));
    const Finished resumed = shell(calibrate(folder, out));
    REQUIRE_MESSAGE(resumed.code == 0, resumed.out);
    check_same(folder / "reference", out);
    CHECK(!has_leftovers(out));
  }
}

TEST_CASE("resilience: a full disk and a read-only one are errors that say so, and are resumed from") {
  const Reference reference;
  const Folder& folder = reference.folder;
  for (const int kib : {4, 12, 32, 64, 256}) {
    const SmallDisk disk(folder, kib);
    if (!disk.mounted) {
      MESSAGE("mounting is not allowed here: no small disk, only the limit on file sizes is tested");
      return;
    }
    const std::string out = (disk.path / "out").string();
    const Finished run = shell(calibrate(folder, out));
    CAPTURE(kib);
    CAPTURE(run.out);
    CHECK(run.code == 2);
    CHECK(run.out.find(out) != std::string::npos);
    const bool says_why = run.out.find("No space left") != std::string::npos ||
                          run.out.find("disk is full") != std::string::npos;
    CHECK(says_why);
    CHECK(!fs::exists(fs::path(out) / "calibrated.toml"));

    REQUIRE(disk.remount("ro,size=16m"));
    const Finished read_only = shell(calibrate(folder, out));
    CHECK_MESSAGE(read_only.code == 2, read_only.out);
    CHECK_MESSAGE(read_only.out.find(out) != std::string::npos, read_only.out);

    REQUIRE(disk.remount("rw,size=16m"));
    const Finished resumed = shell(calibrate(folder, out));
    REQUIRE_MESSAGE(resumed.code == 0, resumed.out);
    check_same(folder / "reference", out);
    CHECK(!has_leftovers(out));
  }
}

TEST_CASE("resilience: a folder where one may not write is an error before anything is computed") {
  const Folder folder("readonly");
  put_synthetic(folder);
  fs::create_directories(folder.path / "out");
  fs::permissions(folder.path / "out", fs::perms::owner_read | fs::perms::owner_exec);
  if (::access((folder / "out").c_str(), W_OK) == 0) {
    MESSAGE("this user may write anywhere: permissions cannot be tested");
    return;
  }
  const Finished run = shell(calibrate(folder, folder / "out"));
  CHECK_MESSAGE(run.code == 2, run.out);
  CHECK_MESSAGE(run.out.find("cannot be written to") != std::string::npos, run.out);
  CHECK(fs::is_empty(folder.path / "out"));
  fs::permissions(folder.path / "out", fs::perms::owner_all);
}
