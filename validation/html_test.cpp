#include "validation/html.hpp"

#include <string>

#include <doctest/doctest.h>

namespace caliper {

TEST_CASE("Text is escaped, attributes too") {
  CHECK(text("a<b>&\"'").str() == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(element("p", {{"title", "\"><script>"}}, text("x")).str() ==
        "<p title=\"&quot;&gt;&lt;script&gt;\">x</p>");
  CHECK((element("b", "", "1") + element("i", "c", "2")).str() == "<b>1</b><i class=\"c\">2</i>");
}

TEST_CASE("Bytes that are no UTF-8 become U+FFFD, the rest of the text stays") {
  const std::string replaced = "\uFFFD";
  CHECK(text("\u00B5s \u2013 \U0001F600").str() == "\u00B5s \u2013 \U0001F600");
  CHECK(text("a\xFF"
             "b")
            .str() == "a" + replaced + "b");
  CHECK(text("\xC2").str() == replaced);                                // cut off
  CHECK(text("\xC0\xBC").str() == replaced + replaced);                 // '<' in two bytes: overlong
  CHECK(text("\xED\xA0\x80").str() == replaced + replaced + replaced);  // surrogate
  CHECK(text("\xF4\x90\x80\x80").str() == replaced + replaced + replaced + replaced);  // above U+10FFFF
  CHECK(text(std::string("a\0b\tc", 5)).str() == "a" + replaced + "b\tc");
}

TEST_CASE("JSON in a script cannot end the script") {
  CHECK(json_script("d", R"({"a":"</script><!--"})").str() ==
        R"(<script type="application/json" id="d">{"a":"\u003c/script>\u003c!--"}</script>)");
}

TEST_CASE("base64 by the vectors of RFC 4648, section 10") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

}  // namespace caliper
