// Tests of the XMLTV input decoder: declarations, byte order marks, encodings.
#include "xmltv/input_decoder.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace receiverd;
using namespace receiverd::xmltv;
using namespace std::string_literals;

namespace {

/// The document as UTF-8, fed in pieces of `size`; nothing if the encoding is unknown.
std::optional<std::string> decoded(const std::string& document, std::size_t size = 1 << 20) {
  InputDecoder decoder;
  std::string utf8;
  for (std::size_t at = 0; at < document.size(); at += size) {
    const auto piece = wire::Bytes(reinterpret_cast<const std::uint8_t*>(document.data()), document.size())
                           .subspan(at, std::min(size, document.size() - at));
    if (!decoder.decode(piece, utf8)) return std::nullopt;
  }
  if (!decoder.finish(utf8)) return std::nullopt;
  for (std::size_t smaller = 1; size > 9 && smaller < 9; ++smaller) CHECK(decoded(document, smaller) == utf8);
  return utf8;
}

std::string declared(const std::string& encoding) { return "<?xml version='1.0' encoding=\"" + encoding + "\" ?>"; }

std::string utf16(const std::u16string& text, bool big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  }
  return bytes;
}

}  // namespace

TEST_CASE("the encoding follows from the declaration, a byte order mark or the first bytes") {
  CHECK(decoded("<tv>ä</tv>") == "<tv>ä</tv>");
  CHECK(decoded("\xEF\xBB\xBF<tv>ä</tv>") == "<tv>ä</tv>");
  CHECK(decoded(declared("UTF-8") + "<tv>ä</tv>") == declared("UTF-8") + "<tv>ä</tv>");
  CHECK(decoded(declared("ISO-8859-1") + "\xE4\x80\x96") == declared("ISO-8859-1") + "ä€–");
  CHECK(decoded(declared("iso-8859-15") + "\xA4\xE4") == declared("iso-8859-15") + "€ä");
  CHECK(decoded(declared("ISO-8859-2") + "\xB1\xE6") == declared("ISO-8859-2") + "ąć");
  CHECK(decoded(declared("ISO-8859-5") + "\xBF") == declared("ISO-8859-5") + "П");
  CHECK(decoded(declared("windows-1252") + "\x93x\x94\x81") == declared("windows-1252") + "“x”\xEF\xBF\xBD");
  CHECK(decoded("\xFF\xFE" + utf16(u"<tv>ä\U0001F600", false)) == "<tv>ä😀");
  CHECK(decoded("\xFE\xFF" + utf16(u"<tv>ä\U0001F600", true)) == "<tv>ä😀");
  CHECK(decoded(utf16(u"<?xml version='1.0' encoding='UTF-16'?>ä", true)) ==
        "<?xml version='1.0' encoding='UTF-16'?>ä");
  CHECK(decoded("") == "");
  CHECK(decoded("<") == "<");
}

TEST_CASE("partial characters at the end become U+FFFD") {
  CHECK(decoded("\xFE\xFF\0<\xD8"s) == "<\xEF\xBF\xBD");
  CHECK(decoded("\xFE\xFF\0<\xD8\x3D"s) == "<\xEF\xBF\xBD");
  CHECK(decoded("\xFE\xFF\xD8\x3D\0<\xDE\x00"s) == "\xEF\xBF\xBD<\xEF\xBF\xBD");
}

TEST_CASE("an unknown encoding is reported") {
  CHECK_FALSE(decoded(declared("EBCDIC-US") + "<tv/>").has_value());
  CHECK_FALSE(decoded(declared("ISO-8859-12") + "<tv/>").has_value());
  CHECK_FALSE(decoded(declared("ISO-8859-") + "<tv/>").has_value());
  CHECK_FALSE(decoded(declared("ISO-8859-123") + "<tv/>").has_value());
  InputDecoder decoder;
  std::string utf8;
  const std::string document = declared("Shift_JIS");
  CHECK_FALSE(decoder.decode({reinterpret_cast<const std::uint8_t*>(document.data()), document.size()}, utf8));
  CHECK(decoder.encoding() == "shift_jis");
}

TEST_CASE("a declaration without an end is ignored") {
  const std::string endless = "<?xml " + std::string(5000, 'x');
  CHECK(decoded(endless) == endless);
}
