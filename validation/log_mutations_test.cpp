// What befalls logs on their way: whatever it is, no time is ever wrong.
#include <doctest/doctest.h>

#include "validation/log_fixtures.hpp"

using namespace caliper;
using namespace caliper::test;

namespace {

std::vector<std::string> seeds() {
  const std::string other = replaced(kCurrent, "all_reduce_perf", "reduce_scatter_perf");
  return {kCurrent, kOld, kCurrent + other + other, replaced(kCurrent, "\n", "\n[1,0]<stdout>:"),
          kJson,    kCsv};
}

}  // namespace

TEST_CASE("logs: cut at any byte, what is kept is the begin of what the whole one gives") {
  for (const std::string& whole : seeds()) {
    const std::vector<Kept> all = kept(whole);
    REQUIRE(!all.empty());
    for (std::size_t length = 0; length < whole.size(); ++length)
      if (!is_prefix(kept(whole.substr(0, length)), all))
        FAIL("wrong after a cut at " << length << " of " << whole);
  }
}

TEST_CASE("logs: launchers' prefixes, other ones on every line, change nothing") {
  for (const std::string& whole : {kCurrent, kOld, kCurrent + kCurrent})
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const std::string prefixed = with_random_prefixes(whole, seed);
      if (kept(prefixed) != kept(whole)) FAIL("differs: " << prefixed);
      CHECK(read_measurements(prefixed, "file")->tables[0].facts ==
            read_measurements(whole, "file")->tables[0].facts);
    }
}

TEST_CASE("logs: line ends, repeated headers and debug lines change nothing") {
  for (const std::string& whole : {kCurrent, kOld, kCurrent + replaced(kCurrent, " sum ", " max ")}) {
    CHECK(kept(replaced(whole, "\n", "\r\n")) == kept(whole));
    CHECK(kept(whole.substr(0, whole.size() - 1)) == kept(whole));
    CHECK(kept("\xEF\xBB\xBF" + whole) == kept(whole));
    CHECK(kept("```\n" + whole + "```\n") == kept(whole));
    CHECK(kept(with_headers_twice(whole)) == kept(whole));
    for (std::uint64_t seed = 0; seed < 50; ++seed) CHECK(kept(with_debug_lines(whole, seed)) == kept(whole));
  }
}

TEST_CASE("logs: a bar between columns, colours and progress displays change nothing") {
  CHECK(kept(replaced(kCurrent, "  ", " | ")) == kept(kCurrent));
  CHECK(kept(replaced(kCurrent, "   0   ", "   \x1b[1;32m0\x1b[0m   ")) == kept(kCurrent));
  CHECK(kept(replaced(kCurrent, "\n     ", "\n 10 %\r 20 %\r     ")) == kept(kCurrent));
  CHECK(kept(replaced(kCurrent, "\n     ", "\n\x1b]0;title\a     ")) == kept(kCurrent));
}

TEST_CASE("CSV: a cut number is not taken for a whole one") {
  const std::string csv = "size_bytes,oop_time_us,ip_time_us\n1000,1.5,1.25\n2000,2.5,2.25\n";
  CHECK(kept(csv).size() == 4);
  CHECK(kept(csv.substr(0, csv.size() - 1)).size() == 3);
  CHECK(kept(csv.substr(0, csv.size() - 2)).size() == 3);
  CHECK(kept(csv.substr(0, csv.find(",2.25"))).size() == 2);
}
