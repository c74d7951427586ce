// Tests of what ISDB makes of the tables: texts of ARIB STD-B24, local times, and by what a multiplex is recognised.
#include <doctest/doctest.h>

#include "epg/arib/arib_descriptors.h"
#include "epg/arib/arib_text.h"
#include "epg/arib/si_rules.h"
#include "epg/eit/eit_decoder.h"
#include "epg/eit/event_descriptors.h"
#include "epg/event/event_details.h"
#include "epg/ingest/ingest.h"
#include "epg/made_event.h"
#include "epg/section_builder.h"
#include "epg/store/store.h"
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

TEST_CASE("the descriptors of a NIT decide, unless they are private ones of DVB") {
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

namespace {

constexpr std::uint16_t kTokyo = 0x7FE8;

SectionBytes japanese(std::uint8_t table_id, const std::vector<SentEvent>& events, std::uint16_t service = 7,
                      std::uint8_t version = 1) {
  return in_network(eit_section(table_id, events, service, version), kTokyo);
}

Event japanese_event(const std::string& descriptors, const SiRules& rules = kJapan) {
  EitDecoder decoder;
  const EitSection* section = decoder.decode(japanese(0x50, {{.id = 9, .descriptors = descriptors}}), rules);
  REQUIRE(section != nullptr);
  CHECK(decoder.counters().malformed_descriptors == 0);
  return section->events.front();
}

/// What the store says about an event of service 7, 8, ...
EventView stored(const Store& store, std::uint16_t service, std::uint16_t id) {
  const Store::Reader reader = store.read();
  const Timeline* const timeline = reader.find({kTokyo, 1101, service});
  const std::size_t index = timeline == nullptr ? Timeline::kNone : timeline->find(id);
  return index == Timeline::kNone ? EventView{} : reader.view((*timeline)[index]);
}

}  // namespace

TEST_CASE("genres, pictures, sound and ratings are those of DVB") {
  const Event event = japanese_event(descriptor(0x54, "\x11\xFF\x62\xFF\xE1\xFF\xF0\xFF\x0B\xFF") +
                                     descriptor(0x50, "\xF1\xB3\x00jpn\x31\x47\x41\x7C"s) +
                                     descriptor(0xC4,
                                                "\xF2\x03\x10\x0F\xFF\x5Fjpn\x0E\x89"
                                                "A"s) +
                                     descriptor(0xC4,
                                                "\xF2\x09\x11\x0F\xFF\xDF"
                                                "jpneng"s) +
                                     descriptor(0x55, "JPN\x09"));
  const std::vector<Genre> genres = {{0x45, 0xFF}, {0x55, 0xFF}, {0xF0, 0xFF}, {0x20, 0xFF}};
  CHECK(event.genres == genres);
  const Language japan = language_of(bytes_of("jpn"));
  const std::vector<Component> components = {
      {1, 0x0F, 0, japan, "映像"}, {6, 3, 0x10, japan, "A"}, {6, 5, 0x11, japan, ""}};
  CHECK(event.components == components);
  CHECK(event.parental == std::vector<ParentalRating>{{{'J', 'P', 'N'}, 9}});

  const Event brazilian = japanese_event(descriptor(0x54, "\x30\xFF\xD1\xFF") + descriptor(0x55,
                                                                                           "BRA\x03"
                                                                                           "BRA\x01"),
                                         kBrazil);
  CHECK(brazilian.genres == std::vector<Genre>{{0x15, 0xFF}, {0xA6, 0xFF}});
  CHECK(brazilian.parental == std::vector<ParentalRating>{{{'B', 'R', 'A'}, 9}});
}

TEST_CASE("every genre of ARIB is one of DVB, or none") {
  for (int nibbles = 0; nibbles < 256; ++nibbles) {
    for (const SiRules& rules : {kJapan, kBrazil}) {
      const std::uint8_t genre = dvb_genre(static_cast<std::uint8_t>(nibbles), rules);
      CHECK(((genre >= 0x10 && genre <= 0xAF) || genre == 0xF0 || (genre == 0 && nibbles >> 4 == 0xE)));
    }
  }
}

TEST_CASE("series and event groups are identifiers") {
  using Crids = std::vector<ContentIdentifier>;
  CHECK(japanese_event(descriptor(0xD5, "\x12\xAB\x00\xE6\x63\x00\x30\x0C\x46\x7C"s)).crids ==
        Crids{{2, "crid://arib/7fe8/12ab"}, {1, "crid://arib/7fe8/12ab/3"}});
  CHECK(japanese_event(descriptor(0xD5, "\x12\xAB\x00\xE6\x63\x00\x00\x00"s)).crids.size() == 1);
  CHECK(japanese_event(descriptor(0xD6, "\x12\x00\x07\x00\x09\x00\x08\x00\x0A"s)).crids ==
        Crids{{kSharedEvent, "dvb://7fe8.44d.8;a"}});
  CHECK(japanese_event(descriptor(0xD6, "\x21\x00\x08\x00\x0A"s)).crids == Crids{{kRelayEvent, "dvb://7fe8.44d.8;a"}});
  CHECK(japanese_event(descriptor(0xD6, "\x50\x7F\xE0\x7F\xE0\x04\x00\x00\x0A"s)).crids ==
        Crids{{kMovedEvent, "dvb://7fe0.7fe0.400;a"}});
  // `.eit` files and epg.dat have no place for event groups.
  Event event;
  event.crids = {{kSharedEvent, "dvb://7fe8.44d.8;a"}, {2, "crid://arib/7fe8/12ab"}};
  std::string details;
  pack_details(event, details);
  DescriptorBytes loop;
  CHECK(write_event_descriptors(EventView{.details = details}, 4000, loop));
  CHECK(wire::text_of(loop).find("dvb://") == std::string_view::npos);
  CHECK(wire::text_of(loop).find("crid://arib/7fe8/12ab") != std::string_view::npos);
  const auto shared = event_at("dvb://7fe8.44d.8;a");
  REQUIRE(shared);
  CHECK(shared->first == DvbTriplet{kTokyo, 1101, 8});
  CHECK(shared->second == 10);
  CHECK_FALSE(event_at("crid://arib/7fe8/12ab"));
}

TEST_CASE("descriptors that are cut are counted") {
  for (const std::string& cut : {descriptor(0xC4, "\xF2\x03\x10\x0F\xFF\x5Fjp"), descriptor(0xD5, "\x12\xAB"),
                                 descriptor(0xD6, "\x12\x01"), descriptor(0xD6, "")}) {
    EitDecoder decoder;
    const EitSection* section = decoder.decode(japanese(0x50, {{.descriptors = cut}}), kJapan);
    REQUIRE(section != nullptr);
    CHECK(decoder.counters().malformed_descriptors == 1);
  }
}

TEST_CASE("long texts come in tables of their own, before or after the titles") {
  const auto store = std::make_shared<Store>();
  Ingest ingest(store);
  const auto titles = japanese(0x50, {{.id = 9, .descriptors = short_event("jpn", "\x46\x7C")}});
  const auto texts = japanese(0x58, {{.id = 9, .descriptors = extended_event(0, 0, "jpn", "\x4B\x5C")}});
  const auto send = [&](const SectionBytes& section) {
    ingest.unchecked_section(section);
    ingest.flush();
  };
  const auto resealed = [](SectionBytes section) {
    const std::uint32_t crc = wire::crc32(wire::Bytes(section).first(section.size() - 4));
    for (int i = 0; i < 4; ++i) section[section.size() - 4 + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    return section;
  };
  send(resealed(texts));
  CHECK(store->read().events() == 0);
  send(resealed(titles));
  CHECK(stored(*store, 7, 9).title == "日");
  CHECK(stored(*store, 7, 9).extended_text.empty());
  send(resealed(texts));  // the carousel repeats it
  CHECK(stored(*store, 7, 9).extended_text == "本");
  // A new version of the titles keeps the text.
  send(
      resealed(japanese(0x50, {{.id = 9, .duration = 0x003000, .descriptors = short_event("jpn", "\x46\x7C")}}, 7, 2)));
  CHECK(stored(*store, 7, 9).duration == 1800);
  CHECK(stored(*store, 7, 9).extended_text == "本");
  CHECK(store->read().events() == 1);
}

TEST_CASE("an event that another service shares has its title and texts") {
  Store store;
  EitDecoder decoder;
  const auto take = [&](const SectionBytes& bytes) {
    EitSection* section = decoder.decode(bytes, kJapan);
    REQUIRE(section != nullptr);
    const bool known = store.share(*section);
    store.apply(*section);
    return known;
  };
  const auto second =
      japanese(0x50, {{.id = 10, .descriptors = descriptor(0xD6, "\x12\x00\x07\x00\x09\x00\x08\x00\x0A"s)}}, 8);
  CHECK_FALSE(take(second));
  CHECK(take(japanese(
      0x50, {{.id = 9, .descriptors = short_event("jpn", "\x46\x7C", "\x4B\x5C") + descriptor(0x54, "\x12\xFF")}})));
  CHECK(take(second));
  CHECK(stored(store, 8, 10).title == "日");
  CHECK(stored(store, 8, 10).short_text == "本");
  CHECK(unpack_details(stored(store, 8, 10).details).genres.size() == 1);
}

TEST_CASE("segments of the schedule begin at midnight in Japan") {
  Store store;
  EitDecoder decoder;
  const auto take = [&](const SectionBytes& bytes) { store.apply(*decoder.decode(bytes, kJapan)); };
  // 12:00 in Japan is in segment 4.
  const auto at_noon = [&](std::uint16_t id, std::uint8_t version) {
    return in_network(eit_section(0x50, {{.id = id, .descriptors = short_event("jpn", "A")}}, 7, version, 32, 32),
                      kTokyo);
  };
  take(at_noon(1, 1));
  take(at_noon(2, 2));
  CHECK(store.read().events() == 1);
  CHECK(stored(store, 7, 2).id == 2);
}
