// Texts and guide tables of PSIP (ATSC A/65): multiple strings in every coding, EIT, ETT and RRT into the store.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "epg/atsc/genres.h"
#include "epg/atsc/multiple_string.h"
#include "epg/atsc/psip_decoder.h"
#include "epg/atsc/psip_huffman.h"
#include "epg/atsc/scsu.h"
#include "epg/event/event_details.h"
#include "epg/ingest/ingest.h"
#include "epg/psip_sections.h"
#include "epg/text/utf8.h"

using namespace receiverd;
using namespace receiverd::epg;
using namespace std::string_literals;

namespace {

Language sent_language(std::string_view code) { return language_of(bytes_of(code)); }

std::string scsu(std::string_view bytes) {
  std::string text;
  decode_scsu(bytes_of(bytes), [&](char32_t code) { append_utf8(text, code); });
  return text;
}

std::string huffman(const SectionBytes& bytes, bool is_description) {
  std::string text;
  decode_psip_huffman(bytes, is_description, text);
  return text;
}

/// The shortest bits that the decoder turns into `text`, found by trying: its tables have no encoder.
SectionBytes huffman_bits(std::string_view text, bool is_description) {
  std::string bits;
  const auto bytes = [](const std::string& of) {
    SectionBytes packed((of.size() + 7) / 8);
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i] == '1') packed[i / 8] |= static_cast<std::uint8_t>(0x80 >> i % 8);
    }
    return packed;
  };
  // Complete bytes only, so that no padding is taken for a code: candidates end with the code of the next character.
  for (std::size_t size = 1; size <= text.size(); ++size) {
    bool found = false;
    for (std::size_t length = 1; length <= 16 && !found; ++length) {
      for (std::uint32_t code = 0; code < 1U << length && !found; ++code) {
        std::string candidate = bits;
        for (std::size_t i = length; i-- > 0;) candidate += (code >> i & 1) != 0 ? '1' : '0';
        const auto exact = [&](char padding) {
          std::string padded = candidate;
          while (padded.size() % 8 != 0) padded += padding;
          return huffman(bytes(padded), is_description).substr(0, size) == text.substr(0, size);
        };
        if (exact('0') && exact('1')) {
          bits = candidate;
          found = true;
        }
      }
    }
    REQUIRE(found);
  }
  return bytes(bits);
}

const PsipOrigin kOrigin{.service = {0, 0x1FE1, 3}, .pid = 0x1D00};
constexpr wire::UnixSeconds kStart = 1552809600;  // 2019-03-17 08:00 UTC

}  // namespace

TEST_CASE("Multiple strings in one byte, UTF-16 and SCSU") {
  CHECK(decode_multiple_string(bytes_of(multiple_string("Programaci\xF3n"))) == "Programación");
  CHECK(decode_multiple_string(bytes_of(multiple_string("\x30\x43 \x3F", 0x04))) == "ауРп");
  CHECK(decode_multiple_string(bytes_of(multiple_string(std::string("\x20\xAC\xD8\x3D\xDE\x00\xD8\x3D", 8), 0x3F))) ==
        "€😀\xEF\xBF\xBD");
  CHECK(decode_multiple_string(bytes_of(multiple_string("\x41\xF6 \x12\x9C\xBE\xC1\xBA\xB2\xB0", 0x3E))) ==
        "Aö Москва");
  CHECK(decode_multiple_string(bytes_of(multiple_string("?", 0x48))).empty());
  CHECK(decode_multiple_string({}).empty());
  CHECK(decode_utf16(bytes_of(std::string("\0K\0U\0L\0X\0 \0 \0\0", 14))) == "KULX");
}

TEST_CASE("SCSU as in the examples of its report") {
  CHECK(scsu("\xD6\x6C\x20\x66\x6C\x69\x65\xDF\x74") == "Öl fließt");
  CHECK(scsu("\x12\x9C\xBE\xC1\xBA\xB2\xB0") == "Москва");
  CHECK(scsu(std::string("\x0E\xD8\x3D\x0E\xDE\x00", 6)) == "😀");
  CHECK(scsu(std::string("\x0F\x4E\x2D\x56\xFD\xE0\x41", 7)) == "中国A");
  CHECK(scsu("\x0B\x03\xEC\x80").size() == 4);  // a window above U+FFFF
  CHECK(scsu("\x0E\xD8").empty());
  CHECK(scsu("\x01").empty());
}

TEST_CASE("The preferred language of a multiple string") {
  const std::string both = "\x02" + one_string("Hello") + one_string("Hola", 0, "spa");
  Language chosen = 0;
  CHECK(decode_multiple_string(bytes_of(both), {}, &chosen) == "Hello");
  CHECK(chosen == sent_language("eng"));
  const std::vector<Language> spanish{sent_language("spa")};
  CHECK(decode_multiple_string(bytes_of(both), spanish, &chosen) == "Hola");
  CHECK(chosen == sent_language("spa"));
}

TEST_CASE("Compressed titles and descriptions") {
  CHECK(huffman({0b01011110, 0}, false) == "TV");
  CHECK(huffman({0b11011000, 0b11100101, 0b11010000}, true) == "TV.");
  CHECK(huffman({0xE9, 0x6C, 0xD2, 0x90, 0xB0, 0x29, 0x24}, false) == "Lorem ipsum");
  CHECK(huffman({0x9C, 0xEC, 0xFE, 0xA3, 0x33, 0x2F, 0xF5, 0x80}, true) == "Lorem ipsum.");
  CHECK(huffman({0xE9, 0x6D, 0x78, 0xDA, 0x52, 0x16, 0x05, 0x24, 0x80}, false) == "Lorem ipsum");
  CHECK(huffman({}, false).empty());
  const std::string compressed = std::string(
      "\x01"
      "eng\x01\x01\x00\x02\x5E\x00",
      10);
  CHECK(decode_multiple_string(bytes_of(compressed)) == "TV");
  for (const std::string_view text : {"The Patty Duke Show", "Mega Builders", "Flipper and the fox, 1959"}) {
    for (const bool is_description : {false, true}) {
      CHECK(huffman(huffman_bits(text, is_description), is_description).starts_with(text));
    }
  }
}

TEST_CASE("Each context of a Huffman code has every code once") {
  // A complete code: whatever the bits are, they decode, and no two short inputs give the same first characters.
  for (const bool is_description : {false, true}) {
    std::map<std::string, int> first;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const SectionBytes bytes{static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits)};
      ++first[huffman(bytes, is_description).substr(0, 1)];
    }
    int sum = 0;
    for (const auto& [text, count] : first) sum += count;
    CHECK(sum == 0x10000);
    CHECK(first.size() > 50);
  }
}

TEST_CASE("An EIT section becomes a section of a schedule") {
  PsipDecoder decoder;
  const SectionBytes bytes = psip_eit(1, {{.id = 7, .start = kStart + 600, .duration = 1800, .title = "One\nline"},
                                          {.id = 0, .start = kStart + 2400, .duration = 60, .title = "Two"}});
  const EitSection* const section = decoder.decode_eit(bytes, kOrigin);
  REQUIRE(section != nullptr);
  CHECK(section->service == kOrigin.service);
  CHECK((section->table_id & 0xF0) == 0x50);
  CHECK(section->section_number % 8 == 0);
  CHECK(section->segment_last_section_number == section->section_number);
  REQUIRE(section->events.size() == 2);
  CHECK(section->events[0].id == 7);
  CHECK(section->events[0].start == kStart + 600);
  CHECK(section->events[0].duration == 1800);
  CHECK(section->events[0].title == "One line");
  CHECK(section->events[0].language == sent_language("eng"));
  CHECK(section->events[1].id == 0x4000);
}

TEST_CASE("Captions, sound, genres and ratings of an event") {
  const std::string captions = descriptor(0x86, std::string("\xE2"
                                                            "eng\x81\x3F\xFF"
                                                            "spa\x7E\x3F\xFF",
                                                            13));
  const std::string sound = descriptor(0x81, std::string("\x08\x38\x0D\xFF\x0F\x01\xBF"
                                                         "eng",
                                                         10));
  const std::string enhanced = descriptor(0xCC, "\xC0\xC2\xB0spa");
  const std::string advisory = descriptor(0x87, std::string("\xC2\x01\x01\x00\xF4\x00", 6) + "\x02\x01" +
                                                    std::string("\x00\xF4", 2) + counted(multiple_string("13 ans +")));
  PsipDecoder decoder;
  CHECK(decoder.take_rrt(psip_rrt(1, {{"", "None", "TV-G", "TV-PG", "TV-14", "TV-MA"}})));
  CHECK_FALSE(decoder.take_rrt(psip_rrt(1, {{"", "None", "TV-G", "TV-PG", "TV-14", "TV-MA"}})));
  const SectionBytes bytes =
      psip_eit(1, {{.id = 7,
                    .start = kStart,
                    .descriptors = captions + sound + enhanced + advisory + descriptor(0xAB, "\xE2\x25\x6E")}});
  const EitSection* const section = decoder.decode_eit(bytes, kOrigin);
  REQUIRE(section != nullptr);
  const Event& event = section->events[0];
  CHECK(event.components == std::vector<Component>{{3, 0x20, 0, sent_language("eng"), "CEA-708"},
                                                   {3, 0x20, 0, sent_language("spa"), "CEA-608"},
                                                   {4, 0x44, 0, sent_language("eng"), ""},
                                                   {4, 0xC2, 0, sent_language("spa"), ""}});
  CHECK(event.genres == std::vector<Genre>{{0x40, 0x25}});
  CHECK(event.rating == "TV-14, 13 ans +");
  CHECK(event.parental == std::vector<ParentalRating>{{{'U', 'S', 'A'}, 11}, {{'C', 'A', 'N'}, 10}});
  std::string packed;
  pack_details(event, packed);
  CHECK(unpack_details(packed).rating == "TV-14, 13 ans +");
  CHECK(unpack_details(packed).picture.empty());
}

TEST_CASE("The age in the words of a rating") {
  const std::pair<std::string_view, int> kRatings[] = {{"TV-14", 14},    {"TV-14-DLSV", 14},
                                                       {"TV-Y7", 7},     {"TV-MA", 17},
                                                       {"TV-MA-L", 17},  {"TV-PG", 0},
                                                       {"PG-13", 13},    {"NC-17", 17},
                                                       {"R", 17},        {"Rated", 0},
                                                       {"13 ans +", 13}, {"18+", 18},
                                                       {"X", 18},        {"", 0},
                                                       {"1998", 0},      {"C8+", 8},
                                                       {"G", 0},         {"PG (Surv. par.)", 0},
                                                       {"99", 0}};
  for (const auto& rating : kRatings) {
    CAPTURE(rating.first);
    CHECK(age_of_rating(rating.first) == rating.second);
  }
}

TEST_CASE("The words of a rating are bounded") {
  PsipDecoder decoder;
  const std::string word(60, 'W');
  REQUIRE(decoder.take_rrt(psip_rrt(1, {{"", word}})));
  // One region that names the same dimension 100 times, and no words of its own.
  std::string advisory = "\xC1\x01\x64"s;
  for (int i = 0; i < 100; ++i) advisory += "\x00\x01"s;
  advisory += "\x00"s;
  const SectionBytes bytes = psip_eit(1, {{.id = 7, .start = kStart, .descriptors = descriptor(0x87, advisory)}});
  const EitSection* const section = decoder.decode_eit(bytes, kOrigin);
  REQUIRE(section != nullptr);
  CHECK(section->events[0].rating.starts_with(word + ' ' + word));
  CHECK(section->events[0].rating.size() <= 255);
}

TEST_CASE("Ratings of several regions are shown in the preferred language, and count in all") {
  const auto region = [](char number, std::string_view words, std::string_view code) {
    return std::string(1, number) + '\x01' + std::string("\x00\xF4", 2) + counted('\x01' + one_string(words, 0, code));
  };
  const auto decoded = [](std::vector<Language> languages, const std::string& regions) {
    PsipDecoder decoder(std::move(languages));
    const std::string advisory = descriptor(0x87, "\xC3" + regions);
    const SectionBytes bytes = psip_eit(1, {{.id = 7, .start = kStart, .descriptors = advisory}});
    Event event = decoder.decode_eit(bytes, kOrigin)->events[0];
    return std::pair(event.rating, event.parental.size());
  };
  const Language english = sent_language("eng");
  const Language french = sent_language("fra");  // sent as fre
  const std::string all = region(2, "13 ans +", "fre") + region(1, "TV-14", "eng") + region(5, "TV-MA", "eng");
  CHECK(decoded({}, all) == std::pair<std::string, std::size_t>("13 ans +, TV-14, TV-MA", 3));
  CHECK(decoded({english}, all) == std::pair<std::string, std::size_t>("TV-14, TV-MA", 3));
  CHECK(decoded({french, english}, all) == std::pair<std::string, std::size_t>("13 ans +", 3));
  CHECK(decoded({sent_language("spa")}, all).first == "13 ans +, TV-14, TV-MA");
  CHECK(decoded({english}, region(2, "13 ans +", "fre")).first == "13 ans +");
}

TEST_CASE("Ratings are named by a later table, but not by each of a table that never settles") {
  Ingest ingest(std::make_shared<Store>());
  const std::string advisory = descriptor(0x87, std::string("\xC1\x01\x01\x00\xF1\x00", 6));
  const SectionBytes event = psip_eit(1, {{.id = 7, .start = kStart, .descriptors = advisory}});
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    ingest.psip_section(event, kOrigin);
    ingest.psip_section(psip_rrt(1, {{"", "Rating " + std::to_string(round)}}), {});
    ingest.flush();
    ingest.psip_section(event, kOrigin);
    ingest.flush();
    if (round > 1) continue;
    const Store::Reader reader = ingest.store()->read();
    const EventView stored = reader.view((*reader.find(kOrigin.service))[0]);
    CHECK(unpack_details(stored.details).rating == "Rating " + std::to_string(round));
  }
  CHECK(ingest.counters().applied <= kRounds + 32);
}

TEST_CASE("Genres of PSIP") {
  CHECK(genre_of_psip(0x20) == 0x90);
  CHECK(genre_of_psip(0xAD) == 0x4B);
  CHECK(genre_of_psip(0x1F) == 0);
  CHECK(genre_of_psip(0xAE) == 0);
  CHECK(genre_of_psip(0xFF) == 0);
}

TEST_CASE("Texts join their events in the store, whichever comes first") {
  Ingest ingest(std::make_shared<Store>());
  const SectionBytes text = psip_ett(1, 7, multiple_string("About it."));
  const auto stored = [&] {
    ingest.flush();
    const Store::Reader reader = ingest.store()->read();
    const Timeline* const timeline = reader.find(kOrigin.service);
    return timeline == nullptr || timeline->empty() ? std::string("-") : reader.view((*timeline)[0]).extended_text;
  };
  const auto event = [](std::uint8_t version, std::string_view title) {
    return psip_eit(1, {{.id = 7, .start = kStart, .duration = 60, .title = title, .has_text = true}}, version);
  };
  PsipOrigin of_text = kOrigin;
  of_text.pid = 0x1E00;

  ingest.psip_section(text, of_text);
  CHECK(stored() == "-");
  ingest.psip_section(event(1, "Title"), kOrigin);
  CHECK(stored().empty());
  ingest.psip_section(text, of_text);  // as the carousel repeats it
  CHECK(stored() == "About it.");
  ingest.psip_section(event(2, "Title"), kOrigin);
  CHECK(stored() == "About it.");
  ingest.psip_section(event(3, "Another"), kOrigin);
  CHECK(stored().empty());
  ingest.psip_section(text, of_text);
  CHECK(stored() == "About it.");
  const IngestCounters before = ingest.counters();
  ingest.psip_section(text, of_text);
  CHECK(ingest.counters().repeated == before.repeated + 1);
}

TEST_CASE("Texts from a table of their own count against the bound of the store") {
  Store store({.max_text_bytes = 100});
  PsipDecoder decoder;
  REQUIRE(store.apply(*decoder.decode_eit(psip_eit(1, {{.id = 7, .start = kStart, .title = "Title"}}), kOrigin)));
  const auto add = [&](const std::string& text) {
    const SectionBytes section = psip_ett(1, 7, multiple_string(text));
    return store.apply(*decoder.decode_ett(section, kOrigin));
  };
  CHECK_FALSE(add(std::string(200, 'x')));
  CHECK(store.read().view((*store.read().find(kOrigin.service))[0]).extended_text.empty());
  CHECK(add("Short."));
  CHECK(store.read().view((*store.read().find(kOrigin.service))[0]).extended_text == "Short.");
  CHECK(store.read().programmes().text_bytes() <= 100);
}

TEST_CASE("Events that a new version of EIT-k omits go") {
  Store store;
  PsipDecoder decoder;
  const auto apply = [&](const std::vector<PsipEvent>& events, std::uint8_t version) {
    const EitSection* const section = decoder.decode_eit(psip_eit(1, events, version), kOrigin);
    REQUIRE(section != nullptr);
    CHECK(store.apply(*section));
  };
  const wire::UnixSeconds window = kStart / 10800 * 10800;
  apply({{.id = 1, .start = window, .duration = 600},
         {.id = 2, .start = window + 600, .duration = 600},
         {.id = 3, .start = window + 1200, .duration = 600}},
        1);
  apply({{.id = 4, .start = window + 10800, .duration = 600}}, 1);
  CHECK(store.read().events() == 4);
  apply({{.id = 1, .start = window, .duration = 600}, {.id = 3, .start = window + 1200, .duration = 600}}, 2);
  CHECK(store.read().events() == 3);
}

TEST_CASE("Damaged sections do no harm") {
  PsipDecoder decoder;
  const SectionBytes whole = psip_eit(1, {{.id = 7, .start = kStart, .title = "Title"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(decoder.decode_eit(wire::Bytes(whole).first(size), kOrigin) == nullptr);
    CHECK(decoder.decode_ett(wire::Bytes(whole).first(size), kOrigin) == nullptr);
    CHECK_FALSE(decoder.take_rrt(wire::Bytes(whole).first(size)));
    CHECK_FALSE(fingerprint_of(wire::Bytes(whole).first(size), kOrigin));
  }
  SectionBytes more = whole;
  more[9] = 200;  // num_events
  const EitSection* const section = decoder.decode_eit(more, kOrigin);
  REQUIRE(section != nullptr);
  CHECK(section->events.size() == 1);
  CHECK(decoder.counters().malformed_events == 1);
}
