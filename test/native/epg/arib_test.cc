// Tests of what ISDB makes of the tables: texts of ARIB STD-B24, local times, and by what a multiplex is recognised.
#include <doctest/doctest.h>

#include "epg/arib/arib_text.h"
#include "epg/arib/si_rules.h"
#include "epg/eit/eit_decoder.h"
#include "epg/made_event.h"
#include "epg/section_builder.h"
#include "epg/text/fold.h"

using namespace receiverd;
using namespace receiverd::epg;
using namespace std::string_literals;

namespace {

std::string arib_text(std::string_view text, bool latin = false, TextErrors* errors = nullptr) {
  TextErrors ignored;
  std::string out;
  decode_arib_text(bytes_of(text), latin, errors != nullptr ? *errors : ignored, out);
  return out;
}

SectionBytes in_network(SectionBytes section, std::uint16_t network) {
  section[10] = static_cast<std::uint8_t>(network >> 8);
  section[11] = static_cast<std::uint8_t>(network);
  return section;
}

// "News 7", in kanji and full-width signs: katakana of G3 by a single shift, then alphanumeric.
const std::string kNews =
    "\x1B\x7C\xCB\xE5\xF9\xB9\x0E"
    "7";

}  // namespace

TEST_CASE("a text begins with kanji and hiragana; escapes and shifts select other sets") {
  CHECK(arib_text("\x46\x7C\x4B\x5C\xAB\xE9") == "日本から");
  CHECK(arib_text(kNews) == "ニュース７");
  CHECK(arib_text("\x0E"
                  "ABC\x0F\x46\x7C") == "ＡＢＣ日");
  CHECK(arib_text("\x1B\x28\x30\x22\x1B\x29\x31\x0E\x22") == "あア");     // 1-byte sets into G0 and G1
  CHECK(arib_text("\x1B\x24\x39\x2D\x21\x1B\x24\x3A\x21\x21") == "①𠂉");  // JIS X 0213, both planes
  CHECK(arib_text("\x1D\x22\x19\x22\xAB") == "アあか");                   // single shifts last for one character
  CHECK(arib_text("\x1B\x28\x49\x31\x32") == "ｱｲ");                       // JIS X 0201
  CHECK(arib_text("\xFA\xF9\xFD\xFE") == "。ー、・");
  CHECK(arib_text("\x1B\x6F\x7B\x22\x1B\x7E\xB1") == "「ア１");  // locking shifts of G3 into GL, of G1 into GR
}

TEST_CASE("marks of programmes and other additional symbols are words and characters of Unicode") {
  CHECK(arib_text("\x7A\x50\x7A\x6B\x7A\x56\x7C\x21\x7D\x50") == "[HV][新][字]→½");
  CHECK(arib_text("\x75\x22\x76\x4B") == "𠅘麵");
  CHECK(arib_text("\x1B\x24\x3B\x7A\x6D\x7E\x61") == "[終]①");
  // A search finds the word in a mark, and full-width letters by plain ones.
  CHECK(folded(arib_text("\x7A\x6B\x0E"
                         "NHK")) == "[新]nhk");
}

TEST_CASE("sizes decide about full and half width; blanks at the end are dropped") {
  CHECK(arib_text("\x89\x0E"
                  "AB \x8A"
                  "AB C  ") == "AB ＡＢ\u3000Ｃ");
  CHECK(arib_text("\x88\x0E\\~") == "¥‾");
}

TEST_CASE("controls of colours, positions and macros take their parameters with them") {
  CHECK(arib_text("\x90\x48\x90\x20\x41\x91\x40\x93\x40\x94\x40\x97\x41\x9D\x20\x45\x16\x41\x1C\x41\x42\x46\x7C") ==
        "日");
  CHECK(arib_text("\x9B"
                  "960;540 S\x46\x7C") == "日");
  CHECK(arib_text("\x95\x40\x60\x22\x22\x95\x4F\x46\x7C") == "日");
  CHECK(arib_text("\x95\x40\x60\x22").empty());
  CHECK(arib_text("\x1B\x28\x20\x41\x21\x22\x1B\x24\x29\x20\x40\x0E\x21\x22\x0F\x1B\x24\x42\x46\x7C") == "日");
  CHECK(arib_text("\x1B\x2B\x20\x70\x1D\x6E\x22\xB1") == "ア１");  // default macro 0x6E
  CHECK(arib_text("\x46\x7C\x0D\x4B\x5C") == "日\n本");
}

TEST_CASE("repetitions are bounded") {
  CHECK(arib_text("\x98\x43\xAB\xAC") == "かかかが");
  std::string repeats;
  for (int i = 0; i < 1000; ++i) repeats += "\x98\x7F\xAB";
  CHECK(arib_text(repeats).size() == kMaxAribCharacters * 3);
}

TEST_CASE("what is undefined or cut is counted and left out") {
  TextErrors errors;
  CHECK(arib_text("\x78\x30\x46\x7C", false, &errors) == "日");  // no row 88
  CHECK(arib_text("\x46", false, &errors).empty());
  CHECK(arib_text("\x46\x0E"
                  "A",
                  false, &errors) == "Ａ");
  CHECK(errors.malformed == 2);
}

TEST_CASE("Brazil's texts begin with Latin letters") {
  CHECK(arib_text("Programa\xE7\xE3o S\xE3o Jo\xE3o", true) == "Programação São João");
  CHECK(arib_text("\xA4 5 \xB4\x1D\x30\x1D\x57", true) == "€ 5 Ž♪™");
  CHECK(arib_text("\x89\x0E"
                  "A B",
                  true) == "A B");
}

TEST_CASE("texts and times of a Japanese terrestrial event") {
  EitDecoder decoder;
  const SectionBytes bytes = in_network(
      eit_section(0x4E,
                  {{.descriptors = short_event("jpn", kNews, "\xCB\x46\x7C") +
                                   extended_event(0, 1, "jpn", "", counted("\x48\x56\x41\x48") + counted("\x46")) +
                                   extended_event(1, 1, "jpn", "", counted("") + counted("\x7C\xAC"))}}),
      0x7FE8);
  const SiRules rules = rules_of_eit(bytes);
  CHECK(rules == kJapan);
  const EitSection* section = decoder.decode(bytes, rules);
  REQUIRE(section != nullptr);
  REQUIRE(section->events.size() == 1);
  CHECK(section->events[0].start == kNoon - 9 * 3600);
  CHECK(section->events[0].title == "ニュース７");
  CHECK(section->events[0].short_text == "に日");
  CHECK(section->events[0].extended_text == "番組: 日が");  // a character may be divided between two descriptors
  CHECK(decoder.counters().text.undefined_characters == 0);
}

TEST_CASE("ids that Japanese satellites share with others need an event in Japanese") {
  const auto of = [](std::uint16_t network, std::string_view language) {
    return rules_of_eit(in_network(eit_section(0x50, {{}, {.descriptors = short_event(language, "A")}}), network));
  };
  CHECK(of(4, "jpn") == kJapan);
  CHECK(of(7, "jpn") == kJapan);
  CHECK(of(4, "ger") == SiRules{});
  CHECK(of(1, "jpn") == SiRules{});
  CHECK(of(0x7880, "eng") == kJapan);
  CHECK(of(0x7FF0, "jpn") == SiRules{});
  CHECK(rules_of_eit({}) == SiRules{});
}

TEST_CASE("a NIT tells by its descriptors, unless they are private ones of DVB") {
  const auto of = [](const std::string& descriptors, std::uint16_t network) {
    return rules_of_nit(bytes_of(descriptors), network);
  };
  const std::string satellite = descriptor(0xFE, "\x02\x01");
  const std::string terrestrial = descriptor(0xFA, "\x5A\xA5\x0E\xC8");
  CHECK(of(satellite, 4) == kJapan);
  CHECK(of(terrestrial, 0x7FE0) == kJapan);
  CHECK(of(terrestrial, 0x0731) == kBrazil);
  CHECK(of(descriptor(0xFE, "\x03\x01"), 0x0731) == kBrazil);
  CHECK(of(descriptor(0x5F, "\0\0\0\x28"s) + terrestrial, 0x0731) == SiRules{});
  CHECK(of(descriptor(0xFA, "\x5A\xA5\x0E"), 0x0731) == SiRules{});
  CHECK(of(descriptor(0xFA, "\x5A\xA5\xFF\xFF"), 0x0731) == SiRules{});
  CHECK(of(descriptor(0xFE, "\x03\x02"), 0x0731) == SiRules{});
  CHECK(of("\xFE\x09", 4) == SiRules{});
}

TEST_CASE("the zone of a TOT by ABNT follows from its country") {
  const auto tot = [](const std::string& descriptors) {
    std::string section = "\x73\x70"s + static_cast<char>(11 + descriptors.size()) + "\xEB\x96\x12\0\0\xF0"s;
    section += static_cast<char>(descriptors.size());
    return section + descriptors + "\0\0\0\0"s;
  };
  CHECK(zone_of_tot(bytes_of(tot(descriptor(0x58, "BRA\x02\0\0"s)))) == -3 * 3600);
  CHECK(zone_of_tot(bytes_of(tot(descriptor(0x58, "PHL\x02\0\0"s)))) == 8 * 3600);
  CHECK(zone_of_tot(bytes_of(tot(descriptor(0x58, "FRA\x02\0\0"s)))) == std::nullopt);
  CHECK(may_be_local_time(bytes_of(tot(""))));
  CHECK_FALSE(may_be_local_time(bytes_of(tot(descriptor(0x58, "FRA\x02\0\0"s)))));
  CHECK_FALSE(may_be_local_time(bytes_of(tot("").substr(0, 9))));
}
