#include "base/file.hpp"

#include <filesystem>

#include <doctest/doctest.h>

#include "base/hash.hpp"
#include "base/text.hpp"

using namespace caliper;
namespace fs = std::filesystem;

TEST_CASE("file: written whole and read back; a failure leaves the old content and no temporary") {
  const fs::path folder = fs::temp_directory_path() / "calipersim_file_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  CHECK(write_file(folder / "a.txt", "one").empty());
  CHECK(write_file(folder / "a.txt", "two").empty());
  CHECK(*read_file(folder / "a.txt") == "two");
  CHECK(!write_file(folder / "missing" / "a.txt", "x").empty());
  fs::create_directories(folder / "taken" / "inside");
  CHECK(!write_file(folder / "taken", "x").empty());
  CHECK(!read_file(folder / "none"));
  CHECK(!read_file(folder));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++entries;
  CHECK(entries == 2);
  fs::remove_all(folder);
}

TEST_CASE("file: several files are all written or none") {
  const fs::path folder = fs::temp_directory_path() / "calipersim_files_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  CHECK(write_files({{folder / "a", "1"}, {folder / "b", "2"}}).empty());
  CHECK(!write_files({{folder / "a", "new"}, {folder / "missing" / "b", "new"}}).empty());
  CHECK(*read_file(folder / "a") == "1");
  CHECK(*read_file(folder / "b") == "2");
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++entries;
  CHECK(entries == 2);
  fs::remove_all(folder);
}

TEST_CASE("file: leftovers of a killed writer go, and nothing else") {
  const fs::path folder = fs::temp_directory_path() / "calipersim_leftovers_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const char* kept : {"a.csv", "a.tmp", "a.1x.tmp", ".17.tmp", "17.tmp", "a.17.tmp.csv"})
    REQUIRE(write_file(folder / kept, "").empty());
  for (const char* left : {"a.csv.17.tmp", "report.html.4194303.tmp"})
    REQUIRE(write_file(folder / left, "").empty());
  remove_leftovers(folder);
  for (const char* kept : {"a.csv", "a.tmp", "a.1x.tmp", "17.tmp", "a.17.tmp.csv"})
    CHECK(fs::exists(folder / kept));
  CHECK(!fs::exists(folder / "a.csv.17.tmp"));
  CHECK(!fs::exists(folder / "report.html.4194303.tmp"));
  fs::remove_all(folder);
  remove_leftovers(folder);  // a folder that is not there is no matter
}

TEST_CASE("file: a lock is held once, and again when it was let go") {
  const fs::path path = fs::temp_directory_path() / "calipersim_lock_test";
  {
    const auto first = FileLock::acquire(path);
    REQUIRE(first);
    CHECK(!FileLock::acquire(path));
  }
  CHECK(FileLock::acquire(path));
  fs::remove(path);
}

TEST_CASE("hash: SHA-256 of the published example, and structure is part of the stream") {
  // FIPS 180-4, "abc"
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Hasher().add("ab").add("c").hex() != Hasher().add("a").add("bc").hex());
}

TEST_CASE("text: line ends, byte order mark and a missing last newline lose nothing") {
  const std::vector<std::string_view> want = {"a", "", "b"};
  CHECK(split_lines("a\n\nb") == want);
  CHECK(split_lines("a\n\nb\n") == want);
  CHECK(split_lines("\xEF\xBB\xBF"
                    "a\r\n\r\nb\r\n") == want);
  CHECK(words(" a  bc\td ") == std::vector<std::string_view>{"a", "bc", "d"});
  CHECK(!parse_double("1.0x"));
  CHECK(!parse_double("nan"));
  CHECK(!parse_uint("-1"));
  const std::vector<std::string> names = {"latency", "rate"};
  CHECK(*nearest_name("latancy", names) == "latency");
  CHECK(!nearest_name("placement", names));
}
