#include "topology/hostlist.hpp"

#include <utility>

#include <doctest/doctest.h>

using namespace caliper;

using Names = std::vector<std::string>;

TEST_CASE("hostlist: what Slurm writes is expanded in order, the last bracket fastest, widths kept") {
  const std::pair<std::string, Names> cases[] = {
      {"login", {"login"}},
      {"a1,b2 , c3", {"a1", "b2", "c3"}},
      {"n[1-3]", {"n1", "n2", "n3"}},
      {"n[8-11]", {"n8", "n9", "n10", "n11"}},
      {"n[08-11]", {"n08", "n09", "n10", "n11"}},
      {"n[098-101]", {"n098", "n099", "n100", "n101"}},
      {"n[3,1-2,07]", {"n3", "n1", "n2", "n07"}},
      {"a1,b[2-3]-[01-02]", {"a1", "b2-01", "b2-02", "b3-01", "b3-02"}},
      {"x[1-2]-l2-[3]y", {"x1-l2-3y", "x2-l2-3y"}},
      {"[5-6]", {"5", "6"}},
      {"n[18446744073709551615]", {"n18446744073709551615"}},
  };
  for (const auto& [text, want] : cases) {
    const auto names = expand_hostlist(text);
    REQUIRE_MESSAGE(names, text);
    CHECK_MESSAGE(*names == want, text);
  }
}

TEST_CASE("hostlist: a rack of JUPITER and the cells of a JUWELS placement have the known sizes and ends") {
  const auto rack = expand_hostlist("jpbo-[001-005]-[01-48]");
  REQUIRE(rack);
  CHECK(rack->size() == 240);
  CHECK(rack->front() == "jpbo-001-01");
  CHECK((*rack)[48] == "jpbo-002-01");
  CHECK(rack->back() == "jpbo-005-48");
  const auto cells = expand_hostlist("jwb[0257-0264,0321-0328]");
  REQUIRE(cells);
  CHECK(cells->size() == 16);
  CHECK((*cells)[8] == "jwb0321");
}

TEST_CASE("hostlist: each malformed list is refused and the message shows the item and what is wrong") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "no host names"},
      {"  ", "no host names"},
      {"a,,b", "empty name"},
      {"a,", "empty name"},
      {",a", "empty name"},
      {"n[1-3", "'n[1-3': '[' is not closed"},
      {"n[1,b2", "not closed"},
      {"n1-3]", "']' without '['"},
      {"n[1]]", "']' without '['"},
      {"n[[1]]", "'[' inside brackets"},
      {"n[]", "nothing between"},
      {"n[1,,2]", "nothing between"},
      {"n[3-1]", "'3-1' runs backwards"},
      {"n[1-]", "'1-' is neither"},
      {"n[-1]", "'-1' is neither"},
      {"n[a-b]", "'a-b' is neither"},
      {"n[1-2-3]", "'1-2-3' is neither"},
      {"n[99999999999999999999]", "is neither"},
      {"n 1", "blank inside"},
      {"n[1 -2]", "blank inside"},
      {"n[1-1000001]", "too long"},
      {"n[0-18446744073709551615]", "too long"},
      {"n[1-1000]-[1-1001]", "more than 1000000 names"},
      {"n[1-1000000],m", "more than 1000000 names"},
  };
  for (const auto& [text, want] : cases) {
    const auto names = expand_hostlist(text);
    REQUIRE_MESSAGE(!names, text);
    CHECK_MESSAGE(describe(names.problems()).find(want) != std::string::npos,
                  text << " gave " << describe(names.problems()));
  }
  CHECK(!expand_hostlist(std::string(300, 'a')));
  CHECK(!expand_hostlist("n[" + std::string(300, '0') + "1-2]"));
}

TEST_CASE("hostlist: all bad items are told at once, and the limit itself is allowed") {
  CHECK(expand_hostlist("a[2-1],b,c[").problems().size() == 2);
  CHECK(expand_hostlist("n[1-1000]-[1-1000]")->size() == 1'000'000);
}
