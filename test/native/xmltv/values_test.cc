// Tests of times, languages, ratings, categories and texts: the small parts of XMLTV.
#include "xmltv/values.h"

#include <doctest/doctest.h>

#include <string>

#include "xmltv/categories.h"
#include "xmltv/text.h"

using namespace receiverd;
using namespace receiverd::xmltv;

namespace {

std::string written(wire::UnixSeconds time) {
  std::string out;
  append_time(out, time);
  return out;
}

std::string rating(std::string_view system, std::string_view value) {
  const auto found = rating_of(system, value);
  if (!found) return "none";
  return std::string(found->country.data(), 3) + " " + std::to_string(age_of(*found));
}

std::string tidied(std::string text, Whitespace whitespace) {
  tidy(text, whitespace);
  return text;
}

}  // namespace

TEST_CASE("times are read in all forms that the DTD allows") {
  CHECK(parse_time("20261121132305 +0000") == 1795267385);
  CHECK(parse_time("20261121142305 +0100") == 1795267385);
  CHECK(parse_time("20261121092305 -04:00") == 1795267385);
  CHECK(parse_time("20261121132305") == 1795267385);
  CHECK(parse_time("20261121132305 Z") == 1795267385);
  CHECK(parse_time("20261121142305 CET") == 1795267385);
  CHECK(parse_time("200007281733 BST") == 964801980);
  CHECK(parse_time(" 20261121132305 +0000 ") == 1795267385);
  CHECK(parse_time("2026-11-21T13:23:05Z") == 1795267385);
  CHECK(parse_time("2026-11-21T14:23:05.250+01:00") == 1795267385);
  CHECK(parse_time("2026-11-21 14:23:05 +0100") == 1795267385);
  CHECK(parse_time("202611211323") == 1795267380);
  CHECK(parse_time("2026112113") == 1795266000);
  CHECK(parse_time("20261121") == 1795219200);
  CHECK(parse_time("202611") == 1793491200);
  CHECK(parse_time("2026") == 1767225600);
  CHECK(parse_time("20240229") == 1709164800);
  CHECK(parse_time("19700101000000 +0000") == 0);
  for (const std::string_view none :
       {"", "20", "202", "20261", "20261321", "20260229", "2026112125", "202611211360", "20261121132305 +1",
        "20261121132305 +01000", "20261121132305 XYZ", "20261121132305+01:00:00", "soon", "1969123123",
        "19700101000000 +0100", "22000101", "2026-11-21", "20261121132305 +0175"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_time(none).has_value());
  }
}

TEST_CASE("every time that is written is read back") {
  std::uint64_t random = 1;
  for (int i = 0; i < 20000; ++i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto time = static_cast<wire::UnixSeconds>(random >> 32);
    CHECK(parse_time(written(time)) == time);
  }
  CHECK(written(1795267385) == "20261121132305 +0000");
}

TEST_CASE("languages have two letters in the file and three in the guide") {
  CHECK(epg::language_text(language_of("de")) == "deu");
  CHECK(epg::language_text(language_of("DE")) == "deu");
  CHECK(epg::language_text(language_of("pt_BR")) == "por");
  CHECK(epg::language_text(language_of("en-GB")) == "eng");
  CHECK(epg::language_text(language_of("ger")) == "deu");
  CHECK(epg::language_text(language_of("gsw")) == "gsw");
  CHECK(epg::language_text(language_of("zu")) == "zul");
  for (const std::string_view none : {"", "d", "xx", "german", "d1", "de1"}) CHECK(language_of(none) == 0);
  CHECK(lang_of(language_of("fre")) == "fr");
  CHECK(lang_of(language_of("gsw")) == "gsw");
  CHECK(lang_of(0).empty());
}

TEST_CASE("ratings of known systems give an age and a country") {
  CHECK(rating("FSK", "12") == "DEU 12");
  CHECK(rating("fsk", "FSK 16") == "DEU 16");
  CHECK(rating("CSA", "-10") == "FRA 10");
  CHECK(rating("MPAA", "PG-13") == "USA 13");
  CHECK(rating("VCHIP", "TV-MA") == "USA 17");
  CHECK(rating("BBFC", "12A") == "GBR 12");
  CHECK(rating("DEU", "7") == "DEU 7");
  CHECK(rating("", "16+") == "ZZZ 16");
  CHECK(rating("XYZ Board", "21") == "ZZZ 18");
  CHECK(rating("FSK", "0") == "none");
  CHECK(rating("MPAA", "G") == "none");
  CHECK(rating("", "between 6 and 12") == "none");
  CHECK(rating("", "123456789012345678901234567890") == "none");
}

TEST_CASE("categories are compared folded, first whole, then in parts") {
  Categories categories;
  categories.add("News/weather", 0x21);
  categories.add("News", 0x20);
  categories.add("Crime drama", 0x11);
  categories.add("Drama", 0x10);
  categories.add("crime DRAMA", 0xFF);
  const auto genres = [&](std::string_view text) {
    std::vector<epg::Genre> found;
    categories.append(text, found);
    categories.append(text, found);
    std::string out;
    for (const epg::Genre& genre : found) out += (out.empty() ? "" : " ") + std::to_string(genre.nibbles);
    return out;
  };
  CHECK(genres("news / WEATHER") == "33");
  CHECK(genres("Drama, News") == "16 32");
  CHECK(genres("Crime-Drama") == "17");
  CHECK(genres("Dráma") == "16");
  CHECK(genres("Series").empty());
  CHECK(genres("///").empty());
}

TEST_CASE("texts are tidied, and invalid UTF-8 is replaced") {
  CHECK(tidied("  a \t\r\n b  ", Whitespace::folded) == "a b");
  CHECK(tidied("\n a  b \r\n\r\n  c\rd \n", Whitespace::line_ends) == "a b\n\nc\nd");
  CHECK(tidied("a\x01\x1F"
               "b",
               Whitespace::folded) == "ab");
  CHECK(tidied("a\xFF"
               "b\xC3",
               Whitespace::folded) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  std::string longer = "aäö";
  CHECK(cut(longer, 4));
  CHECK(longer == "aä");
  CHECK_FALSE(cut(longer, 3));
  std::string escaped;
  append_escaped(escaped, "<a> & \"b\"\r\n\x01\t\xEF\xBF\xBE!");
  CHECK(escaped == "&lt;a&gt; &amp; \"b\"&#13;\n\t!");
  escaped.clear();
  append_escaped_value(escaped, "\"\n\t'");
  CHECK(escaped == "&quot;&#10;&#9;'");
}
