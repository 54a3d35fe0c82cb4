// Markup that cannot be broken by the text put into it: plain text becomes Html by being escaped, in no other
// way.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace caliper {

/// A piece of a page. Made of literals of this program, elements and escaped text only, so pieces may be
/// joined freely.
class Html {
 public:
  Html() = default;
  /// Markup as it stands. For literals and assets of this program, never for anything a user wrote.
  static Html trusted(std::string markup);

  Html& operator+=(const Html& other);
  friend Html operator+(Html left, const Html& right) { return std::move(left += right); }
  const std::string& str() const { return markup_; }
  bool empty() const { return markup_.empty(); }

 private:
  std::string markup_;
};

/// Plain text: &, <, >, " and ' become entities, control characters other than tab and line feed and bytes
/// that are not UTF-8 become U+FFFD.
Html text(std::string_view plain);

/// Name of ours; the value is escaped.
struct Attribute {
  std::string_view name;
  std::string value;
};

/// <tag name="value"...>content</tag>; tag and attribute names are literals of this program.
Html element(std::string_view tag, std::initializer_list<Attribute> attributes, const Html& content = {});
Html element(std::string_view tag, const Html& content);
/// The same of plain text.
Html element(std::string_view tag, std::string_view css_class, std::string_view plain);

/// JSON as the content of <script type="application/json">: '<' only inside strings, there as \u003c, so that
/// no string can end the script or open a comment.
Html json_script(std::string_view id, std::string json);

/// RFC 4648, for data: addresses.
std::string base64(std::string_view bytes);

}  // namespace caliper
