// Tests of the EIT decoder: lengths, times, descriptors, languages, hostile sections.
#include "epg/eit/eit_decoder.h"

#include <doctest/doctest.h>

#include "epg/made_event.h"
#include "epg/section_builder.h"

using namespace receiverd;
using namespace receiverd::epg;
using namespace std::string_literals;

namespace {

const Event& only_event(EitDecoder& decoder, const SentEvent& sent) {
  static Event none;
  const EitSection* section = decoder.decode(eit_section(0x50, {sent}));
  REQUIRE(section != nullptr);
  CHECK(section->events.size() == 1);
  return section->events.empty() ? none : section->events.front();
}

Event decoded(const std::string& descriptors, EitOptions options = {}) {
  EitDecoder decoder(std::move(options));
  return only_event(decoder, {.descriptors = descriptors});
}

}  // namespace

TEST_CASE("a section yields its service, its place in the table and its events") {
  EitDecoder decoder;
  const auto bytes = eit_section(
      0x51,
      {{.id = 4711, .duration = 0x014530, .running_status = 4, .descriptors = short_event("eng", "News", "At noon")}},
      4001, 9, 8, 16);
  const EitSection* section = decoder.decode(bytes);
  REQUIRE(section != nullptr);
  CHECK(section->service == DvbTriplet{8916, 1101, 4001});
  CHECK(section->table_id == 0x51);
  CHECK(section->version == 9);
  CHECK(section->section_number == 8);
  CHECK(section->last_section_number == 16);
  REQUIRE(section->events.size() == 1);
  const Event& event = section->events[0];
  CHECK(event.id == 4711);
  CHECK(event.start == kNoon);
  CHECK(event.duration == 6330);
  CHECK(event.running_status == 4);
  CHECK_FALSE(event.free_ca);
  CHECK(event.title == "News");
  CHECK(event.short_text == "At noon");
  CHECK(language_text(event.language) == "eng");
}

TEST_CASE("extended parts are sorted, joined before decoding, and followed by their items") {
  const Event event =
      decoded(short_event("cze", "Film") + extended_event(1, 1, "cze", "ezident. ", counted("") + counted("Novak")) +
              extended_event(0, 1, "cze", "P\xCFr\xC8", counted("Rez\xC8ie") + counted("Jan ")) +
              extended_event(0, 1, "cze", "twice"));
  CHECK(event.extended_text == "Přëzident.\nRezïe: Jan Novak");
}

TEST_CASE("a missing part does not affect the others") {
  CHECK(decoded(extended_event(0, 2, "eng", "One ") + extended_event(2, 2, "eng", "three")).extended_text ==
        "One three");
}

TEST_CASE("of several languages, all texts are taken from the preferred one") {
  const std::string both = short_event("fin", "Uutiset", "Tänään") + short_event("swe", "Nyheter") +
                           extended_event(0, 0, "fin", "suomi") + extended_event(0, 0, "swe", "svenska");
  CHECK(decoded(both).title == "Uutiset");
  const auto preferring = [](std::string_view code) {
    EitOptions options;
    options.languages = {language_of(bytes_of(code))};
    return options;
  };
  const Event swedish = decoded(both, preferring("swe"));
  CHECK(swedish.title == "Nyheter");
  CHECK(swedish.short_text.empty());
  CHECK(swedish.extended_text == "svenska");
  CHECK(decoded(both, preferring("eng")).title == "Uutiset");
  // ISO 639-2 has two codes for German.
  CHECK(decoded(short_event("eng", "News") + short_event("ger", "Nachrichten"), preferring("deu")).title ==
        "Nachrichten");
}

TEST_CASE("content, parental rating, component and CRID descriptors are decoded") {
  const Event event =
      decoded(descriptor(0x54, "\x23\x01\x40\x02") + descriptor(0x55, "DEU\x09GBR\x01") +
              descriptor(0x50,
                         "\xF5\x0B\x01"
                         "deuHD") +
              descriptor(0x76, "\xC4" + counted("/ABC") + "\x08" + counted("crid://a.tv/x") + "\x05\x12\x34"));
  CHECK(event.genres == std::vector<Genre>{{0x23, 1}, {0x40, 2}});
  REQUIRE(event.parental.size() == 2);
  CHECK(event.parental[0] == ParentalRating{{'D', 'E', 'U'}, 9});
  REQUIRE(event.components.size() == 1);
  CHECK(event.components[0].stream_content == 5);
  CHECK(event.components[0].type == 0x0B);
  CHECK(event.components[0].text == "HD");
  CHECK(event.crids == std::vector<ContentIdentifier>{{1, "/ABC"}, {2, "crid://a.tv/x"}});
}

TEST_CASE("events with an undefined start or times that are not BCD are counted and dropped") {
  EitDecoder decoder;
  const auto section = eit_section(0x50, {{.id = 1, .start = 0xFFFFFFFFFF},
                                          {.id = 2, .start = 0xEB962A0000},
                                          {.id = 3, .duration = 0x00A000},
                                          {.id = 4, .duration = 0xFFFFFF},
                                          {.id = 5, .duration = 0x250000}});
  const EitSection* decoded = decoder.decode(section);
  REQUIRE(decoded != nullptr);
  REQUIRE(decoded->events.size() == 2);
  CHECK(decoded->events[0].id == 4);
  CHECK(decoded->events[0].duration == 0);
  CHECK(decoded->events[1].duration == 25 * 3600);
  CHECK(decoder.counters().undefined_starts == 1);
  CHECK(decoder.counters().malformed_events == 2);
}

TEST_CASE("event_id 0 is replaced with an id from day and minute") {
  EitDecoder decoder;
  CHECK(only_event(decoder, {.id = 0}).id == (1 << 11 | 12 * 60));
  CHECK(only_event(decoder, {.id = 0, .start = 0xEB95235900}).id ==
        static_cast<std::uint16_t>(31 << 11 | (23 * 60 + 59)));
}

TEST_CASE("titles are one line; split titles are joined") {
  CHECK(decoded(short_event("eng", "One\x8Atwo\tthree")).title == "One two three");
  std::string title = "Star Trek: The Next...";
  std::string text = "...Generation. Data meets his maker.";
  CHECK(join_split_title(title, text));
  CHECK(title == "Star Trek: The Next Generation");
  CHECK(text == "Data meets his maker.");
  for (auto [first, second] :
       {std::pair{"Short..."s, "...No"s}, std::pair{"No dots"s, "...Generation. Data"s},
        std::pair{"The Next..."s, "...without an end"s}, std::pair{"The Next..."s, "...X. Data"s}}) {
    const std::string before = first;
    CHECK_FALSE(join_split_title(first, second));
    CHECK(first == before);
  }
  const Event event = decoded(short_event("eng", "Who Wants to Be a...", "... Millionaire? Quiz show."));
  CHECK(event.title == "Who Wants to Be a Millionaire?");
  CHECK(event.short_text == "Quiz show.");
}

TEST_CASE("a short text is kept even if the extended text repeats it") {
  const std::string both = short_event("eng", "Film", "A ship.") + extended_event(0, 0, "eng", "A ship. A storm.");
  CHECK(decoded(both).short_text == "A ship.");
}

TEST_CASE("the character table is decided from all texts of a section together") {
  EitDecoder decoder;
  const auto section = eit_section(0x50, {{.id = 1, .descriptors = short_event("spa", "A\xF1o")},
                                          {.id = 2, .descriptors = short_event("spa", "Informaci\xF3n pol\xEDtica")}});
  const EitSection* decoded = decoder.decode(section);
  REQUIRE(decoded != nullptr);
  CHECK(decoded->events[0].title == "Año");
  CHECK(decoded->events[1].title == "Información política");
}

TEST_CASE("texts of Japanese multiplexes, which use another coding, do not become garbage") {
  CHECK(decoded(short_event("jpn", "%K%e!<%9")).title.empty());
  CHECK(decoded(short_event("jpn", "\x15ニュース")).title == "ニュース");
}

TEST_CASE("bytes that are not a section, or not valid yet, yield nothing") {
  EitDecoder decoder;
  CHECK(decoder.decode({}) == nullptr);
  const SectionBytes good = eit_section(0x4E, {{.descriptors = short_event("eng", "News")}});
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(decoder.decode(wire::Bytes(good).first(size)) == nullptr);
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    SectionBytes bytes = good;
    bytes[at] = value;
    return decoder.decode(bytes);
  };
  CHECK(changed(0, 0x4D) == nullptr);
  CHECK(changed(0, 0x70) == nullptr);
  CHECK(changed(1, 0) == nullptr);
  CHECK(changed(2, 3) == nullptr);
  CHECK(changed(5, 0xC0) == nullptr);  // current_next_indicator 0
  CHECK(changed(6, 1) == nullptr);     // section_number > last_section_number
  CHECK(decoder.decode(good) != nullptr);
}

TEST_CASE("a loop longer than its container is cut, and earlier events are kept") {
  EitDecoder decoder;
  SectionBytes bytes = eit_section(
      0x50, {{.id = 1, .descriptors = short_event("eng", "One")}, {.id = 2, .descriptors = short_event("eng", "Two")}});
  bytes[bytes.size() - 4 - 11 - 1] = 200;  // descriptors_loop_length of the second event
  const EitSection* section = decoder.decode(bytes);
  REQUIRE(section != nullptr);
  CHECK(section->events.size() == 1);
  CHECK(decoder.counters().malformed_events == 1);

  const Event long_descriptor = decoded(short_event("eng", "News") +
                                        "\x55\xFF"
                                        "DEU");
  CHECK(long_descriptor.title == "News");
  CHECK(long_descriptor.parental.empty());
  for (const std::string& body : {""s, "e"s, "eng"s,
                                  "eng\x05"
                                  "ab"s,
                                  "eng\x01"
                                  "a\x09"
                                  "b"s}) {
    CHECK(decoded(descriptor(0x4D, body)).short_text.empty());
    CHECK(decoded(descriptor(0x4E, body)).extended_text.empty());
    decoded(descriptor(0x50, body) + descriptor(0x54, body) + descriptor(0x55, body) + descriptor(0x76, body));
  }
}
