#include "validation/html.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace caliper {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// Length of the UTF-8 sequence at the front of `bytes`, 0 where there is none (overlong forms, surrogates
/// and values above U+10FFFF included): Unicode 15, table 3-7.
std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || bytes.size() < length) return 0;
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < low || at(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  return length;
}

void append_escaped(std::string& to, std::string_view plain) {
  while (!plain.empty()) {
    const std::size_t length = utf8_length(plain);
    const auto first = static_cast<std::uint8_t>(plain.front());
    const bool control = (first < 0x20 && first != '\t' && first != '\n') || first == 0x7F;
    if (length == 0 || control) {
      to += kReplacement;
    } else {
      switch (plain.front()) {
        case '&':
          to += "&amp;";
          break;
        case '<':
          to += "&lt;";
          break;
        case '>':
          to += "&gt;";
          break;
        case '"':
          to += "&quot;";
          break;
        case '\'':
          to += "&#39;";
          break;
        default:
          to += plain.substr(0, length);
      }
    }
    plain.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace

Html Html::trusted(std::string markup) {
  Html result;
  result.markup_ = std::move(markup);
  return result;
}

Html& Html::operator+=(const Html& other) {
  markup_ += other.markup_;
  return *this;
}

Html text(std::string_view plain) {
  std::string escaped;
  append_escaped(escaped, plain);
  return Html::trusted(std::move(escaped));
}

Html element(std::string_view tag, std::initializer_list<Attribute> attributes, const Html& content) {
  std::string markup = "<";
  markup += tag;
  for (const Attribute& attribute : attributes) {
    markup += ' ';
    markup += attribute.name;
    markup += "=\"";
    append_escaped(markup, attribute.value);
    markup += '"';
  }
  markup += '>';
  markup += content.str();
  markup += "</";
  markup += tag;
  markup += ">";
  return Html::trusted(std::move(markup));
}

Html element(std::string_view tag, const Html& content) { return element(tag, {}, content); }

Html element(std::string_view tag, std::string_view css_class, std::string_view plain) {
  if (css_class.empty()) return element(tag, {}, text(plain));
  return element(tag, {{"class", std::string(css_class)}}, text(plain));
}

Html json_script(std::string_view id, std::string json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return element("script", {{"type", "application/json"}, {"id", std::string(id)}},
                 Html::trusted(std::move(safe)));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return out;
}

}  // namespace caliper
