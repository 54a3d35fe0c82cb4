#include "scenarios/signature.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "scenarios/small_scenario.hpp"

using namespace caliper;

namespace {

const std::vector<SignatureCase> kCases = {
    {"a/one", 4, 1.0 / 3}, {"a/one", 8, 2e-5}, {"b/two", 1ull << 33, 0.5}};

}  // namespace

TEST_CASE("signature: every bit and the order of the times count") {
  std::vector<SignatureCase> other = kCases;
  CHECK(signature_of(other) == signature_of(kCases));
  CHECK(signature_of(other).size() == 12);
  other[1].seconds = std::nextafter(other[1].seconds, 1);
  CHECK(signature_of(other) != signature_of(kCases));
  CHECK(signature_differences(kCases, other).size() == 1);
  other = kCases;
  std::swap(other[0], other[2]);
  CHECK(signature_of(other) != signature_of(kCases));
  CHECK(signature_differences(kCases, other) == std::vector<std::string>{"the same cases in another order"});
}

TEST_CASE("signature: what is printed is read back bit for bit") {
  const auto read = parse_signature(signature_text(kCases), "s.txt");
  REQUIRE(read);
  CHECK(signature_differences(kCases, *read).empty());
}

TEST_CASE("signature: what moved is said with its size, what is gone and new too") {
  std::vector<SignatureCase> now = {kCases[0], {"a/one", 8, 2.2e-5}, {"c/three", 4, 1}};
  CHECK(signature_differences(kCases, now) ==
        std::vector<std::string>{"a/one at 8 B: 2e-05 s, now 2.2e-05 s (+10 %)", "b/two at 8 GiB: gone",
                                 "c/three at 4 B: new"});
}

TEST_CASE("signature: a file that is cut or edited is refused with its line") {
  const std::string text = signature_text(kCases);
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    CHECK_MESSAGE(!parse_signature(text.substr(0, length), "s.txt"), "cut after " << length << " bytes");
  std::string edited = text;
  edited.replace(edited.find("2e-05"), 5, "3e-05");
  const auto refused = parse_signature(edited, "s.txt");
  REQUIRE(!refused);
  CHECK(refused.problems().front().where == "s.txt:5");
}

TEST_CASE("signature: a list of cases with slips is refused, all of them, by file and line") {
  test::Folder folder;
  folder.write("s.toml", test::edited("system = \"eight\"", "system = \"systems/eight.toml\""));
  folder.write("cases.toml",
               "schema = 1\n[[case]]\nscenario = \"s.toml\"\ngroup = \"nobody\"\nsizes = [\"1 MiB\"]\n"
               "[[case]]\nscenario = \"s.toml\"\ngroup = \"ar-1x4\"\nsizes = [\"1\"]\nparms = \"p.toml\"\n");
  const auto refused = run_signature(folder.path());
  REQUIRE(!refused);
  const std::string text = describe(refused.problems());
  CHECK(text.find("cases.toml:4: s.toml has no group 'nobody'") != std::string::npos);
  CHECK(text.find("cases.toml:9: ") != std::string::npos);
  CHECK(text.find("cases.toml:10: unknown key 'parms'") != std::string::npos);
}

TEST_CASE("signature: times are those of the simulator, in the order of the list") {
  test::Folder folder;
  folder.write("s.toml", test::edited("system = \"eight\"", "system = \"systems/eight.toml\""));
  folder.write(
      "cases.toml",
      "schema = 1\n[[case]]\nscenario = \"s.toml\"\ngroup = \"rs-4x4\"\nsizes = [\"2 MiB\", \"1 MiB\"]\n"
      "[[case]]\nscenario = \"s.toml\"\ngroup = \"ar-1x4\"\nsizes = [\"1 MiB\"]\n");
  const auto cases = run_signature(folder.path());
  REQUIRE_MESSAGE(cases, describe(cases.problems()));
  REQUIRE(cases->size() == 3);
  CHECK((*cases)[0].name == "s/rs-4x4");
  CHECK((*cases)[0].bytes == 2u << 20);
  CHECK((*cases)[0].seconds > (*cases)[1].seconds);
  CHECK((*cases)[2].name == "s/ar-1x4");
}
