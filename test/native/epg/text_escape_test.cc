// Tests of escaping for XML and JSON: every script, every byte, invalid UTF-8.
#include "epg/text/text_escape.h"

#include <doctest/doctest.h>

#include <string>

#include "epg/text/utf8.h"

using namespace receiverd::epg;

namespace {

std::string xml(std::string_view text) { return escaped(Escape::xml, text); }
std::string json(std::string_view text) { return escaped(Escape::json, text); }

std::string utf8(char32_t code) {
  std::string text;
  append_utf8(text, code);
  return text;
}

}  // namespace

TEST_CASE("XML text: entities for &, < and >, quotes unchanged") {
  CHECK(xml("a & b < c > d \" '") == "a &amp; b &lt; c &gt; d \" '");
  CHECK(xml("") == "");
}

TEST_CASE("XML text: characters that XML 1.0 forbids are dropped, tab, LF and CR stay") {
  std::string controls;
  for (char c = 0; c < 0x20; ++c) controls += c;
  CHECK(xml("a" + controls + "b") == "a\t\n\rb");
  CHECK(xml(utf8(0xFFFE) + "a" + utf8(0xFFFF) + "\xEF\xBF\xBD") == "a\xEF\xBF\xBD");
  CHECK(xml("\x7F") == "\x7F");
}

TEST_CASE("XML text: the emphasis marks of DVB are dropped and its line break becomes LF") {
  CHECK(xml(utf8(0x86) + "Das" + utf8(0x87) + " Erste" + utf8(0x8A) + utf8(0x85)) == "Das Erste\n" + utf8(0x85));
}

TEST_CASE("JSON text: quotes, backslashes and controls as JSON.stringify writes them") {
  CHECK(json("\"\\/\b\t\n\f\r") == "\\\"\\\\/\\b\\t\\n\\f\\r");
  CHECK(json(std::string_view("\0\x1F", 2)) == "\\u0000\\u001f");
  CHECK(json("\x7F" + utf8(0x86) + utf8(0x2028) + utf8(0xFFFF)) == "\x7F" + utf8(0x86) + utf8(0x2028) + utf8(0xFFFF));
}

TEST_CASE("texts of every script and length are escaped correctly in both formats") {
  for (const char32_t code : {U'x', U'\xE9', U'\x416', U'\x4E16', U'\x1F600'}) {
    std::string text;
    for (int length = 0; length < 70; ++length) {
      CHECK(xml(text) == text);
      CHECK(json(text) == text);
      CHECK(xml(text + "&") == text + "&amp;");
      CHECK(json("\"" + text) == "\\\"" + text);
      text += utf8(code);
    }
  }
}

TEST_CASE("every byte is escaped the same way, wherever it is in a text") {
  for (const Escape form : {Escape::xml, Escape::json, Escape::cleaned_json}) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::string one(1, static_cast<char>(byte));
      const std::string escaped_one = escaped(form, one);
      bool same = true;
      for (std::size_t length = 0; length < 40; ++length) {
        for (std::size_t at = 0; at <= length; ++at) {
          const std::string before(at, 'b');
          const std::string behind(length - at, '~');
          same = same && escaped(form, before + one + behind) == before + escaped_one + behind;
        }
      }
      CHECK_MESSAGE(same, "byte ", byte);
    }
  }
}

TEST_CASE("invalid UTF-8 becomes U+FFFD") {
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK(xml("a\xFF"
            "b") == "a" + replaced + "b");
  CHECK(json("a\xC3") == "a" + replaced);
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE4\xB8", "\x80"}) {
    CHECK(valid_utf8(xml(bad)));
    CHECK(valid_utf8(json(bad)));
  }
}

TEST_CASE("no byte becomes more than kMaxEscapeBytes bytes") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(xml(all).size() <= all.size() * kMaxEscapeBytes);
  CHECK(json(all).size() <= all.size() * kMaxEscapeBytes);
}
